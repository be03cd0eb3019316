/**
 * The conditions that every history must satisfy, for any kills, stalls, partitions and restarts. The judges of rehearsals read it; further
 * rules are functions of the history that return violations as text.
 *
 * Under bad links, two peers may both believe that they hold a lock: they have no common clock, and a disconnected holder is notified last.
 * During that time the judges check fencing tokens. Without disturbances, they check exclusion and that a holder keeps its lock.
 */
import { lockJudges, type RehearsalJudge, type Setting } from '../test/rehearsal/judges.js';
import { oneLeader, unique, withinBudget } from '../test/rehearsal/object-judges.js';
import { oneLogHistory } from '../testing/cluster-log.js';
import { aroundPhase, inOrder, lines, notes, type History, type HistoryLine } from './history.js';

export interface HistoryTerms {
  /** The initial peers. */
  readonly peers: readonly string[];
  /** Services that all peers depend on. */
  readonly services: readonly string[];
  readonly clients: readonly string[];
  /** The peers that remain at the end and must be served. */
  readonly audience: readonly string[];
  readonly isOfLeaders: boolean;
  /** The permits of the quota. */
  readonly budget: number;
  /** The maximum number of permits at each peer. */
  readonly share: number;
  /** True if the storage of peers outlives their processes. */
  readonly isStored: boolean;
  /** Time after its end during which a fault may still disturb peers, in milliseconds. */
  readonly recoveryMs: number;
}

type Rule = (history: History, terms: HistoryTerms) => string[];

export const violations = (history: History, terms: HistoryTerms): string[] => RULES.flatMap((rule) => rule(history, terms));

/** The maximum number of reported violations of one rule. */
const FINDINGS_MAX = 5;

function judged(judge: RehearsalJudge, history: History, { peers, services, clients, recoveryMs }: HistoryTerms): string[] {
  const setting: Setting = { scenario: { peers, services, clients }, recoveryMs, store: new Map(), history };
  const observer = judge.begin(setting);
  const found = inOrder(history).map((line) => observer.observe?.(line));
  const end = observer.end?.(history.at(-1)?.at ?? 0);
  return [...found, end].filter((description) => typeof description === 'string').slice(0, FINDINGS_MAX);
}

const locksHold: Rule = (history, terms) => lockJudges().flatMap((judge) => judged(judge, history, terms));
const namesOnce: Rule = (history, terms) => judged(unique('named', 'name'), history, terms);
const neverTooMany: Rule = (history, terms) => judged(withinBudget('took', 'n', terms.budget), history, terms);

const actorsHold: Rule = (history, terms) => judged(oneLogHistory(), history, terms);

/** Exactly one peer leads at the end, before all peers stop. */
const oneLeads: Rule = (history, terms) =>
  terms.isOfLeaders ? judged(oneLeader('leader', 0), aroundPhase(history, 'ended')[0], terms) : [];

/** Fences of one peer grow, also over restarts; readers that share a lock have the same fence. */
const fencesOfAPeerGrow: Rule = (history) => {
  const largest = new Map<string, number>();
  return lines(history, 'grant').flatMap(({ peer, lock, fence, mode }) => {
    const key = `${peer} ${lock as string}`;
    const before = largest.get(key) ?? -1;
    largest.set(key, Math.max(before, fence as number));
    return (fence as number) > before || (mode === 'shared' && fence === before)
      ? []
      : [`"${lock as string}" was granted to ${peer} with fence ${fence as number}, after fence ${before}`];
  });
};

/** After all peers were killed at once, each later fence is larger than all earlier ones. */
const fencesOutliveAll: Rule = (history) => {
  const at = history.findIndex(({ type }) => type === 'restarted');
  if (at < 0) return [];
  const largest = new Map<unknown, number>();
  for (const { lock, fence } of lines(history.slice(0, at), 'grant'))
    largest.set(lock, Math.max(fence as number, largest.get(lock) ?? -1));
  return lines(history.slice(at), 'grant')
    .filter(({ lock, fence }) => (fence as number) <= (largest.get(lock) ?? -1))
    .map(
      ({ peer, lock, fence }) =>
        `"${lock as string}" was granted to ${peer} with fence ${fence as number}, not above those before all were killed`,
    );
};

/** A peer is refused only if all permits are granted, except those that were lost with a process. */
const neverTooFew: Rule = (history, { budget, share }) => {
  const taken = notes(history, 'took').length;
  const waste = wasted(history, share);
  if (notes(history, 'refused').length === 0 || taken >= budget - waste) return [];
  return [`only ${taken} of ${budget} permits were given out, and ${waste} may be wasted`];
};

/**
 * The permits that a process loses when it ends: its share, the share and permit that it was fetching, and a permit that was not
 * written down. A fetch is also lost when its lock is.
 */
function wasted(history: History, share: number): number {
  const ended = lines(aroundPhase(history, 'ended')[0], 'end').length;
  return ended * (share + 1) + (ended + notes(history, 'interrupted').length) * (share + 1);
}

/** Each peer receives an answer to its requests after the last fault, or an error that no answer will come. */
const allPeersAreServed: Rule = (history, { audience }) => {
  const served = [...notes(aroundPhase(history, 'healed')[1], 'served'), ...notes(history, 'forgotten')];
  const received = new Set(served.map(({ peer }) => peer));
  return audience.filter((peer) => !received.has(peer)).map((peer) => `${peer} was not served after the last fault`);
};

const nothingForgotten: Rule = (history, { isStored }) =>
  isStored
    ? notes(history, 'forgotten').map(
        ({ peer }) => `${peer} was notified that too many have forgotten, although all have storage`,
      )
    : [];

const isFull = ({ type, fault }: HistoryLine, who: string): boolean => {
  const { what, who: whose } = (fault ?? {}) as { readonly what?: string; readonly who?: string };
  return type === 'fault' && what === 'full' && whose === who;
};

/** Only a peer with a failing disk ends with an error. */
const endsOfItsOwnDisk: Rule = (history) =>
  notes(history, 'unstored')
    .filter(({ peer }) => !history.some((line) => isFull(line, peer!)))
    .map(({ peer }) => `${peer} ended of its disk, which took everything`);

const RULES: readonly Rule[] = [
  locksHold,
  fencesOfAPeerGrow,
  fencesOutliveAll,
  neverTooMany,
  neverTooFew,
  namesOnce,
  actorsHold,
  oneLeads,
  allPeersAreServed,
  nothingForgotten,
  endsOfItsOwnDisk,
];
