/** How to read the state of a node with locks. */
import type { DirectoryContext } from '../directory/index.js';
import type { NodeId } from '../effects.js';
import type { Configuration, NodeView, RoleView } from '../protocol.js';
import { labelOf, STEWARD, type LockLabel } from './messages.js';
import type { StewardContext } from './knowledge.js';

export const stewardOf = (node: NodeView): RoleView<StewardContext> => node[STEWARD]!;

export const isServing = (node: NodeView): boolean => stewardOf(node).value === 'serving';

export interface LabelledDirectory extends LockLabel {
  readonly node: NodeId;
  readonly role: RoleView<DirectoryContext>;
}

/** Every directory that is open anywhere. */
export const directoriesOf = (c: Configuration): LabelledDirectory[] =>
  [...c.nodes].flatMap(([node, roles]) =>
    Object.entries(roles).flatMap(([name, role]) => {
      const label = labelOf(name);
      return label ? [{ node, role, ...label }] : [];
    }),
  );

/** Every lock that an application holds, with its fence. */
export const usesOf = (c: Configuration): { readonly node: NodeId; readonly lock: string; readonly fence: number }[] =>
  [...c.nodes].flatMap(([node, roles]) =>
    stewardOf(roles).context.entries.flatMap(({ lock, fence }) => (fence === null ? [] : [{ node, lock, fence }])),
  );
