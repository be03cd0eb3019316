/** The faults of a round, drawn from its seed: kind, target, start and duration. All of them end by themselves. */
import type { MembershipChange } from '../machines/locks/membership.js';
import { Random } from '../network/random.js';

/** Three of them use locks: with peers only, with membership changes, and with clients. */
export const SUBJECTS = ['locks', 'leaders', 'members', 'quota', 'clients', 'names', 'actors'] as const;
export type RoundSubject = (typeof SUBJECTS)[number];

/** A mesh has no broker, so faults of the broker do not exist there. */
export const BROKERS = ['hub', 'nats', 'mesh'] as const;
export type BrokerKind = (typeof BROKERS)[number];

export const PEERS: readonly string[] = ['a', 'b', 'c', 'd', 'e'];
/** The peer that may become a member. */
export const JOINER = 'f';
/** The first client stays from the beginning to the end, the others come and go. */
export const CLIENTS: readonly string[] = ['x', 'y', 'z'];

interface Timed {
  readonly at: number;
  readonly forMs: number;
}

/** This side does not reach the others. If it is mutual, the others do not reach it either. */
export interface CutFault extends Timed {
  readonly kind: 'cut';
  readonly side: readonly string[];
  readonly isMutual: boolean;
}

/** A disk that rejects writes, of a peer that is running or starting. */
export interface DiskFault extends Timed {
  readonly kind: 'disk';
  readonly peer: string;
  readonly how: 'full' | 'read-only';
  readonly isStarting: boolean;
}

/** Changes of the members, one after the other. */
export interface MemberChanges extends Timed {
  readonly kind: 'members';
  readonly changes: readonly MembershipChange[];
}

/** A client starts, and leaves or is killed. */
export interface Visit extends Timed {
  readonly kind: 'visit';
  readonly client: string;
  readonly isKilled: boolean;
}

export type Fault =
  | CutFault
  | DiskFault
  | MemberChanges
  | Visit
  | (Timed & { readonly kind: 'kill' | 'stop'; readonly peer: string })
  | (Timed & { readonly kind: 'broker' })
  /** The peer through which the first client is served is killed. */
  | (Timed & { readonly kind: 'host' })
  /** Each peer in turn is requested to end, and is restarted. */
  | (Timed & { readonly kind: 'roll' })
  /** All peers are killed at once, and restarted with this delay between them. */
  | (Timed & { readonly kind: 'all'; readonly spreadMs: number });

export interface FaultPlan {
  readonly seed: number;
  readonly round: number;
  readonly subject: RoundSubject;
  readonly broker: BrokerKind;
  /** True if peers have storage, which outlives their processes. */
  readonly isStored: boolean;
  /** When each peer starts. */
  readonly startsMs: readonly number[];
  readonly faults: readonly Fault[];
}

const FAULTS = { min: 2, max: 3 };
const BEGIN_MS_MAX = 1_000;
const LENGTH_MS = { min: 50, max: 900 };

export function plan(seed: number, round: number, brokers: readonly BrokerKind[]): FaultPlan {
  const random = new Random(seed, `chaos ${round}`);
  const subject = SUBJECTS[round % SUBJECTS.length]!;
  // Without storage an actor is refused, or starts again, once a majority has been killed: docs/cluster.md.
  const isStored = random.chance(0.5) || subject === 'actors';
  const faults = Array.from({ length: FAULTS.min + random.below(FAULTS.max - FAULTS.min + 1) }, () => fault(random));
  // Without storage, counting starts again when all peers have forgotten: docs/locks.md.
  const forgets = !isStored && (subject === 'quota' || subject === 'names');
  if (!forgets && random.chance(0.4)) faults.push({ ...time(random), kind: 'all', spreadMs: random.pick([0, 200]) });
  if (random.chance(0.3)) faults.push({ ...time(random), kind: 'roll' });
  if (isStored && random.chance(0.6)) faults.push(disk(random));
  if (subject === 'members') faults.push(membersChange(random, isStored ? [] : faults));
  if (subject === 'clients')
    faults.push({ ...time(random), kind: 'host' }, ...CLIENTS.slice(1).map((client) => visit(random, client)));
  return {
    seed,
    round,
    subject,
    isStored,
    broker: brokers[Math.floor(round / SUBJECTS.length) % brokers.length]!,
    startsMs: random.chance(0.5) ? PEERS.map(() => 0) : PEERS.map(() => random.below(BEGIN_MS_MAX)),
    faults: faults.sort((a, b) => a.at - b.at),
  };
}

const time = (random: Random): Timed => ({
  at: random.below(BEGIN_MS_MAX),
  forMs: LENGTH_MS.min + random.below(LENGTH_MS.max - LENGTH_MS.min),
});

function fault(random: Random): Fault {
  const when = time(random);
  const peer = random.pick(PEERS);
  switch (random.below(4)) {
    case 0:
      return { ...when, kind: 'kill', peer };
    case 1:
      return { ...when, kind: 'stop', peer };
    case 2:
      return { ...when, kind: 'broker' };
    default:
      return { ...when, kind: 'cut', side: random.shuffle(PEERS).slice(0, 1 + random.below(2)), isMutual: random.chance(0.7) };
  }
}

const disk = (random: Random): DiskFault => ({
  ...time(random),
  kind: 'disk',
  peer: random.pick(PEERS),
  how: random.pick(['full', 'read-only']),
  isStarting: random.chance(0.5),
});

const visit = (random: Random, client: string): Visit => ({
  ...time(random),
  kind: 'visit',
  client,
  isKilled: random.chance(0.5),
});

/** Without storage the voters are unknown when all are killed after a change (docs/locks.md), so they are killed before it. */
function membersChange(random: Random, others: readonly Fault[]): MemberChanges {
  const { at, forMs } = time(random);
  const ends = others.filter(({ kind }) => kind === 'all').map(({ at }) => at);
  return { at: Math.max(at, ...ends), forMs, kind: 'members', changes: changes(random) };
}

function changes(random: Random): readonly MembershipChange[] {
  const [old, other] = random.shuffle(PEERS) as [string, string];
  const [added, removed, replaced] = [
    { add: JOINER, remove: null },
    { add: null, remove: old },
    { add: JOINER, remove: old },
  ];
  return random.pick([[added, removed], [replaced, { add: null, remove: other }], [removed, added], [added], [replaced]]);
}

const changeInWords = ({ add, remove }: MembershipChange): string =>
  add === null ? `remove ${remove}` : remove === null ? `add ${add}` : `replace ${remove} by ${add}`;

function whatInWords(fault: Fault): string {
  switch (fault.kind) {
    case 'kill':
      return `kill -9 ${fault.peer}, started again`;
    case 'stop':
      return `SIGSTOP ${fault.peer}`;
    case 'broker':
      return 'kill -9 the broker, started again';
    case 'host':
      return `kill -9 the peer that serves ${CLIENTS[0]}, started again`;
    case 'roll':
      return 'each peer in turn is asked to end, and started again';
    case 'all':
      return `kill -9 all peers at once, started again ${fault.spreadMs} ms after each other`;
    case 'cut':
      return `cut ${fault.side.join(', ')} off${fault.isMutual ? '' : ', one way'}`;
    case 'disk':
      return `the disk of ${fault.peer} is ${fault.how}${fault.isStarting ? ' as it starts again' : ''}`;
    case 'members':
      return fault.changes.map(changeInWords).join(', ');
    case 'visit':
      return `client ${fault.client} comes, and ${fault.isKilled ? 'is killed' : 'goes'}`;
  }
}

export const inWords = (fault: Fault): string => `${whatInWords(fault)}: at ${fault.at} for ${fault.forMs} ms`;
