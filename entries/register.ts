/** `xstate-quiver/register`: a value that outlives the peers who keep it. */
export { createRegister, type Register } from '../adapters/locks/register.js';
export { registerLogic, type RegisterNotice } from '../adapters/locks/register-logic.js';
