/**
 * The token directory: one token that any node may request. Each request finds the end of the queue along pointers that it turns behind
 * itself. Arrow turns them to the last sender, Ivy to the requester, Arvy to any node that the request has visited.
 *
 * Fault model: nodes do not fail, messages are neither lost nor duplicated, and may take any finite time and any order. Then every request
 * is served and there is always one token.
 *
 * Limitations: after a lost message or a crash nothing is promised.
 */
import { defineProtocol } from '../define.js';
import { DirectoryAccount } from './account.js';
import { directoryCore } from './core.js';
import { directoryCorruption } from './corruption.js';
import { directoryOptions, type DirectoryOptions } from './options.js';
import { machineWith, type OwnPolicies } from './own-policies.js';
import type { Protocol } from '../protocol.js';
import { directoryProperties } from './properties.js';
import { directorySamples, directorySystems } from './samples.js';
import { directoryContext, holdsToken, isUsing, isRequesting, DIRECTORY } from './view.js';

export { directoryMachine } from './machine.js';
export type { NewParent } from './own-policies.js';
export { directoryCore };

/**
 * The token directory: one token that any node may request, and each request is served once. Commands: `request`, `release`.
 *
 * @public
 */
export const directory = /* @__PURE__ */ defineProtocol(
  directoryCore,
  {
    properties: directoryProperties,
    corruption: directoryCorruption,
    samples: { [DIRECTORY]: directorySamples },
    systems: directorySystems,
  },
  {
    paper: 'Khanchandani, Wattenhofer: The Arvy Distributed Directory Protocol (SPAA 2019)',
    observe: (instance) => new DirectoryAccount(instance),
    overlay: (node, id) => {
      const { parent, next, edge } = directoryContext(node);
      return {
        pointers: [
          ...(parent === id ? [] : [{ to: parent, kind: edge === 'bridge' ? 'bridge' : 'parent' }]),
          ...(next === null ? [] : [{ to: next, kind: 'next' }]),
        ],
        ...(holdsToken(node) ? { badge: '●' } : {}),
        tone: isUsing(node) ? 'held' : holdsToken(node) ? 'active' : isRequesting(node) ? 'waiting' : 'plain',
      };
    },
  },
);

/**
 * The directory with custom NewParent policies in addition to the built-in ones. `options.policy` of a scenario accepts their names.
 *
 * @throws `UsageError` if a name is built in; `ProtocolError`, in a run, if a policy picks a node that the find has not visited.
 * @example
 * ```ts
 * import { directoryWith, type NewParent } from 'xstate-quiver/machines';
 * import { explore } from 'xstate-quiver/check';
 *
 * const beforeLast: NewParent = (visited) => visited.at(-2) ?? visited[0]!;
 * const topology = { nodes: ['a', 'b', 'c'], links: [['a', 'b', 1], ['b', 'c', 1]] } as const;
 * console.log(explore(directoryWith({ beforeLast }), { topology, options: { policy: 'beforeLast' }, commands: 'unlimited' }).verdict);
 * ```
 * @public
 */
export const directoryWith = (own: OwnPolicies): Protocol<DirectoryOptions> => ({
  ...directory,
  charts: { [DIRECTORY]: machineWith(own) },
  options: (raw, graph) => directoryOptions(raw, graph, Object.keys(own)),
});
