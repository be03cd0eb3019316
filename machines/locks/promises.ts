/**
 * Conclusions from the promises of an epoch's members: whether it may begin, and which locks are kept. SPEC.md contains the rules by
 * number.
 */
import type { NodeId } from '../effects.js';
import { byName, isMajority, turnsOf } from './epoch.js';
import { listToBe, ownReport, promisedEpoch, type EpochsContext, type From, type In } from './knowledge.js';
import { areMajoritiesOf, isSameMembership, membershipAfter, votesInOneOf, type Membership } from './membership.js';
import type { Ballot, Beginning, Install, Kept, Prepare, Promised, Recorded } from './messages.js';

/** The state of a voter, as its promise reports it. */
export type PromiseReport = Omit<Promised, 'type' | 'epoch'> & { readonly node: NodeId };

const linkedIn = (reports: readonly PromiseReport[]) => (a: NodeId, b: NodeId) =>
  reports.find(({ node }) => node === a)!.links.includes(b) && reports.find(({ node }) => node === b)!.links.includes(a);

/** Rule 1: true if all members that replied reach each other. */
export function isClique(reports: readonly PromiseReport[]): boolean {
  const areLinked = linkedIn(reports);
  return reports.every(({ node }, i) => reports.slice(i + 1).every((other) => areLinked(node, other.node)));
}

/**
 * Rules 1 and 6: the members to name if not all that replied reach each other. These are the proposer, whose report comes first, and the
 * next ones in order that all reach each other and result in a majority; also of the proposed list, if that is possible (rule 9). `null` if
 * no majority results.
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

/**
 * Members in order of preference: those that would lose a lock, then those of the latest epoch that have not just joined, then by number of
 * links.
 */
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

/** Rule 6: the holders to wait for before this node names fewer members, which would exclude them. `null` if it can name no majority. */
export function leftOutByClique({ reports, membership, promised, cutOff }: EpochsContext): EpochsContext['missed'] {
  const named = cliqueOf(reports, membership, promised!.next);
  const judge = new Claims(reports, membership.voters);
  const isRobbed = (report: PromiseReport) =>
    !named!.includes(report.node) && !cutOff.includes(report.node) && judge.keepsAny(report);
  return named && { named, peers: reports.filter(isRobbed).map(({ node }) => node) };
}

/** Adds or replaces the report of a member; the proposer's own stays first. */
export function reportsAfter({ context: { reports } }: In<unknown>, promised: From<Promised>): Pick<EpochsContext, 'reports'> {
  const { from, type: _, epoch: __, ...report } = promised;
  const [own, ...others] = reports;
  const kept = others.filter(({ node }) => node !== from);
  return { reports: [own!, ...[...kept, { node: from, ...report }].sort((a, b) => byName(a.node, b.node))] };
}

export const remembers = ({ memory }: PromiseReport): boolean => memory === 'known' || memory === 'new';

/** Rule 4: how much the members that replied remember of earlier promises. */
export type Remembered =
  /** The voters that remember are a majority (a). */
  | 'enough'
  /**
   * Every node that could know more is present (b), or no present node has served (13), or the application has declared that there is
   * nothing to remember (c). A number above the floors is sufficient.
   */
  | 'none is missing'
  | 'too little';

/**
 * For the decided list and for a later one that may have been decided without the knowledge of these members (rule 9): the weaker result of
 * both.
 */
export function recallOf(reports: readonly PromiseReport[], membership: Membership): Remembered {
  const bound = boundOf(reports, membership);
  const each = [membership, ...(bound === null ? [] : [bound])].map(({ voters }) => recallOfList(reports, voters));
  return RECALLS.find((recall) => each.includes(recall))!;
}

const RECALLS = ['too little', 'none is missing', 'enough'] as const satisfies readonly Remembered[];

function recallOfList(reports: readonly PromiseReport[], voters: readonly NodeId[]): Remembered {
  const isOfAllPresent = voters.length === 0;
  const votes = isOfAllPresent ? reports : reports.filter(({ node }) => voters.includes(node));
  const known = votes.filter(remembers).length;
  const isFounded = votes.some(({ memory }) => memory === 'founding');
  if (isMajority(known, voters)) return 'enough';
  return isFounded || votes.length === voters.length ? 'none is missing' : 'too little';
}

export const floorOf = (reports: readonly PromiseReport[]): number => Math.max(...reports.map(({ floor }) => floor));

const isSame = (a: Ballot, b: Ballot): boolean => a.epoch === b.epoch && a.proposer === b.proposer;

/** Rule 5: the kept locks, sorted by name: the last writer of each, or all that have read since. */
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

/** Rule 11: moves a client's lock to the voter to which the client attached last. */
function moved(held: Kept, reports: readonly PromiseReport[]): Kept {
  const attachments = reports.flatMap(({ node, stranded }) =>
    stranded
      .filter(({ lock, fence, client }) => lock === held.lock && fence === held.fence && client === held.client)
      .map(({ number }) => ({ node, number })),
  );
  const last = attachments.toSorted((a, b) => a.number - b.number).at(-1);
  return last === undefined ? held : { ...held, node: last.node };
}

/** Rule 11: adds the attachment in which the client requested the lock. */
function asked(held: Kept, reports: readonly PromiseReport[]): Kept {
  if (held.client === undefined) return held;
  const isOfThis = ({ lock, fence, client }: Recorded) => lock === held.lock && fence === held.fence && client === held.client;
  const number = reports.flatMap(({ records }) => records.filter(isOfThis)).find((record) => record.number !== undefined)?.number;
  return number === undefined ? held : { ...held, number };
}

class Claims {
  /** The nodes that promised and know which epochs have begun. All other nodes are outside: nothing is known of them. */
  private readonly known: ReadonlySet<NodeId>;
  /** The largest epoch that any of these members has served. */
  private readonly latest: number;
  /** The locks that the latest epoch kept. */
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
   * Rule 4b: true if the latest epoch began after all nodes had forgotten, with a number above all earlier promises. All voters are
   * present, and each has served it or has promised it since its start, so none can have forgotten a later one. Tabs, which have no list,
   * have not forgotten anything: no id is used twice (rule 13).
   */
  private isOfAll(): boolean {
    const knows = (report: PromiseReport) => remembers(report) || report.pending.some(({ epoch }) => epoch === this.latest);
    return this.voters.every((voter) => this.reports.some((report) => report.node === voter && knows(report)));
  }

  /** True if the node serves the latest epoch, or has promised it and not received yet that it began. */
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

  /** Rule 11: the locks of clients whose voters are not present, each with the node that is to use it for the client. */
  recorded(): Kept[] {
    const outside = this.voters.filter((voter) => !this.known.has(voter));
    if (isMajority(outside.length, this.voters)) return [];
    const last = new Map<string, Recorded>();
    const all = this.reports.filter(({ served }) => served === this.latest).flatMap(({ records }) => records);
    for (const record of all) {
      const { fence = -1 } = last.get(record.lock) ?? {};
      if (record.fence > fence || (record.fence === fence && record.client === null)) last.set(record.lock, record);
    }
    /** Without a possible majority, the lock was never granted. */
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

  /** The voter for a client: the client tries voters in the same order. */
  private hostOf(client: NodeId): NodeId {
    const members = this.reports.map(({ node }) => node).sort(byName);
    const isLinked = (member: NodeId) => this.reports.some(({ node, links }) => node === member && links.includes(client));
    const inTurn = turnsOf(client, members);
    return inTurn.find(isLinked) ?? inTurn[0]!;
  }

  /**
   * True if a promised epoch may have begun: all members that it names may have promised it, and its proposer is not present to deny it.
   */
  private mayHaveBegun(ballot: Ballot): boolean {
    const mayHavePromised = (node: NodeId) =>
      !this.known.has(node) ||
      this.reports.some((report) => report.node === node && report.pending.some((other) => isSame(other, ballot)));
    return ballot.epoch > this.latest && !this.known.has(ballot.proposer) && ballot.members.every(mayHavePromised);
  }
}

const keyOf = ({ lock, node, fence }: Kept): string => JSON.stringify([lock, node, fence]);

/** Rules 2 and 3: the pending promises after this ballot is promised instead of the last, by a voter that has served `served`. */
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

/** Rule 2. The ballot that this node promises to a proposer. */
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

/**
 * Rule 9: the next proposal and its members, among the linked nodes. A list that may have been decided comes first, then the wanted one.
 */
export function proposalOf(c: EpochsContext): Pick<Ballot, 'members' | 'next'> {
  const within = c.clique ?? [...c.links, c.id].sort(byName);
  const next = nextOf(c, within);
  return { members: within.filter((node) => votesInOneOf(node, c.membership, next)), next };
}

function nextOf({ membership, bound, wanted, bounds }: EpochsContext, within: readonly NodeId[]): Membership {
  const next = bound ?? (wanted && membershipAfter(membership, wanted, bounds.bytes));
  return next !== null && areMajoritiesOf(within, membership, next) ? next : membership;
}

/** Rule 9: the list of an epoch that may have begun without the knowledge of these members; `null` for none. */
export function boundOf(reports: readonly PromiseReport[], { version, voters }: Membership): Membership | null {
  const later = new Claims(reports, voters).begun.filter(({ next }) => next.version > version);
  return later.sort((a, b) => a.epoch - b.epoch).at(-1)?.next ?? null;
}

/** Rule 9: true if the promises are enough for an epoch with respect to lists of voters. `recallOf` judges how much they must remember. */
export function isWithinLists(reports: readonly PromiseReport[], { membership, promised }: EpochsContext): boolean {
  const { members, next } = promised!;
  const bound = boundOf(reports, membership);
  return areMajoritiesOf(members, membership, next) && (bound === null || isSameMembership(bound, next));
}

/** The epoch in the message of its proposer. */
export const installedBy = ({ epoch, members, kept, membership }: Install): Beginning => ({ epoch, members, kept, membership });

/** Rules 5 and 9: the epoch that begins with these promises. A holder that it removes is a member of this one epoch. */
export function beginningOf({ promised, reports, membership }: EpochsContext, keep = keptOf): Beginning {
  const { epoch, members, next } = promised!;
  const kept = keep(reports, membership.voters);
  const stays = (node: NodeId) => votesInOneOf(node, next) || kept.some((held) => held.node === node);
  return { epoch, members: members.filter(stays), kept, membership: next };
}
