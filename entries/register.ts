/**
 * `xstate-quiver/register`: a value that a majority of peers stores, so that it survives the failure of a minority.
 *
 * @module xstate-quiver/register
 */
export { createRegister, type Register } from '../adapters/locks/register.js';
export { registerLogic, type RegisterNotice } from '../adapters/locks/register-logic.js';
