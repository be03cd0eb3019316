/**
 * The node under the locks of a peer: leader election and token directory, composed (machines/locks).
 *
 * A peer with storage starts with its stored promises, independently of clocks. A peer without storage has forgotten its promises when it
 * restarts. If a majority of peers remembers, it reports the present state, and clocks do not matter. If a majority has forgotten, all
 * peers have to be connected. Their first epoch is then above the milliseconds of their clocks, and therefore above all earlier epochs:
 * those grew by one or a few with each change, and never by a thousand in a second.
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
  /**
   * The transport. The node connects it, and its creator closes it. It keeps messages in order and reports the peers that are up, as
   * `linked` does.
   */
  readonly transport: Transport<Linked>;
  /** The peers with which the cluster begins; empty for a peer that joins later. */
  readonly peers: readonly NodeId[];
  /** Only peers with the same name share locks. */
  readonly name: string;
  /** The storage for promises. Without it, a peer that restarts has forgotten them. */
  readonly storage?: PeerStorage | undefined;
  /** True for a client, which uses locks and does not vote. */
  readonly client?: boolean | undefined;
  /** True for tabs: all connected peers vote, without a list. */
  readonly tabs?: boolean | undefined;
  /** The peers with which a cluster that remembers nothing begins. @defaultValue all peers */
  readonly bootstrap?: 'majority' | undefined;
  /** True if a majority confirms each grant. */
  readonly confirm?: boolean | undefined;
  /** XState's `inspect` option: an observer of the node's live actors. */
  readonly inspect?: Inspect | undefined;
}

/** The first of January 2025, UTC, so that fences stay exact until the year 2059. */
const EPOCHS_BEGAN = 1_735_689_600_000;

/**
 * Longer than it takes until both ends of a link are notified of its change. After that, a peer that is cut off from some members may be
 * left out.
 */
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
    // The same options in the form of a scenario, for readers of a trace.
    options: {
      ...common,
      ...(tabs && { quorum: 'present' }),
      ...(client && { clients: [id] }),
      grants,
      locks,
      bytes,
      ...(storage && { storage: 1 }),
    },
    // Clients exchange no messages with each other, and there may be thousands.
    ...(client && { neighbors: voters }),
    name,
    ...environment,
    inspect,
    storage,
  };
  // Registers exchange messages between members (register.ts), and clients do not participate.
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

/** The start of the election: no links yet, and each node leads itself. */
function electionAmong(nodes: readonly NodeId[]): ElectionProtocolOptions {
  const start = nodes.map((node) => [node, { neighbors: [], leader: node, distance: 0, levels: [] }]);
  const rules = { clock: 'logical', hello: true, skipIfLeader: false, sink: 'settled', levels: [] } as const;
  return { leader: nodes[0]!, ...rules, start: Object.fromEntries(start) };
}
