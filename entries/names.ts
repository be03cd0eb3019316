/** `xstate-quiver/names`: short unique numbers. */
export { createNames, type Names } from '../adapters/names.js';
