/** Properties of the tabs protocol: open tabs know each other, and closed ones are forgotten. */
import type { NodeId } from '../effects.js';
import type { Configuration, Property } from '../protocol.js';
import type { TabsOptions } from './core.js';
import { isArriving, knows, presentIn, tabOf } from './view.js';

const isThere = (c: Configuration, node: NodeId): boolean => presentIn(c).includes(node);

/** True if one of two participating tabs does not know the other. */
const isUnmet = (c: Configuration, node: NodeId): boolean =>
  isThere(c, node) && presentIn(c).some((peer) => peer !== node && !(knows(c, node, peer) && knows(c, peer, node)));

const isKnownGone = (c: Configuration, node: NodeId): boolean =>
  !isThere(c, node) || tabOf(c.nodes.get(node)!).context.peers.every((peer) => isThere(c, peer) || arrives(c, peer));

const arrives = (c: Configuration, node: NodeId): boolean => !c.crashed?.includes(node) && isArriving(c.nodes.get(node)!);

/** True if all present tabs know each other and no departure is left to notice. */
export const areAcquainted = (c: Configuration): boolean =>
  [...c.nodes.keys()].every((node) => !arrives(c, node) && !isUnmet(c, node) && isKnownGone(c, node));

export const tabsProperties = (): readonly Property<TabsOptions>[] => [
  {
    name: 'acquaintance',
    description: 'Any two participating tabs eventually know each other, or one of them stops participating.',
    kind: 'eventually',
    when: isUnmet,
    holds: (c, node) => !isUnmet(c, node),
  },
  {
    name: 'arrival',
    description: 'A tab that arrives eventually participates.',
    kind: 'eventually',
    when: arrives,
    holds: (c, node) => !arrives(c, node),
  },
  {
    name: 'departure',
    description: 'When a tab has stopped or left, all tabs that knew it eventually notice.',
    kind: 'eventually',
    when: (c, node) => !isKnownGone(c, node),
    holds: isKnownGone,
  },
  {
    name: 'company',
    description: 'Two tabs participate and know each other.',
    kind: 'sometimes',
    holds: (c) => presentIn(c).some((u) => presentIn(c).some((v) => u !== v && knows(c, u, v) && knows(c, v, u))),
  },
];
