/**
 * The node under the locks of a peer: election and token directory composed, see machines/locks.
 *
 * A peer with storage starts with what it had promised, and no clock matters. One without it that starts has forgotten what it promised before, if it has. A majority of peers that remember tells it where things stand, and
 * no clock matters. Where a majority has forgotten, all peers have to be there, and their first epoch is above the milliseconds of their
 * clocks, which are more than the epochs before: those grew by one or a few whenever something changed, and never by a thousand a second.
 */
import type { NodeId } from '../../machines/effects.js';
import { peerCore } from '../../machines/locks/core.js';
import type { ElectionProtocolOptions } from '../../machines/election/options.js';
import { EPOCHS } from '../../machines/locks/messages.js';
import type { LocksProtocolOptions } from '../../machines/locks/options.js';
import type { Inspect } from '../../network/world/kernel.js';
import { environmentOf, type InEnvironment } from '../environment.js';
import { unlinkedGraph } from '../node/graph.js';
import { Channels } from '../node/channels.js';
import { LiveNode } from '../node/node.js';
import type { PeerStorage } from '../storage/storage.js';
import type { Linked, Transport } from '../transports/transport.js';
import { lockLimitsHere } from './limits.js';

export interface PeerOptions extends InEnvironment {
  /** Connected by the node, closed by whoever made it. It keeps its order and tells who is there: `linked` makes one. */
  readonly transport: Transport<Linked>;
  /** With whom the cluster begins; none, of a peer that comes later. */
  readonly peers: readonly NodeId[];
  /** Only peers of the same name share. */
  readonly name: string;
  /** Where this peer keeps what it has promised. Without it a peer that starts again has forgotten. */
  readonly storage?: PeerStorage | undefined;
  /** True if it takes locks without a vote. */
  readonly client?: boolean | undefined;
  /** True if whoever is there votes, and nobody is listed: of tabs. */
  readonly tabs?: boolean | undefined;
  /** With whom a cluster that remembers nothing begins: with all unless it is given. */
  readonly bootstrap?: 'majority' | undefined;
  /** True if a majority is asked before each grant. */
  readonly confirm?: boolean | undefined;
  /** XState's own option: an observer of the node's live actors. */
  readonly inspect?: Inspect | undefined;
}

/** The first of January 2025, UTC: so that fences stay exact until the year 2059. */
const EPOCHS_BEGAN = 1_735_689_600_000;

/** Longer than it takes until both ends of a link have heard of it; who is cut off from some of us may be left out then. */
const PATIENCE_MS = 5_000;

export function createLocksNode({
  transport,
  peers,
  name,
  inspect,
  storage,
  confirm = false,
  client = false,
  tabs = false,
  bootstrap,
  ...environment
}: PeerOptions): LiveNode<LocksProtocolOptions> {
  const { id, guarantees } = transport;
  const voters = tabs ? [id] : peers.toSorted();
  const { grants, openLocks: locks } = lockLimitsHere();
  const floor = Math.max(0, Math.floor(environmentOf(environment).clock.now() - EPOCHS_BEGAN));
  const bytes = guarantees.messageBytesMax;
  const nodes = voters.includes(id) ? voters : [...voters, id];
  const graph = unlinkedGraph(nodes);
  const common = { voters, hold: null, memory: 'forgotten', floor, patience: PATIENCE_MS, confirm } as const;
  const options: LocksProtocolOptions = {
    ...common,
    election: electionAmong(nodes),
    clients: client ? [id] : [],
    quorum: tabs ? 'present' : 'majority',
    members: voters.length === 1 ? voters : [],
    storage: storage ? 1 : null,
    bounds: { grants, locks, bytes },
  };
  const node = {
    transport,
    protocol: peerCore,
    topology: graph.topology,
    // The same as a scenario says it, for whoever reads a trace of it.
    options: {
      ...common,
      ...(tabs && { quorum: 'present' }),
      ...(client && { clients: [id] }),
      grants,
      locks,
      bytes,
      ...(storage && { storage: 1 }),
    },
    // Clients have nothing to say to each other, and may be a thousand.
    ...(client && { neighbors: voters }),
    name,
    ...environment,
    inspect,
    storage,
  };
  // Members ask each other for what they keep (register.ts), and whoever else is there.
  if (client) Channels.of(transport).leave(`${name}/`);
  const made = new LiveNode(node, { ...graph, options });
  const reports = transport.events.subscribe((event) => {
    if (event.type === 'gone' && made.role(EPOCHS)) made.attempt('ended', { peer: event.peer });
  });
  void made.closed.then(() => reports.unsubscribe());
  if (bootstrap === 'majority')
    made.ready.then(
      () => made.attempt('bootstrap'),
      () => {},
    );
  return made;
}

/** Nobody is linked yet, and each leads itself. */
function electionAmong(nodes: readonly NodeId[]): ElectionProtocolOptions {
  const start = nodes.map((node) => [node, { neighbors: [], leader: node, distance: 0, levels: [] }]);
  const rules = { clock: 'logical', hello: true, skipIfLeader: false, sink: 'settled', levels: [] } as const;
  return { leader: nodes[0]!, ...rules, start: Object.fromEntries(start) };
}
