/** The core of the directory: what an application carries of it. */
import { defineCore } from '../define.js';
import { absentOr, isNode, isOneOf, listOf, nullOr, isInteger, type ShapesOf } from '../shapes.js';
import { directoryMachine, type DirectoryInput, type DirectoryMessage } from './machine.js';
import { directoryOptions, type DirectoryOptions } from './options.js';
import { DIRECTORY } from './view.js';

export const directoryMessages = {
  find: { producer: isNode, visited: listOf(isNode, { min: 1 }), edge: isOneOf('tree', 'bridge') },
  token: { fence: nullOr(isInteger), copyset: absentOr(listOf(isNode)) },
} satisfies ShapesOf<DirectoryMessage>;

/**
 * The token directory without its checks and view: what an application carries of it.
 *
 * @public
 */
export const directoryCore = /* @__PURE__ */ defineCore<DirectoryOptions>({
  name: 'directory',
  charts: { [DIRECTORY]: directoryMachine },
  network: { reach: 'routed' },
  options: (raw, graph) => directoryOptions(raw, graph),
  input: inputOf,
  messages: directoryMessages,
  commands: {
    request: { waits: true, completedBy: ['released'] },
    release: {},
  },
  reactions: ({ hold }) => (hold === null ? [] : [{ on: 'granted', event: { type: 'release' }, after: hold }]),
});

function inputOf(
  id: string,
  { options: { policy, parents, bridgeOwner, together } }: { readonly options: DirectoryOptions },
): DirectoryInput {
  return { id, parent: parents[id]!, edge: id === bridgeOwner ? 'bridge' : 'tree', policy, fence: null, together };
}
