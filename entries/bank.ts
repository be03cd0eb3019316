/** `xstate-quiver/bank`: an account that many peers share. */
export { createBank, type Bank } from '../adapters/controller/bank.js';
