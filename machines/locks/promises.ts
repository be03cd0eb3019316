/** What follows from the promises of an epoch's members: whether it may begin, and who keeps a lock. The rules by number: SPEC.md. */
import type { NodeId } from '../effects.js';
import { byName, isMajority, turnsOf } from './epoch.js';
import { listToBe, ownReport, promisedEpoch, type EpochsContext, type From, type In } from './knowledge.js';
import { areMajoritiesOf, isSameMembership, membershipAfter, votesInOneOf, type Membership } from './membership.js';
import type { Ballot, Beginning, Install, Kept, Prepare, Promised, Recorded } from './messages.js';

/** Where a voter stands, as it says with its promise. */
export type PromiseReport = Omit<Promised, 'type' | 'epoch'> & { readonly node: NodeId };

const linkedIn = (reports: readonly PromiseReport[]) => (a: NodeId, b: NodeId) =>
  reports.find(({ node }) => node === a)!.links.includes(b) && reports.find(({ node }) => node === b)!.links.includes(a);

/** Rule 1: whether all who answered reach each other. */
export function isClique(reports: readonly PromiseReport[]): boolean {
  const areLinked = linkedIn(reports);
  return reports.every(({ node }, i) => reports.slice(i + 1).every((other) => areLinked(node, other.node)));
}

/**
 * Rules 1 and 6: of those who answered, whom to name where not all of them reach each other: the proposer, whose report comes first, and whoever
 * comes next in turn, as long as all reach each other and are a majority in the end; of the list that is proposed as well, where that can be
 * (rule 9). `null` where no majority is.
 */
export function cliqueOf(reports: readonly PromiseReport[], membership: Membership, next: Membership): NodeId[] | null {
  const areLinked = linkedIn(reports);
  const proposer = reports[0]!.node;
  const others = inTurn(reports, membership.voters).filter((node) => node !== proposer && areLinked(node, proposer));
  const cliqueWith = (named: readonly NodeId[], others: readonly NodeId[], list: Membership): readonly NodeId[] | null => {
    if (!areMajoritiesOf([...named, ...others], membership, list)) return null;
    const [first, ...later] = others;
    if (first === undefined) return named;
    const withFirst = later.filter((node) => areLinked(node, first));
    return cliqueWith([...named, first], withFirst, list) ?? cliqueWith(named, later, list);
  };
  const clique = cliqueWith([proposer], others, next) ?? cliqueWith([proposer], others, membership);
  return clique?.toSorted(byName) ?? null;
}

/** First whoever would lose a lock, then whoever is of the latest epoch and has not just come, then whoever is linked with most. */
function inTurn(reports: readonly PromiseReport[], voters: readonly NodeId[]): NodeId[] {
  const judge = new Claims(reports, voters);
  const ranked = reports.map((report) => {
    const { node, links } = report;
    return { node, keeps: Number(judge.keepsAny(report)), isOfLatest: Number(judge.isOfLatest(report)), links: links.length };
  });
  return ranked
    .sort((a, b) => b.keeps - a.keeps || b.isOfLatest - a.isOfLatest || b.links - a.links || byName(a.node, b.node))
    .map(({ node }) => node);
}

/** Rule 6: whom this node has to wait for before it names fewer: users who would be left out. `null` where it can name no majority. */
export function leftOutByClique({ reports, membership, promised, cutOff }: EpochsContext): EpochsContext['missed'] {
  const named = cliqueOf(reports, membership, promised!.next);
  const judge = new Claims(reports, membership.voters);
  const isRobbed = (report: PromiseReport) =>
    !named!.includes(report.node) && !cutOff.includes(report.node) && judge.keepsAny(report);
  return named && { named, peers: reports.filter(isRobbed).map(({ node }) => node) };
}

/** With the report of who promises now, the proposer's own first. */
export function reportsAfter({ context: { reports } }: In<unknown>, promised: From<Promised>): Pick<EpochsContext, 'reports'> {
  const { from, type: _, epoch: __, ...report } = promised;
  const [own, ...others] = reports;
  const kept = others.filter(({ node }) => node !== from);
  return { reports: [own!, ...[...kept, { node: from, ...report }].sort((a, b) => byName(a.node, b.node))] };
}

export const remembers = ({ memory }: PromiseReport): boolean => memory === 'known' || memory === 'new';

/** Rule 4: how much of what was promised before is remembered among those who answered. */
export type Remembered =
  /** Whoever has forgotten is outvoted (a). */
  | 'enough'
  /**
   * Nobody is missing who could know more (b), or nobody of those who are there has served (13), or the application has said that there is
   * nothing to remember (c): a number above the floors will do.
   */
  | 'nobody is missing'
  | 'too little';

/** Of the decided list, and of a later one that may be decided unknown to all who answered (rule 9): of both. */
export function recallOf(reports: readonly PromiseReport[], membership: Membership): Remembered {
  const bound = boundOf(reports, membership);
  const each = [membership, ...(bound === null ? [] : [bound])].map(({ voters }) => recallOfList(reports, voters));
  return RECALLS.find((recall) => each.includes(recall))!;
}

const RECALLS = ['too little', 'nobody is missing', 'enough'] as const satisfies readonly Remembered[];

function recallOfList(reports: readonly PromiseReport[], voters: readonly NodeId[]): Remembered {
  const isOfAllPresent = voters.length === 0;
  const votes = isOfAllPresent ? reports : reports.filter(({ node }) => voters.includes(node));
  const known = votes.filter(remembers).length;
  const isFounded = votes.some(({ memory }) => memory === 'founding');
  if (isMajority(known, voters)) return 'enough';
  return isFounded || votes.length === voters.length ? 'nobody is missing' : 'too little';
}

export const floorOf = (reports: readonly PromiseReport[]): number => Math.max(...reports.map(({ floor }) => floor));

const isSame = (a: Ballot, b: Ballot): boolean => a.epoch === b.epoch && a.proposer === b.proposer;

/** Rule 5: the locks that stay with their users, by name: with the last writer, or with all who have read since. */
export function keptOf(reports: readonly PromiseReport[], voters: readonly NodeId[]): Kept[] {
  const judge = new Claims(reports, voters);
  const all = [...reports.flatMap((report) => usedAt(report).filter((held) => judge.keeps(held))), ...judge.recorded()];
  const writers = new Map<string, Kept>();
  const isLater = ({ lock, fence }: Kept) => fence > (writers.get(lock)?.fence ?? -1);
  for (const held of all) if (held.mode !== 'shared' && isLater(held)) writers.set(held.lock, held);
  const readers = all.filter((held) => held.mode === 'shared' && isLater(held));
  for (const { lock } of readers) writers.delete(lock);
  const kept = [...readers, ...[...writers.values()].map((held) => asked(moved(held, reports), reports))];
  return kept.sort((a, b) => byName(a.lock, b.lock) || byName(a.node, b.node));
}

const usedAt = ({ node, using }: PromiseReport): Kept[] => using.map((held) => ({ ...held, node }));

/** Rule 11: a client has moved to the voter to which it has attached itself last. */
function moved(held: Kept, reports: readonly PromiseReport[]): Kept {
  const words = reports.flatMap(({ node, stranded }) =>
    stranded
      .filter(({ lock, fence, client }) => lock === held.lock && fence === held.fence && client === held.client)
      .map(({ number }) => ({ node, number })),
  );
  const last = words.toSorted((a, b) => a.number - b.number).at(-1);
  return last === undefined ? held : { ...held, node: last.node };
}

/** Rule 11: of a client's lock, the attachment in which the client asked for it. */
function asked(held: Kept, reports: readonly PromiseReport[]): Kept {
  if (held.client === undefined) return held;
  const isOfThis = ({ lock, fence, client }: Recorded) => lock === held.lock && fence === held.fence && client === held.client;
  const number = reports.flatMap(({ records }) => records.filter(isOfThis)).find((record) => record.number !== undefined)?.number;
  return number === undefined ? held : { ...held, number };
}

class Claims {
  /** Who promised and knows what has begun: of all others, outside, nothing is known. */
  private readonly known: ReadonlySet<NodeId>;
  /** The largest epoch that anybody here has served. */
  private readonly latest: number;
  /** What it kept. */
  private readonly kept: ReadonlySet<string>;
  /** Later epochs that may have begun outside. */
  readonly begun: readonly Ballot[];

  constructor(
    private readonly reports: readonly PromiseReport[],
    private readonly voters: readonly NodeId[],
  ) {
    this.latest = Math.max(...reports.map(({ served }) => served));
    this.known = new Set(reports.filter((report) => remembers(report) || this.isOfAll()).map(({ node }) => node));
    this.kept = new Set(reports.filter(({ served }) => served === this.latest).flatMap(({ kept }) => kept.map(keyOf)));
    this.begun = reports.flatMap(({ pending }) => pending).filter((ballot) => this.mayHaveBegun(ballot));
  }

  /**
   * Rule 4b: the latest epoch began as everybody had forgotten, above whatever was promised before. All are here, and who has not
   * served it has promised it since it started: nobody can have forgotten a later one. Of tabs, who are not listed, nobody has
   * forgotten anything: no id is used twice (rule 13).
   */
  private isOfAll(): boolean {
    const knows = (report: PromiseReport) => remembers(report) || report.pending.some(({ epoch }) => epoch === this.latest);
    return this.voters.every((voter) => this.reports.some((report) => report.node === voter && knows(report)));
  }

  /** It serves the latest epoch, or has promised it and not heard yet that it began. */
  isOfLatest({ served, pending }: PromiseReport): boolean {
    return served === this.latest || pending.some(({ epoch }) => epoch === this.latest);
  }

  keepsAny(report: PromiseReport): boolean {
    return usedAt(report).some((held) => this.keeps(held));
  }

  keeps(held: Kept): boolean {
    const { node } = held;
    const { served } = this.reports.find((report) => report.node === node)!;
    const outside = this.voters.filter((voter) => !this.known.has(voter));
    return (
      (served === this.latest || this.kept.has(keyOf(held))) && // 5a
      !isMajority(outside.length, this.voters) && // 5b
      this.begun.every(({ members }) => members.includes(node)) // 5c
    );
  }

  /** Rule 11: what clients hold whose voters are not here, and who is to use it for them. */
  recorded(): Kept[] {
    const outside = this.voters.filter((voter) => !this.known.has(voter));
    if (isMajority(outside.length, this.voters)) return [];
    const last = new Map<string, Recorded>();
    const all = this.reports.filter(({ served }) => served === this.latest).flatMap(({ records }) => records);
    for (const record of all) {
      const { fence = -1 } = last.get(record.lock) ?? {};
      if (record.fence > fence || (record.fence === fence && record.client === null)) last.set(record.lock, record);
    }
    /** Otherwise it was never granted. */
    const mayBeMajority = ({ lock, fence, client }: Recorded) => {
      const by = this.reports.filter(
        ({ node, records }) =>
          this.voters.includes(node) &&
          records.some((other) => other.lock === lock && other.fence === fence && other.client === client),
      );
      return isMajority(by.length + outside.length, this.voters);
    };
    return [...last.values()].flatMap(({ lock, fence, client }) =>
      client === null || !mayBeMajority({ lock, fence, client }) ? [] : [{ lock, fence, client, node: this.hostOf(client) }],
    );
  }

  /** The client looks for voters in the same order. */
  private hostOf(client: NodeId): NodeId {
    const members = this.reports.map(({ node }) => node).sort(byName);
    const isLinked = (member: NodeId) => this.reports.some(({ node, links }) => node === member && links.includes(client));
    const inTurn = turnsOf(client, members);
    return inTurn.find(isLinked) ?? inTurn[0]!;
  }

  /** Of an epoch that somebody has promised: all whom it names may have promised it, and its proposer is not here to deny it. */
  private mayHaveBegun(ballot: Ballot): boolean {
    const mayHavePromised = (node: NodeId) =>
      !this.known.has(node) ||
      this.reports.some((report) => report.node === node && report.pending.some((other) => isSame(other, ballot)));
    return ballot.epoch > this.latest && !this.known.has(ballot.proposer) && ballot.members.every(mayHavePromised);
  }
}

const keyOf = ({ lock, node, fence }: Kept): string => JSON.stringify([lock, node, fence]);

/** Rules 2 and 3: what is pending once this ballot is promised instead of the last, by a voter that has served `served`. */
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

/** Rule 2: the ballot of a proposal, promised. */
export function promisedTo({ context }: In<unknown>, prepare: From<Prepare>): Pick<EpochsContext, 'promised' | 'pending'> {
  const { epoch, members, next, served: servedByProposer, from } = prepare;
  const ballot = { epoch, proposer: from, members, next };
  const own = { served: context.served.epoch, servedByProposer };
  return { promised: ballot, pending: pendingAfter(context.pending, context.promised, ballot, own) };
}

/** Rules 1 and 3: the next ballot of this node, which promises it first. */
export function proposed(known: EpochsContext): Pick<EpochsContext, 'promised' | 'pending' | 'clique' | 'reports' | 'early'> {
  const context = { ...known, membership: listToBe(known) };
  const { id, served, pending, promised, above } = context;
  const ballot = { epoch: Math.max(promisedEpoch(context), above) + 1, proposer: id, ...proposalOf(context) };
  const proposal = {
    promised: ballot,
    pending: pendingAfter(pending, promised, ballot, { served: served.epoch, servedByProposer: served.epoch }),
    clique: null,
    early: [],
  };
  return { ...proposal, reports: [ownReport({ ...context, ...proposal })] };
}

/** Rule 9: what is proposed next, and who is asked, of those within reach: first what may have been decided already, then what is wanted. */
export function proposalOf(c: EpochsContext): Pick<Ballot, 'members' | 'next'> {
  const within = c.clique ?? [...c.links, c.id].sort(byName);
  const next = nextOf(c, within);
  return { members: within.filter((node) => votesInOneOf(node, c.membership, next)), next };
}

function nextOf({ membership, bound, wanted, bounds }: EpochsContext, within: readonly NodeId[]): Membership {
  const next = bound ?? (wanted && membershipAfter(membership, wanted, bounds.bytes));
  return next !== null && areMajoritiesOf(within, membership, next) ? next : membership;
}

/** Rule 9: the list of voters that an epoch has brought that may have begun, unknown to all who answered; `null` for none. */
export function boundOf(reports: readonly PromiseReport[], { version, voters }: Membership): Membership | null {
  const later = new Claims(reports, voters).begun.filter(({ next }) => next.version > version);
  return later.sort((a, b) => a.epoch - b.epoch).at(-1)?.next ?? null;
}

/** Rule 9: whether an epoch may begin by these promises, as far as lists of voters go; `recallOf` says how much they must remember. */
export function isWithinLists(reports: readonly PromiseReport[], { membership, promised }: EpochsContext): boolean {
  const { members, next } = promised!;
  const bound = boundOf(reports, membership);
  return areMajoritiesOf(members, membership, next) && (bound === null || isSameMembership(bound, next));
}

/** As its proposer tells it. */
export const installedBy = ({ epoch, members, kept, membership }: Install): Beginning => ({ epoch, members, kept, membership });

/** Rules 5 and 9: the epoch that begins by these promises. A user whom it removes is a member of this one epoch. */
export function beginningOf({ promised, reports, membership }: EpochsContext, keep = keptOf): Beginning {
  const { epoch, members, next } = promised!;
  const kept = keep(reports, membership.voters);
  const stays = (node: NodeId) => votesInOneOf(node, next) || kept.some((held) => held.node === node);
  return { epoch, members: members.filter(stays), kept, membership: next };
}
