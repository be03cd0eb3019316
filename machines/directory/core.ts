/** The part of the directory protocol that an application loads: its chart, messages and commands. */
import { coreOf } from '../core.js';
import { directoryMachine, type DirectoryInput } from './machine.js';
import { directoryMessages } from './messages.js';
import { directoryOptions, type DirectoryOptions } from './options.js';
import { DIRECTORY } from './view.js';

/**
 * The token directory without its checks and view, for `createNode`.
 *
 * @public
 */
export const directoryCore = /* @__PURE__ */ coreOf({
  name: 'directory',
  charts: { [DIRECTORY]: directoryMachine },
  network: { reach: 'routed' },
  options: (raw, graph) => directoryOptions(raw, graph),
  input: inputOf,
  notices: ['granted', 'released'],
  messages: directoryMessages,
  commands: { request: { waits: true, completedBy: ['released'] }, release: {} },
  reactions: ({ hold }) => (hold === null ? [] : [{ on: 'granted', event: { type: 'release' }, after: hold }]),
});

function inputOf(
  id: string,
  { options: { policy, parents, bridgeOwner, together } }: { readonly options: DirectoryOptions },
): DirectoryInput {
  return { id, parent: parents[id]!, edge: id === bridgeOwner ? 'bridge' : 'tree', policy, fence: null, together };
}
