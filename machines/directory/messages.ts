/** The fields that each message of the directory must have, for checks of messages from the network. */
import { absentOr, isInteger, isNode, isOneOf, listOf, nullOr, type ShapesOf } from '../shapes.js';
import type { DirectoryMessage } from './machine.js';

export const directoryMessages = {
  find: { producer: isNode, visited: listOf(isNode, { min: 1 }), edge: isOneOf('tree', 'bridge') },
  token: { fence: nullOr(isInteger), copyset: absentOr(listOf(isNode)) },
} satisfies ShapesOf<DirectoryMessage>;
