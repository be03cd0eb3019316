/** The part of the link layer that an application loads: its chart, messages, commands, and the roles of a node. */
import { coreOf, type RunningCore } from '../core.js';
import type { Message, NodeId } from '../effects.js';
import type { CoreDescription, Topology } from '../protocol.js';
import {
  absentOr,
  isAnything,
  isBoolean,
  isCount,
  isNode,
  isOneOf,
  isOfShape,
  isWithin,
  listOf,
  nullOr,
  type FieldCheck,
  type ShapesOf,
} from '../shapes.js';
import type { Bye, Frame, LinkInput } from './frames.js';
import { guestsMachine, type GuestsInput } from './guests.js';
import { linkMachine } from './machine.js';
import type { LinkOptions } from './options.js';
import { CHART, GUESTS, roleTo } from './view.js';
import type { Relay, Relayed } from './ways.js';

/** Cache of the peers of each node, in the order of the links, so that the links are traversed once for all nodes. */
const peersIn = new WeakMap<Topology['links'], ReadonlyMap<NodeId, readonly NodeId[]>>();

function peersOf(node: NodeId, links: Topology['links']): readonly NodeId[] {
  let peers = peersIn.get(links);
  if (!peers) peersIn.set(links, (peers = peersOfAll(links)));
  return peers.get(node) ?? [];
}

function peersOfAll(links: Topology['links']): ReadonlyMap<NodeId, readonly NodeId[]> {
  const peers = new Map<NodeId, NodeId[]>();
  const add = (node: NodeId, peer: NodeId) => {
    const known = peers.get(node);
    if (known) known.push(peer);
    else peers.set(node, [peer]);
  };
  for (const [u, v] of links) {
    add(u, v);
    add(v, u);
  }
  return peers;
}

const words = {
  frame: {
    session: isCount,
    to: nullOr(isCount),
    nonce: isCount,
    echo: nullOr(isCount),
    ack: isCount,
    checksum: isWithin(0, 2 ** 32),
    seq: isCount,
    rejects: isBoolean,
    hears: isBoolean,
    bodies: listOf(isAnything),
    client: absentOr(isOneOf(true)),
  },
  bye: { session: isCount, echo: nullOr(isCount) },
} satisfies ShapesOf<Frame | Bye>;

const isWord: FieldCheck = (message, instance) => isOfShape(message, words, instance);

/** The end that handles a message: that of the link with the sender, the origin or the target. */
type Ends = Partial<Record<'from' | 'peer' | 'origin' | 'target', NodeId>>;
const endOf = ({ from, peer, origin, target }: Ends): NodeId => target ?? origin ?? from ?? peer!;

const peer = { name: 'peer', type: 'node' } as const;

type LinkCommand = 'post' | 'restart' | 'leave' | 'gone';

/** The description of the protocol, except for reading the options of a scenario. */
export const linkDescription: Omit<CoreDescription<LinkOptions, LinkCommand>, 'options'> = {
  name: 'link',
  charts: { [CHART]: linkMachine },
  network: { reach: 'links', isLossy: true },
  roles: (id, { topology, options }) => {
    const peers = peersOf(id, topology.links);
    const { relay, ...input } = options;
    const inputTo = (to: NodeId): LinkInput => ({
      ...input,
      peer: to,
      relays: relay ? peers.filter((other) => other !== to) : [],
    });
    return peers.map((to) => ({ role: roleTo(to), chart: CHART, input: inputTo(to) }));
  },
  route: (event: Message & Ends) => roleTo(endOf(event)),
  messages: {
    ...words,
    relay: { target: isNode, message: isWord },
    relayed: { origin: isNode, message: isWord },
  } satisfies ShapesOf<Frame | Bye | Relay | Relayed>,
  commands: {
    post: { fields: [peer, { name: 'body', type: 'integer' }] },
    restart: { fields: [peer] },
    leave: { fields: [peer] },
    gone: { fields: [peer] },
  },
};

/** Options of `linked`: those of the protocol, and the peers that are in no list. */
export interface LinkedCoreOptions extends LinkOptions {
  /** True if this peer is a client. */
  readonly isClient?: true;
  /** The largest number of guests at a time; 0 if only the listed peers are linked. */
  readonly guestsMax: number;
}

/** The link core for `linked`, which reads no scenario, passes complete options, and may link with guests. */
export const linkedCore: RunningCore<LinkedCoreOptions> = /* @__PURE__ */ coreOf<LinkedCoreOptions>({
  ...linkDescription,
  charts: { [CHART]: linkMachine, [GUESTS]: guestsMachine },
  roles: (id, { options: { guestsMax, ...options }, ...instance }) => {
    const { relay: _, ...end } = options;
    const input: GuestsInput = { end, guestsMax };
    const guests = guestsMax > 0 ? [{ role: GUESTS, chart: GUESTS, input }] : [];
    return [...guests, ...linkDescription.roles!(id, { ...instance, options })];
  },
  route: (event, node) => {
    const role = roleTo(endOf(event as Message & Ends));
    return node.has(role) ? role : GUESTS;
  },
});
