/** The faults of a round, drawn from its seed: which, of whom, when and for how long. All of them end by themselves. */
import { Random } from '../network/random.js';

export const SUBJECTS = ['locks', 'leaders', 'quota', 'names'] as const;
export type RoundSubject = (typeof SUBJECTS)[number];

/** A mesh has no broker: what would be a fault of it is none. */
export const BROKERS = ['hub', 'nats', 'mesh'] as const;
export type BrokerKind = (typeof BROKERS)[number];

export const PEERS: readonly string[] = ['a', 'b', 'c', 'd', 'e'];

interface Timed {
  readonly at: number;
  readonly forMs: number;
}

/** This side does not reach the others; unless it is mutual, the others reach it. */
export interface Cut extends Timed {
  readonly kind: 'cut';
  readonly side: readonly string[];
  readonly isMutual: boolean;
}

export type Fault =
  | Cut
  | (Timed & { readonly kind: 'kill' | 'stop'; readonly peer: string })
  | (Timed & { readonly kind: 'broker' })
  /** All peers are killed at once, and all are started again. */
  | (Timed & { readonly kind: 'all' });

export interface FaultPlan {
  readonly seed: number;
  readonly round: number;
  readonly subject: RoundSubject;
  readonly broker: BrokerKind;
  /** Whether peers have storage, which outlives their processes. */
  readonly isStored: boolean;
  readonly faults: readonly Fault[];
}

const FAULTS = { min: 2, max: 4 };
const BEGIN_MS_MAX = 1_000;
const LENGTH_MS = { min: 50, max: 900 };

export function plan(seed: number, round: number, brokers: readonly BrokerKind[]): FaultPlan {
  const random = new Random(seed, `chaos ${round}`);
  const faults = Array.from({ length: FAULTS.min + random.below(FAULTS.max - FAULTS.min + 1) }, () => fault(random));
  const subject = SUBJECTS[round % SUBJECTS.length]!;
  const isStored = random.chance(0.5);
  // What is given out without storage begins anew when all have forgotten, and says so: docs/locks.md.
  const forgets = !isStored && (subject === 'quota' || subject === 'names');
  if (!forgets && random.chance(0.5)) faults.push({ ...time(random), kind: 'all' });
  return {
    seed,
    round,
    subject,
    isStored,
    broker: brokers[Math.floor(round / SUBJECTS.length) % brokers.length]!,
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

export function inWords(fault: Fault): string {
  const when = `at ${fault.at} for ${fault.forMs} ms`;
  if (fault.kind === 'broker') return `kill -9 the broker, started again: ${when}`;
  if (fault.kind === 'all') return `kill -9 all peers at once, started again: ${when}`;
  if (fault.kind === 'cut') return `cut ${fault.side.join(', ')} off${fault.isMutual ? '' : ', one way'}: ${when}`;
  return `${fault.kind === 'kill' ? 'kill -9' : 'SIGSTOP'} ${fault.peer}${fault.kind === 'kill' ? ', started again' : ''}: ${when}`;
}
