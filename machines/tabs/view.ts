/** Reads the state of tabs, for properties and reports. */
import { statePath } from '../checks.js';
import type { NodeId } from '../effects.js';
import type { Configuration, NodeView, RoleView } from '../protocol.js';
import { TAB } from './messages.js';
import type { TabContext } from './tab.js';

export const tabOf = (node: NodeView): RoleView<TabContext> => node[TAB]!;
export const isPresent = (node: NodeView): boolean => statePath(tabOf(node)) === 'there.present';

export const isArriving = (node: NodeView): boolean => statePath(tabOf(node)).startsWith('there.arriving');

/** The tabs that participate and have not stopped. */
export const presentIn = (c: Configuration): NodeId[] =>
  [...c.nodes].flatMap(([id, node]) => (isPresent(node) && !c.crashed?.includes(id) ? [id] : []));

export const knows = (c: Configuration, node: NodeId, peer: NodeId): boolean =>
  tabOf(c.nodes.get(node)!).context.peers.includes(peer);
