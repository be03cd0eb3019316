/**
 * `xstate-quiver/bank`: an account that many peers share.
 *
 * @module xstate-quiver/bank
 */
export { bankLogic, createBank, type Bank, type BankNotice } from '../adapters/controller/bank.js';
