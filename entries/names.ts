/** `xstate-quiver/names`: short unique numbers. */
export { createNames, namesLogic, type Names, type NamesNotice } from '../adapters/names.js';
