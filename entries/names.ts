/**
 * `xstate-quiver/names`: short unique numbers.
 *
 * @module xstate-quiver/names
 */
export { createNames, namesLogic, type Names, type NamesNotice } from '../adapters/names.js';
