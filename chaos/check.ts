/**
 * What a history must not show, whatever was killed, stopped, cut off or restarted meanwhile. Each rule is a function of the history
 * alone and answers with what breaks it, in words.
 *
 * While links are bad, two peers may believe at once that they hold a lock: there are no clocks, and the one that the others have gone
 * on without hears of it last. So the rules speak of fences there, and of time only once everybody has been served since the last fault.
 */
import { after, before, lines, type History, type HistoryLine } from './history.js';

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

type Grant = Extract<HistoryLine, { readonly fence: number }>;

/**
 * Grants with smaller fences than one before them, among those of one key; where these are of several peers, readers among them are
 * written down in any order.
 */
function falling(grants: readonly Grant[], key: (grant: Grant) => string, isOfOnePeer = true): string[] {
  const largest = new Map<string, { readonly all: number; readonly written: number }>();
  return grants.flatMap((grant) => {
    const { peer, lock, fence, mode } = grant;
    const { all, written } = largest.get(key(grant)) ?? { all: -Infinity, written: -Infinity };
    const before = isOfOnePeer || mode !== 'shared' ? all : written;
    largest.set(key(grant), { all: Math.max(all, fence), written: mode === 'shared' ? written : Math.max(written, fence) });
    return fence > before ? [] : [`lock "${lock}" was granted to ${peer} with fence ${fence}, after fence ${before}`];
  });
}

/**
 * Once the network is whole again a lock has one holder at a time, or several that read, and later grants have larger fences, whoever gets them. A machine so
 * busy that a peer is suspected for its slowness breaks the calm: then nothing is said.
 */
const calmLocks: Rule = (history) => {
  const calm = after(history, 'settled');
  if (lines(calm, 'lost', 'apart').length > 0) return [];
  const overlaps: string[] = [];
  const holders = new Map<string, Grant>();
  for (const line of lines(calm, 'granted', 'released')) {
    const { what, peer, lock, mode } = line;
    if (what === 'released') holders.delete(`${lock} ${peer}`);
    else {
      const other = [...holders.values()].find((held) => held.lock === lock && !(held.mode === 'shared' && mode === 'shared'));
      if (other) overlaps.push(`lock "${lock}" was granted to ${peer} while ${other.peer} held it`);
      holders.set(`${lock} ${peer}`, line);
    }
  }
  const late = falling(lines(calm, 'granted'), ({ lock }) => lock, false);
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
