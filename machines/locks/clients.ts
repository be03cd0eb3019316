/**
 * The clients that are attached to a voter, and the voter's requests for them (rule 11).
 *
 * A client does not count in a majority and uses no directory. It attaches to a voter that serves, which requests locks in its name: the
 * client is the user of the lock's role next to the epochs (lock.ts), or is in its line. After a client has gone and patience with its
 * locks is over, nothing of it stays here.
 */
import type { NodeId } from '../effects.js';
import { bisect, firstFence, isKeptBy, withName } from './epoch.js';
import {
  claimOf,
  confirmersOf,
  linksAfter,
  withClaim,
  type Claim,
  type Enqueuing,
  type EpochsContext,
  type From,
  type In,
  type NamedLinkEvent,
  type ReportedEnd,
} from './knowledge.js';
import {
  lockRole,
  type Acquire,
  type Acquired,
  type AskedIn,
  type AttachRequest,
  type Beginning,
  type Confirm,
  type Detached,
  type Disowned,
  type Held,
  type Kept,
  type Recorded,
} from './messages.js';
import { withRecord } from './room.js';

/** A client that is attached here, with the number of its attachment. */
export interface Attachment {
  readonly node: NodeId;
  readonly number: number;
  /** The locks that the client holds while another voter uses them for it. Empty once an epoch has begun after the attachment. */
  readonly holds: readonly Held[];
}

/** A client, or the voter itself, that wants a lock here or uses it. */
export interface Want {
  readonly node: NodeId;
  readonly lock: string;
}

const placeOf = (node: NodeId, clients: readonly Attachment[]): number =>
  bisect(node, clients.length, (place) => clients[place]!.node);

/** Adds the client that attaches, or replaces its earlier attachment. */
export function withClient({ context }: In<unknown>, request: From<AttachRequest>): Pick<EpochsContext, 'clients'> {
  const { clients } = context;
  const { from: node, number, holds } = request;
  const place = placeOf(node, clients);
  const elsewhere = holds.filter((held) => !isHosted(context, node, held));
  const attachment = { node, number, holds: elsewhere };
  return { clients: clients.toSpliced(place, clients[place]?.node === node ? 1 : 0, attachment) };
}
/** The list of clients without the one whose link went down. */
export function withoutClient({ context: c }: In<unknown>, change: NamedLinkEvent): Pick<EpochsContext, 'clients' | 'links'> {
  const { peer } = change;
  const clients = attachmentOf(c, peer) ? c.clients.toSpliced(placeOf(peer, c.clients), 1) : c.clients;
  return { clients, links: linksAfter(c.links, change) };
}
export const attachmentOf = ({ clients }: Pick<EpochsContext, 'clients'>, node: NodeId): Attachment | undefined => {
  const attachment = clients[placeOf(node, clients)];
  return attachment?.node === node ? attachment : undefined;
};

/** Wants are sorted by node and lock, so that a lookup is a binary search even with thousands of them. */
const keyOf = (node: NodeId, lock: string): string => `${node}\n${lock}`;
const wantAt = (key: string, wants: readonly Want[]): number =>
  bisect(key, wants.length, (place) => keyOf(wants[place]!.node, wants[place]!.lock));

export const isWantedBy = ({ wants }: Pick<EpochsContext, 'wants'>, node: NodeId, lock: string): boolean => {
  const want = wants[wantAt(keyOf(node, lock), wants)];
  return want?.node === node && want.lock === lock;
};
export const withWant = (want: Want, wants: readonly Want[]): readonly Want[] =>
  wants.toSpliced(wantAt(keyOf(want.node, want.lock), wants), 0, want);
export const withoutWant = ({ node, lock }: Want, wants: readonly Want[]): readonly Want[] =>
  isWantedBy({ wants }, node, lock) ? wants.toSpliced(wantAt(keyOf(node, lock), wants), 1) : wants;

/** The locks that a client wants or uses here. */
export function wantedBy(node: NodeId, wants: readonly Want[]): string[] {
  const locks: string[] = [];
  for (let place = wantAt(keyOf(node, ''), wants); wants[place]?.node === node; place++) locks.push(wants[place]!.lock);
  return locks;
}

/** Reports to each lock that the client wants or uses here which locks the client holds. */
export const attest = ({ context: { wants }, event: { from, holds } }: In<From<AttachRequest>>) => ({
  role: wantedBy(from, wants).map(lockRole),
  message: { type: 'attested', node: from, holds },
});

/**
 * Reports locks that other voters use for the client, or are about to, although the client does not hold them. The client requested them in
 * an earlier attachment. They were granted or given back just as its link or its voter failed.
 */
export function disown({ context, enqueue }: Enqueuing, { from: client, number, holds }: From<AttachRequest>): void {
  const isHeld = ({ lock, fence }: Held) => holds.some((held) => held.lock === lock && held.fence === fence);
  const isEarlier = ({ number: asked = number }: Recorded) => asked < number;
  for (const record of context.records) {
    if (record.client !== client || !isEarlier(record) || isHeld(record) || isHosted(context, client, record)) continue;
    const { lock, fence } = record;
    const message = { type: 'disowned', epoch: context.served.epoch, lock, fence, client } satisfies Disowned;
    enqueue({ type: 'send', params: { to: confirmersOf(context), message } });
  }
}

/** Asks a client that is attached here, and for which another voter is about to use a lock, to report again what it holds. */
export const questionToClient = ({ context, event: { user } }: In<Confirm>) => {
  const client = user === null ? undefined : attachmentOf(context, user);
  return { to: client?.node ?? [], message: { type: 'hello' as const, membership: context.membership } };
};

/** The attachment in which a client requests a lock here. */
export const askedIn = (c: EpochsContext, user: NodeId | null): AskedIn => {
  const number = user === null ? undefined : attachmentOf(c, user)?.number;
  return number === undefined ? {} : { number };
};
/** The event with which the client itself would give the lock back. */
export const givingBack = ({ event: { lock, fence, client } }: In<Disowned>) => ({
  role: lockRole(lock),
  message: { type: 'giveBack', from: client, lock, fence },
});

/** Notifies all clients that this voter no longer serves them, so that they attach to another voter. */
export function letGo({ context: { id, clients, wants, membership }, enqueue }: Enqueuing): void {
  for (const { node, number } of clients) {
    const message = { type: 'detached', number, membership } satisfies Detached;
    enqueue({ type: 'send', params: { to: node, message } });
  }
  enqueue.assign({ clients: [], wants: wants.filter(({ node }) => node === id) });
}

const isHosted = (c: EpochsContext, client: NodeId, { lock, fence }: Held): boolean => {
  const claim = claimOf(c, lock);
  return claim?.user === client && claim.fence === fence;
};

/** True if the client holds a lock that, as far as this voter knows, another voter uses for it. The next epoch moves it to this voter. */
export function isStranded({ context }: In<unknown>, { from, holds }: From<AttachRequest>): boolean {
  const { served, bounds } = context;
  const isOlder = ({ fence }: Held) => fence < firstFence(served.epoch, bounds.grants);
  const isKeptElsewhere = ({ lock, fence }: Held) =>
    served.kept.some((kept) => kept.lock === lock && kept.fence === fence && kept.client === from && kept.node !== context.id);
  return holds.some((held) => !isHosted(context, from, held) && (!isOlder(held) || isKeptElsewhere(held)));
}

export const attachment = ({ context, event: { from, number, holds } }: In<From<AttachRequest>>) => {
  const { served, membership } = context;
  const kept = holds.filter((held) => isHosted(context, from, held));
  return {
    to: from,
    message: { type: 'attached' as const, number, kept, epoch: served.epoch, members: served.members, membership },
  };
};

/** Replies to a client that its voter has no room for the lock. */
export const noRoom = ({ context, event: { from, lock } }: In<From<Acquire>>) => {
  const { number } = attachmentOf(context, from)!;
  return { to: from, message: { type: 'full' as const, number, lock, others: context.claims.length } };
};

export const lettingGo = ({ context: { membership }, event: { from, number } }: In<From<AttachRequest>>) => ({
  to: from,
  message: { type: 'detached' as const, number, membership },
});

/** Reports a grant or a loss to the client that it is about, if that client is attached here. */
export const wordTo =
  (type: Acquired['type']) =>
  ({ context, event }: In<Claim | (Held & { readonly node: NodeId })>) => {
    const { lock, fence } = event;
    const node = 'node' in event ? event.node : event.user;
    const client = node === null || fence === null ? undefined : attachmentOf(context, node);
    return { to: client?.node ?? [], message: { type, number: client?.number ?? 0, lock, fence } };
  };

export const gone = ({ context: { wants }, event: { peer } }: In<NamedLinkEvent>) => ({
  role: wantedBy(peer, wants).map(lockRole),
  message: { type: 'gone', node: peer },
});

/** Stops waiting for a client that the transport reports as ended. Safety does not depend on this report, which may be wrong. */
export const ended = ({ context: { wants }, event: { peer } }: In<ReportedEnd>) => ({
  role: wantedBy(peer, wants).map(lockRole),
  message: { type: 'ended', node: peer },
});

/** The locks that a voter uses for clients in this epoch. */
export const hostedBy = (id: NodeId, { kept }: Beginning): readonly Kept[] =>
  kept.filter(({ node, client }) => node === id && client !== undefined);

/** From a lock of this node, or from the voter that uses it for a client. */
export type UseToRecord = Held & AskedIn & { readonly user: NodeId | null; readonly from?: NodeId };
/** The records of clients' locks after one was used by a client. */
export function recordsAfter({ context }: In<unknown>, event: UseToRecord): Pick<EpochsContext, 'records'> {
  const { id, records } = context;
  const { lock, fence, user, from = id, ...request } = event;
  if (user === from) return { records };
  const { number } = from === id ? askedIn(context, user) : request;
  const record = { lock, fence, client: user, ...(number !== undefined && { number }) };
  const place = bisect(lock, records.length, (at) => records[at]!.lock);
  return { records: withRecord(record, place, records) };
}

/**
 * The claims and the open directories as the epoch begins. A directory is open for locks that are waiting, that the epoch has kept, that
 * this node uses for clients, and that were not kept and have another waiting user here (rule 11).
 */
export function settled(c: EpochsContext): Pick<EpochsContext, 'claims' | 'locks' | 'open' | 'wants' | 'clients'> {
  const { id, served } = c;
  const hosted = hostedBy(id, served);
  const isNew = ({ lock }: Kept) => claimOf(c, lock) === undefined;
  const claims = hosted
    .filter(isNew)
    .reduce((all, { lock, client }) => withClaim({ lock, fence: null, user: client! }, all), c.claims);
  const wants = hosted
    .filter(({ lock, client }) => !isWantedBy(c, client!, lock))
    .reduce((all, { lock, client }) => withWant({ lock, node: client! }, all), c.wants);
  const isOpen = ({ lock, fence, user }: Claim) =>
    fence === null ||
    isKeptBy(served, id, { lock, fence }) ||
    hosted.some((held) => held.lock === lock) ||
    wants.some((want) => want.lock === lock && want.node !== user);
  return {
    claims,
    wants,
    clients: c.clients.map((client) => ({ ...client, holds: [] })),
    locks: hosted.reduce((all, { lock }) => withName(lock, all), c.locks),
    open: claims.filter(isOpen).map(({ lock }) => lock),
  };
}
