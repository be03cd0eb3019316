/** `xstate-quiver/bank`: an account that many peers share. */
export { bankLogic, createBank, type Bank, type BankNotice } from '../adapters/controller/bank.js';
