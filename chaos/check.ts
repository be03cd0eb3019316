/**
 * What a history must not show, whatever was killed, stopped, cut off or restarted meanwhile. Each rule is a function of the history
 * alone and answers with what breaks it, in words.
 *
 * While links are bad, two peers may believe at once that they hold a lock: there are no clocks, and the one that the others have gone
 * on without hears of it last. So the rules speak of fences there, and of time only once everybody has been served since the last fault.
 */
import { after, before, lines, type History, type LineOf } from './history.js';

export interface HistoryTerms {
  readonly peers: readonly string[];
  /** Of the quota. */
  readonly budget: number;
  /** How many permits may lie at each peer. */
  readonly share: number;
  /** Whether what peers keep outlives their processes. */
  readonly isStored: boolean;
}

type Rule = (history: History, terms: HistoryTerms) => string[];

export const violations = (history: History, terms: HistoryTerms): string[] => RULES.flatMap((rule) => rule(history, terms));

/** What comes more than once. */
function repeated<T>(values: readonly T[], key: (value: T) => string): T[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.size === seen.add(key(value)).size);
}

const oneHolderOfAFence: Rule = (history) =>
  repeated(lines(history, 'granted'), ({ lock, fence }) => `${lock} ${fence}`).map(
    ({ peer, lock, fence }) => `lock "${lock}" was granted to ${peer} with fence ${fence}, which somebody had before`,
  );

const fencesGrow: Rule = (history) => falling(lines(history, 'granted'), ({ peer, lock }) => `${peer} ${lock}`);

/** When all have been killed at once, what is granted afterwards is above what was before, whoever gets it. */
const fencesOutliveAll: Rule = (history) => {
  const at = history.findIndex(({ what }) => what === 'restarted');
  if (at < 0) return [];
  const largest = new Map<string, number>();
  for (const { lock, fence } of lines(history.slice(0, at), 'granted'))
    largest.set(lock, Math.max(fence, largest.get(lock) ?? -Infinity));
  return lines(history.slice(at), 'granted')
    .filter(({ lock, fence }) => fence <= (largest.get(lock) ?? -Infinity))
    .map(
      ({ peer, lock, fence }) =>
        `lock "${lock}" was granted to ${peer} with fence ${fence}, not above those before all were killed`,
    );
};

type Grant = LineOf<'granted'>;

/** Grants with smaller fences than one before them, among those of one key. */
function falling(grants: readonly Grant[], key: (grant: Grant) => string): string[] {
  const largest = new Map<string, number>();
  return grants.flatMap((grant) => {
    const { peer, lock, fence } = grant;
    const before = largest.get(key(grant)) ?? -Infinity;
    largest.set(key(grant), Math.max(before, fence));
    return fence > before ? [] : [`lock "${lock}" was granted to ${peer} with fence ${fence}, after fence ${before}`];
  });
}

/**
 * Once the network is whole again a lock has one holder at a time, and later grants have larger fences, whoever gets them. A machine so
 * busy that a peer is suspected for its slowness breaks the calm: then nothing is said.
 */
const calmLocks: Rule = (history) => {
  const calm = after(history, 'settled');
  if (lines(calm, 'lost', 'apart').length > 0) return [];
  const overlaps: string[] = [];
  const holders = new Map<string, string>();
  for (const { what, peer, lock } of lines(calm, 'granted', 'released')) {
    const holder = holders.get(lock);
    if (what === 'released') holders.delete(lock);
    else holders.set(lock, peer);
    if (what === 'granted' && holder !== undefined)
      overlaps.push(`lock "${lock}" was granted to ${peer} while ${holder} held it`);
  }
  const late = falling(lines(calm, 'granted'), ({ lock }) => lock);
  return [...overlaps, ...late];
};

const neverTooMany: Rule = (history, { budget }) => {
  const taken = lines(history, 'taken').length;
  return taken > budget ? [`${taken} permits were given out of ${budget}`] : [];
};

/** Who is refused is told that all is given out: so it must be, but for what went with those who went. */
const neverTooFew: Rule = (history, { budget, share }) => {
  const taken = lines(history, 'taken').length;
  const waste = wasted(history, share);
  if (lines(history, 'refused').length === 0 || taken >= budget - waste) return [];
  return [`only ${taken} of ${budget} permits were given out, and ${waste} may be wasted`];
};

/**
 * A killed process takes along its share, what it was just fetching (a share and the permit that it was asked for), and a permit not
 * written down; what was being fetched is also lost when the lock under it is.
 */
function wasted(history: History, share: number): number {
  const started = lines(history, 'started');
  const killed = started.length - new Set(started.map(({ peer }) => peer)).size;
  return killed * (share + 1) + (killed + lines(history, 'interrupted').length) * (share + 1);
}

const namesOnce: Rule = (history) =>
  repeated(lines(history, 'named'), ({ name }) => String(name)).map(
    ({ peer, name }) => `${peer} was given the name ${name}, which somebody had before`,
  );

const oneLeader: Rule = (history, { peers }) => {
  const follows = lines(before(history, 'ended'), 'follows');
  if (follows.length === 0) return [];
  const leaders = new Map(follows.map(({ peer, leader }) => [peer, leader]));
  const named = new Set(peers.map((peer) => leaders.get(peer) ?? 'nobody'));
  return named.size === 1 && !named.has('nobody') ? [] : [`in the end the peers follow ${[...named].join(' and ')}`];
};

/** An answer of any kind to what was asked after the last fault, or word that there will never be one. */
const everybodyIsServed: Rule = (history, { peers }) => {
  const told = [...lines(after(history, 'healed'), 'served'), ...lines(history, 'forgotten')];
  const heard = new Set(told.map(({ peer }) => peer));
  return peers.filter((peer) => !heard.has(peer)).map((peer) => `${peer} was not served after the last fault`);
};

const nothingForgotten: Rule = (history, { isStored }) =>
  isStored
    ? lines(history, 'forgotten').map(({ peer }) => `${peer} was told that too many have forgotten, and all have storage`)
    : [];

const nothingFailed: Rule = (history) => lines(history, 'failed').map(({ peer, error }) => `${peer} failed: ${error}`);

const RULES: readonly Rule[] = [
  oneHolderOfAFence,
  fencesGrow,
  fencesOutliveAll,
  calmLocks,
  neverTooMany,
  neverTooFew,
  namesOnce,
  oneLeader,
  everybodyIsServed,
  nothingForgotten,
  nothingFailed,
];
