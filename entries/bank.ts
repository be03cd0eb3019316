/**
 * `xstate-quiver/bank`: an account that many peers share. They deposit and withdraw amounts, and it is never overdrawn.
 *
 * @module xstate-quiver/bank
 */
export { bankLogic, createBank, type Bank, type BankNotice } from '../adapters/controller/bank.js';
