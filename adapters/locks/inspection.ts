/**
 * The state of a whole cluster of locks, for an operator: the peers, the holders and the waiters of each lock, and the reasons why requests
 * wait. The asking peer sends one question to each peer with which its node is linked. Each peer answers with its own report, which also
 * contains the clients that are attached to it. A client may therefore be frozen and is still listed.
 */
import { Subscription } from 'rxjs';
import type { Message, NodeId } from '../../machines/effects.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { claimOf } from '../../machines/locks/knowledge.js';
import { LOCK_NAME_LENGTH_MAX } from '../../machines/locks/accepts.js';
import { EPOCHS, type LockMode } from '../../machines/locks/messages.js';
import { isBoolean, isCount, isOfShape, isOneOf, isText, listOf, nullOr, recordOf } from '../../machines/shapes.js';
import { Channels } from '../node/channels.js';
import type { LiveNode } from '../node/node.js';
import { absenceOf } from '../transports/absence.js';
import { ID_LENGTH_MAX } from '../transports/ids.js';
import { later } from '../transports/later.js';
import type { Transport } from '../transports/transport.js';
import type { LockQueue } from './lock-queue.js';
import type { LocksStatus } from './locks-status.js';
import { knowledgeAt } from './members.js';

/**
 * The state of a cluster of locks, as `locks.inspect()` returns it.
 *
 * @public
 */
export interface LocksInspection extends Pick<LocksStatus, 'epoch' | 'leader' | 'changing'> {
  /** The name of the cluster. */
  readonly name: string;
  /** The peer that asked. Epoch, leader and voters are those that it knows. */
  readonly peer: NodeId;
  readonly voters: readonly NodeId[];
  /** All known peers, sorted by id. */
  readonly peers: readonly InspectedPeer[];
  /** The locks that are held or waited for, sorted by name. */
  readonly locks: readonly InspectedLock[];
  /** The number of locks that did not fit into the answers of peers. */
  readonly omitted: number;
}

export interface InspectedPeer extends Pick<LocksStatus, 'epoch' | 'leader' | 'missing'> {
  readonly id: NodeId;
  readonly votes: boolean;
  /** The state of the peer; `silent` if it is connected and did not answer in time, `missing` if it is not connected. */
  readonly state: LocksStatus['state'] | 'silent' | 'missing';
  /** From the question to the answer, in milliseconds; `null` without an answer, and for the peer that asked. */
  readonly roundTripMs: number | null;
  /** The reason why the peer is granted no locks, or is not connected; `null` if there is none, or none is known. */
  readonly problem: string | null;
}

export interface InspectedLock {
  readonly name: string;
  readonly holders: readonly LockUser[];
  /** The peers that wait, the longest wait first. */
  readonly waiting: readonly (Pick<LockUser, 'peer' | 'ms'> & { readonly callers: number })[];
  /** The reason why the waiting peers may wait for long; `null` if none is known. */
  readonly problem: string | null;
}

interface LockUser {
  readonly peer: NodeId;
  readonly fence: number;
  readonly mode: LockMode;
  /** How long the peer has held the lock, or its first caller has waited, in milliseconds. `null` if only the client itself knows. */
  readonly ms: number | null;
}

/** The use of one lock by one peer, as that peer or its voter reports it. */
interface Use {
  readonly name: string;
  readonly peer: NodeId;
  /** `null` if the peer does not hold the lock. */
  readonly fence: number | null;
  readonly mode: LockMode;
  readonly heldMs: number | null;
  readonly callers: number;
  readonly waitsMs: number | null;
}

type Report = Omit<InspectedPeer, 'id' | 'roundTripMs'> & { readonly uses: readonly Use[]; readonly omitted: number };
type Answer = Report & { readonly roundTripMs: number | null };

const STATES: readonly LocksStatus['state'][] = [
  'connecting',
  'apart',
  'preparing',
  'following',
  'beginning',
  'serving',
  'attached',
  'seeking',
  'closed',
];
/** The locks in one answer. Their names fit into a message, because the locks of all peers fit into one (room.ts). */
const USES_MAX = 1_000;
const isId = isText(ID_LENGTH_MAX);
const isUse = recordOf({
  name: isText(LOCK_NAME_LENGTH_MAX),
  peer: isId,
  fence: nullOr(isCount),
  mode: isOneOf('exclusive', 'shared'),
  heldMs: nullOr(isCount),
  callers: isCount,
  waitsMs: nullOr(isCount),
});
const MESSAGES = {
  inspect: { number: isCount },
  report: {
    number: isCount,
    report: recordOf({
      votes: isBoolean,
      state: isOneOf(...STATES),
      epoch: isCount,
      leader: nullOr(isId),
      missing: listOf(isId),
      problem: nullOr(isText(10_000)),
      uses: listOf(isUse, { max: USES_MAX }),
      omitted: isCount,
    }),
  },
};
type InspectionMessage =
  | { readonly type: 'inspect'; readonly number: number }
  | { readonly type: 'report'; readonly number: number; readonly report: Report };

/** The parts of a peer's locks that a report contains. */
export interface Inspected {
  readonly node: LiveNode;
  readonly transport: Transport;
  readonly queues: ReadonlyMap<string, LockQueue>;
  status(): LocksStatus;
  voters(): readonly NodeId[];
  /** The reason why the peer is granted no locks; `null` if it is granted locks. */
  problem(): string | null;
}

/** Answers the questions of other peers, and asks them. */
export class Inspection {
  private readonly channels: Channels;
  private readonly conversation: string;
  private asked = 0;
  /** The pending questions: what to do with an answer, and at the end of the locks. */
  private readonly open = new Map<number, { answer(from: NodeId, report: Report): void; end(): void }>();

  constructor(private readonly inspected: Inspected) {
    const { node, transport } = inspected;
    // Without the prefix of registers, whose names are chosen by the application.
    this.conversation = `inspect ${node.name}`;
    this.channels = Channels.of(transport);
    this.channels.open(this.conversation, { message: (from, message) => this.receive(from, message) });
    node.steps$.subscribe({
      complete: () => {
        this.channels.close(this.conversation);
        for (const { end } of this.open.values()) end();
      },
    });
  }

  /** Asks all linked peers, and resolves when all have answered or the time is over. */
  inspect(timeoutMs: number): Promise<LocksInspection> {
    const { node, transport } = this.inspected;
    const { clock } = node.environment;
    const number = ++this.asked;
    const began = clock.now();
    const answers = new Map<NodeId, Answer>([[node.id, { ...this.report(), roundTripMs: null }]]);
    const linked = (knowledgeAt(node)?.links ?? []).filter((peer) => transport.peers.has(peer));
    return new Promise((resolve) => {
      const timers = new Subscription();
      const end = () => {
        timers.unsubscribe();
        this.open.delete(number);
        resolve(this.result(answers, linked));
      };
      const answer = (from: NodeId, report: Report) => {
        if (!linked.includes(from)) return;
        answers.set(from, { ...report, roundTripMs: Math.max(0, Math.round(clock.now() - began)) });
        if (answers.size > linked.length) end();
      };
      this.open.set(number, { answer, end });
      later(timers, clock, end, timeoutMs);
      for (const peer of linked) this.send(peer, { type: 'inspect', number });
      if (linked.length === 0) end();
    });
  }

  private receive(from: NodeId, message: Message): void {
    if (!isOfShape(message, MESSAGES, this.inspected.node.instance)) return;
    const received = message as InspectionMessage;
    if (received.type === 'report') this.open.get(received.number)?.answer(from, received.report);
    else this.send(from, { type: 'report', number: received.number, report: this.report() });
  }

  /** A peer whose queue is full gets no question, or no answer, and is listed as silent. */
  private send(to: NodeId, message: InspectionMessage): void {
    try {
      this.channels.send(this.conversation, to, message);
    } catch {}
  }

  /** The report of this peer. It contains at most `USES_MAX` locks, those with the longest waits first. */
  private report(): Report {
    const { node, status, voters, problem } = this.inspected;
    const { state, epoch, leader, missing } = status();
    const all = [...this.ownUses(), ...this.usesOfClients()].sort((a, b) => (b.waitsMs ?? -1) - (a.waitsMs ?? -1));
    const uses = all.slice(0, USES_MAX);
    const votes = voters().includes(node.id);
    return { votes, state, epoch, leader, missing, problem: problem(), uses, omitted: all.length - uses.length };
  }

  private ownUses(): Use[] {
    const { node, queues } = this.inspected;
    const now = node.environment.clock.now();
    const since = (from: number | undefined) => (from === undefined ? null : Math.max(0, Math.round(now - from)));
    return [...queues].flatMap(([name, { fence = null, inside, pending, heldSince, waitingSince }]) => {
      if (fence === null && pending.length === 0) return [];
      const mode = inside[0] ?? 'exclusive';
      const [heldMs, waitsMs] = [since(heldSince), since(waitingSince)];
      return [{ name, peer: node.id, fence, mode, heldMs, callers: pending.length, waitsMs }];
    });
  }

  /** The locks of the clients that are attached to this voter. A client that answers for itself also knows for how long. */
  private usesOfClients(): Use[] {
    const { node } = this.inspected;
    const context = node.role(EPOCHS)?.context as Partial<EpochsContext> | undefined;
    return (context?.wants ?? []).flatMap(({ node: peer, lock: name }) => {
      if (peer === node.id) return [];
      const claim = claimOf(context as EpochsContext, name);
      const fence = claim?.user === peer ? claim.fence : null;
      return [{ name, peer, fence, mode: 'exclusive' as const, heldMs: null, callers: fence === null ? 1 : 0, waitsMs: null }];
    });
  }

  private result(answers: ReadonlyMap<NodeId, Answer>, linked: readonly NodeId[]): LocksInspection {
    const { node, transport, status, voters } = this.inspected;
    const { epoch, leader, changing } = status();
    const known = new Set([...voters(), ...answers.keys(), ...linked]);
    const peers = [...known].sort().map((id): InspectedPeer => {
      const answer = answers.get(id);
      if (answer) {
        const { uses: _, omitted: __, ...reported } = answer;
        return { id, ...reported };
      }
      const state = linked.includes(id) && transport.peers.has(id) ? 'silent' : 'missing';
      const problem = state === 'missing' ? absenceOf(transport, id) : null;
      return { id, votes: voters().includes(id), state, epoch: 0, leader: null, missing: [], roundTripMs: null, problem };
    });
    const omitted = [...answers.values()].reduce((sum, { omitted }) => sum + omitted, 0);
    const about = { name: node.name, peer: node.id, epoch, leader, voters: [...voters()] };
    return { ...about, ...(changing && { changing }), peers, locks: locksIn(answers, peers), omitted };
  }
}

/** All locks in the answers. The report of a client itself takes precedence over the report of its voter. */
function locksIn(answers: ReadonlyMap<NodeId, Answer>, peers: readonly InspectedPeer[]): InspectedLock[] {
  const uses = [...answers].flatMap(([from, { uses }]) => uses.filter(({ peer }) => peer === from || !answers.has(peer)));
  const byLock = new Map<string, Use[]>();
  for (const use of uses) byLock.set(use.name, [...(byLock.get(use.name) ?? []), use]);
  return [...byLock.keys()].sort().map((name) => {
    const ofLock = byLock.get(name)!;
    const holders = ofLock.flatMap(({ peer, fence, mode, heldMs }) =>
      fence === null ? [] : [{ peer, fence, mode, ms: heldMs }],
    );
    const waiting = ofLock
      .filter(({ callers }) => callers > 0)
      .map(({ peer, callers, waitsMs }) => ({ peer, callers, ms: waitsMs }))
      .sort((a, b) => (b.ms ?? -1) - (a.ms ?? -1));
    return { name, holders, waiting, problem: problemOf(holders, waiting, peers) };
  });
}

/** The reason why a lock is not granted: its holder does not answer, no holder is known, or a waiting peer is granted no locks at all. */
function problemOf(
  holders: InspectedLock['holders'],
  waiting: InspectedLock['waiting'],
  peers: readonly InspectedPeer[],
): string | null {
  if (waiting.length === 0) return null;
  const absent = peers.filter(({ state }) => state === 'silent' || state === 'missing').map(({ id }) => id);
  const silent = holders.find(({ peer }) => absent.includes(peer));
  if (silent) return `its holder ${silent.peer} does not answer`;
  const unserved = peers.find(({ id, problem }) => problem !== null && waiting.some(({ peer }) => peer === id));
  if (unserved) return `${unserved.id} is granted no locks`;
  return holders.length > 0 || absent.length === 0 ? null : `no peer that answers holds it; ${absent.join(', ')} did not answer`;
}
