/**
 * `xstate-quiver/names`: issues short unique numbers to many peers.
 *
 * @module xstate-quiver/names
 */
export { createNames, namesLogic, type Names, type NamesNotice } from '../adapters/names.js';
