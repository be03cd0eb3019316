/**
 * `xstate-quiver/register`: a value that outlives the peers who keep it.
 *
 * @module xstate-quiver/register
 */
export { createRegister, type Register } from '../adapters/locks/register.js';
export { registerLogic, type RegisterNotice } from '../adapters/locks/register-logic.js';
