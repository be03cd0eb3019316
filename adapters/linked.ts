/**
 * The link layer: a transport as the papers assume it, made of one that loses, doubles or keeps silent about who is there.
 *
 *     const transport = linked(nats({ id, connection }), { peers: ['a', 'b', 'c'] });
 *
 * Between each two peers stands the chart of machines/link: what is sent is numbered, acknowledged and sent again until it arrives, in
 * order and once; heartbeats tell who is there. An outage of the medium that is shorter than the patience of the detector only delays.
 * After a longer one the peers are told `down`, what was under way is lost, and `up` begins anew. `down` is a suspicion: the peer may
 * be alive behind a cut.
 *
 * A medium that believes who says to be somebody lets in a second node of the same id. It takes the place of the first, as one that was
 * started again would; the first hears from a peer of a later session that it never began, and ends with a `ConnectionError`.
 */
import { asyncScheduler, filter, firstValueFrom, map, merge, of, timer, type SchedulerLike } from 'rxjs';
import type { NodeId } from '../machines/effects.js';
import { link, type Frame, type LinkContext, type LinkNotice } from '../machines/link/index.js';
import type { RoleView } from '../machines/protocol.js';
import type { Inspect } from '../network/world/kernel.js';
import { ConnectionError } from './transports/errors.js';
import { createTransport, type Medium } from './transports/driver.js';
import { createNode, type LiveNode } from './node/node.js';
import type { Json, Linked, Reliable, Transport } from './transports/transport.js';

export interface LinkedOptions {
  /** Everybody to be linked with; the transport's own id may be among them. */
  readonly peers: readonly NodeId[];
  /** Between two heartbeats; 100 unless given. Longer than a round trip, or messages are sent more than once for nothing. */
  readonly beatMs?: number;
  /** So many heartbeats of silence, and a peer counts as gone; 30 unless given. */
  readonly patience?: number;
  readonly clock?: SchedulerLike;
  /** XState's own option: an observer of the link's live actors. */
  readonly inspect?: Inspect | undefined;
}

/** How many messages may be under way to a peer, and how many more may wait; a peer that falls behind further goes down. */
const WINDOW = 256;
const ROOM = 10_000;

/** Takes over the given transport: connects it, and closes it when it is closed itself. */
export function linked(transport: Transport, options: LinkedOptions): Transport<Linked> {
  const { identity } = transport.guarantees;
  const guarantees: Linked = { order: 'fifo', loss: 'none', duplication: 'none', presence: 'reported', identity };
  return createTransport(transport.id, guarantees, async (medium, signal) => {
    const node = linkNode(transport, options);
    const giveUp = () => void transport.close();
    signal.addEventListener('abort', giveUp, { once: true });
    node.notices$.subscribe((notice) => report(notice as LinkNotice, medium));
    node.steps$.subscribe(({ role, event }) => {
      if (event.type === 'frame' && isForAnother(event as Frame, node.role(role!)))
        medium.broke(new ConnectionError(`another node speaks as "${transport.id}"; give every peer an id of its own`));
    });
    void node.closed.then((error) => error && medium.lost(error));
    await node.ready;
    signal.removeEventListener('abort', giveUp);
    medium.opened({
      send: (peer, body) => void node.attempt('post', { peer, body: structuredClone(body) }),
      close: async () => {
        await lastWords(node, options);
        await transport.close();
      },
    });
  });
}

let started = 0;

function linkNode(transport: Transport, options: LinkedOptions): LiveNode {
  const { peers, beatMs = 100, patience = 30, clock = asyncScheduler, inspect } = options;
  const others = [...new Set(peers)].filter((peer) => peer !== transport.id);
  // Later than in every earlier run, and than every earlier link of this one.
  const session = clock.now() * 1000 + (started++ % 1000);
  return createNode({
    // The link's own protocol is what makes it reliable.
    transport: transport as Transport<Reliable>,
    protocol: link,
    topology: { nodes: [transport.id, ...others], links: others.map((peer) => [transport.id, peer, 1] as const) },
    options: { session, beat: beatMs, patience, window: WINDOW, room: ROOM },
    clock,
    inspect,
  });
}

/** A peer that is up knows our session, and answers none but the latest that it has heard of us. */
const isForAnother = ({ to }: Frame, end: RoleView<LinkContext> | undefined): boolean =>
  end?.value === 'up' && to !== null && to > end.context.session;

function report(notice: LinkNotice, medium: Medium): void {
  const { peer } = notice;
  if (notice.type === 'received') for (const body of notice.bodies) medium.received(peer, body as Json);
  else if (notice.type === 'link.up') medium.up(peer);
  else if (notice.type === 'link.down') medium.down(peer);
  else medium.broke(new ConnectionError(`${WINDOW + ROOM} messages wait for peer "${peer}", which has not come`));
}

/** Waits until the peers have what was sent to them, not longer than their patience would last, and takes leave of them. */
async function lastWords(node: LiveNode, { beatMs = 100, patience = 30, clock = asyncScheduler }: LinkedOptions): Promise<void> {
  const isAllSaid = () => Object.values(node.view()).every(({ value, context }) => value !== 'up' || context.outbox.length === 0);
  const said = merge(of(null), node.steps$).pipe(map(isAllSaid), filter(Boolean));
  await firstValueFrom(merge(said, timer(beatMs * patience, clock)), { defaultValue: true });
  for (const { context } of Object.values(node.view())) {
    node.attempt('leave', { peer: (context as { peer: NodeId }).peer });
  }
}
