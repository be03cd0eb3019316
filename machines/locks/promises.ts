/** What follows from the promises of an epoch's members: whether it may begin, and who keeps a lock. The rules by number: docs/locks.md. */
import type { NodeId } from '../effects.js';
import { byName, isMajority } from './epoch.js';
import type { Ballot, Held, Kept, Promised } from './messages.js';

/** Where a voter stands, as it says with its promise. */
export type PromiseReport = Omit<Promised, 'type' | 'epoch'> & { readonly node: NodeId };

const linkedIn = (reports: readonly PromiseReport[]) => (a: NodeId, b: NodeId) =>
  reports.find(({ node }) => node === a)!.links.includes(b) && reports.find(({ node }) => node === b)!.links.includes(a);

/** Rule 1: whether all who answered reach each other. */
export const isClique = (reports: readonly PromiseReport[]): boolean =>
  cliqueOf(reports[0]!.node, reports).length === reports.length;

/** Of those who answered, in their order, who is linked with all before them; the proposer first. */
export function cliqueOf(proposer: NodeId, reports: readonly PromiseReport[]): NodeId[] {
  const areLinked = linkedIn(reports);
  const members = [proposer];
  for (const { node } of reports) if (node !== proposer && members.every((member) => areLinked(node, member))) members.push(node);
  return members.sort(byName);
}

export const remembers = ({ memory }: PromiseReport): boolean => memory === 'known' || memory === 'new';

/** Rule 4: how much of what was promised before is remembered among those who answered. */
export type Recall =
  /** Whoever has forgotten is outvoted (a), or the application has said that there is nothing to remember (c). */
  | 'enough'
  /** Nobody is missing who could know more (b): a number above the floors will do. */
  | 'nobody is missing'
  | 'too little';

export function recallOf(reports: readonly PromiseReport[], voters: readonly NodeId[]): Recall {
  const known = reports.filter(remembers).length;
  if (isMajority(known, voters) || reports.some(({ memory }) => memory === 'founding')) return 'enough';
  return reports.length === voters.length ? 'nobody is missing' : 'too little';
}

export const floorOf = (reports: readonly PromiseReport[]): number => Math.max(...reports.map(({ floor }) => floor));

const isSame = (a: Ballot, b: Ballot): boolean => a.epoch === b.epoch && a.proposer === b.proposer;

/** Rule 5: the locks that stay with their users, by name. */
export function keptOf(reports: readonly PromiseReport[], voters: readonly NodeId[]): Kept[] {
  const judge = new Claims(reports, voters);
  const best = new Map<string, Kept>();
  for (const { node, using } of reports) {
    for (const held of using)
      if (held.fence > (best.get(held.lock)?.fence ?? -1) && judge.keeps(node, held)) best.set(held.lock, { ...held, node });
  }
  return [...best.values()].sort((a, b) => byName(a.lock, b.lock));
}

class Claims {
  /** Who did not promise, or has forgotten: of these nothing is known. */
  private readonly outside: ReadonlySet<NodeId>;
  /** The largest epoch that anybody here has served. */
  private readonly latest: number;
  /** What it kept. */
  private readonly kept: ReadonlySet<string>;
  /** Later epochs that may have begun outside. */
  private readonly begun: readonly Ballot[];

  constructor(
    private readonly reports: readonly PromiseReport[],
    private readonly voters: readonly NodeId[],
  ) {
    const known = new Set(reports.filter(remembers).map(({ node }) => node));
    this.outside = new Set(voters.filter((voter) => !known.has(voter)));
    this.latest = Math.max(...reports.map(({ served }) => served));
    this.kept = new Set(reports.filter(({ served }) => served === this.latest).flatMap(({ kept }) => kept.map(keyOf)));
    this.begun = reports.flatMap(({ pending }) => pending).filter((ballot) => this.mayHaveBegun(ballot));
  }

  keeps(node: NodeId, held: Held): boolean {
    const { served } = this.reports.find((report) => report.node === node)!;
    return (
      (served === this.latest || this.kept.has(keyOf({ ...held, node }))) && // 5a
      !isMajority(this.outside.size, this.voters) && // 5b
      this.begun.every(({ members }) => members.includes(node)) // 5c
    );
  }

  /** Of an epoch that somebody has promised: all whom it names may have promised it, and its proposer is not here to deny it. */
  private mayHaveBegun(ballot: Ballot): boolean {
    const mayHavePromised = (node: NodeId) =>
      this.outside.has(node) ||
      this.reports.some((report) => report.node === node && report.pending.some((other) => isSame(other, ballot)));
    return ballot.epoch > this.latest && this.outside.has(ballot.proposer) && ballot.members.every(mayHavePromised);
  }
}

const keyOf = ({ lock, node, fence }: Kept): string => JSON.stringify([lock, node, fence]);

/** Rules 2 and 3: what is pending once this ballot is promised in place of the last, by a voter that has served `served`. */
export function pendingAfter(
  pending: readonly Ballot[],
  last: Ballot | null,
  ballot: Ballot,
  { served, servedByProposer }: { readonly served: number; readonly servedByProposer: number },
): Ballot[] {
  const all = last === null || last.epoch <= served ? pending : [...pending.filter((other) => !isSame(other, last)), last];
  return all
    .filter(({ proposer, epoch }) => proposer !== ballot.proposer || epoch <= servedByProposer)
    .sort((a, b) => a.epoch - b.epoch || byName(a.proposer, b.proposer));
}
