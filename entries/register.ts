/** `xstate-quiver/register`: a value that outlives the peers who keep it. */
export { createRegister, type Register, type RegisterOptions } from '../adapters/locks/register.js';
export { registerLogic, type RegisterEvent, type RegisterNotice } from '../adapters/locks/register-logic.js';
