/** `xstate-quiver/names`: short unique numbers. */
export { createNames, namesLogic, type Names, type NamesEvent, type NamesNotice } from '../adapters/names.js';
