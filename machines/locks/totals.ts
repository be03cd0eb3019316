/**
 * The counts on which the properties of locks depend: grants by lock and fence, tokens by lock and epoch. For each epoch they
 * contain the nodes that serve it, with their members and their list of voters.
 */
import { Multiset } from '../multiset.js';
import type { NodeId } from '../effects.js';
import { Places } from '../places.js';
import type { Fold, Totals } from '../folded.js';
import type { NodeView } from '../protocol.js';
import { isBeyond } from './epoch.js';
import type { Claim, EpochsContext } from './knowledge.js';
import { isMajorityOf, isOfAllPresent, type Membership } from './membership.js';
import { lockLabelOf, type Beginning, type LocksMessage } from './messages.js';
import type { LocksProtocolOptions } from './options.js';
import { epochsOf, isClient, isHolding, servingOf, usesAt } from './view.js';

interface NodeFact {
  readonly id: NodeId;
  /** The lock and the fence of each grant of the node's application. */
  readonly grants: readonly string[];
  /** The epoch and the lock of each token at the node. */
  readonly tokens: readonly string[];
  readonly served: Beginning | null;
  /** True if the node serves an epoch without a majority of its voters. */
  readonly isAlone: boolean;
  /** The version of the node's membership with its cluster, and the list; `null` at a client. */
  readonly list: readonly [version: string, list: string] | null;
  /** True if a fence does not belong to its epoch, too many locks were opened, or too many early messages are kept. */
  readonly isOutOfBounds: boolean;
}

/** The epoch and the lock of a token; `null` for any other message. */
type FlightFact = string | null;

const keyOf = (...parts: readonly unknown[]): string => JSON.stringify(parts);

export const locksFold: Fold<LocksProtocolOptions, LocksTotals, LocksMessage> = {
  node: (view, id) => {
    const served = servingOf(view);
    return {
      id,
      grants: usesAt(view, id).map(({ lock, fence }) => keyOf(lock, fence)),
      tokens: tokensAt(view),
      served,
      isAlone: served !== null && !(comparedOf(served).isOfMajority && served.members.includes(id)),
      list: isClient(view) ? null : listOf(epochsOf(view).context.membership),
      isOutOfBounds: !isClient(view) && !isWithinBounds(view),
    };
  },
  flight: ({ message }) => (message.type === 'token' ? keyOf(message.epoch, message.lock) : null),
  totals: () => new LocksTotals(),
};

const listOf = ({ origin, version, voters }: Membership) => [keyOf(origin, version), keyOf(...voters)] as const;

function tokensAt(view: NodeView): string[] {
  const tokens: string[] = [];
  for (const name in view) {
    const label = lockLabelOf(name);
    if (!label) continue;
    const { value, context } = view[name]!;
    if (context.parent !== undefined && isHolding(value)) tokens.push(keyOf(label.epoch, label.lock));
  }
  return tokens;
}

function isWithinBounds(view: NodeView): boolean {
  const { served, promised, claims, opened, bounds, early } = epochsOf(view).context;
  const isNumbered = ({ fence }: Claim) => fence === null || !isBeyond(fence, served.epoch, bounds.grants);
  const isForPromised = early.every(({ epoch }) => epoch === promised?.epoch);
  return (
    claims.every(isNumbered) && opened <= bounds.locks && isForPromised && new Set(early.map(subjectOf)).size === early.length
  );
}

/** The subject of an early message: its type, its lock, and its sender or the producer of its request. */
function subjectOf(message: EpochsContext['early'][number]): string {
  const { type, from, lock } = message;
  return keyOf(type, message.type === 'find' ? message.producer : from, lock);
}

/** The compared parts of a beginning, computed once. */
interface Compared {
  /** The epoch with its members. */
  readonly group: string;
  readonly whole: string;
  readonly isOfMajority: boolean;
}

const compared = new WeakMap<Beginning, Compared>();

function comparedOf(beginning: Beginning): Compared {
  let known = compared.get(beginning);
  if (!known) {
    const { epoch, members, kept, membership } = beginning;
    const isOfMajority = isMajorityOf(members, membership);
    known = { group: keyOf(epoch, members), whole: keyOf(members, kept, membership), isOfMajority };
    compared.set(beginning, known);
  }
  return known;
}

export class LocksTotals implements Totals<NodeFact, FlightFact> {
  readonly grants = new Multiset<string>();
  readonly tokens = new Multiset<string>();
  alone = 0;
  outOfBounds = 0;
  /** Epochs whose serving nodes know different beginnings. */
  disputed = 0;
  /** Versions of the membership that are different lists at different nodes. */
  differing = 0;
  private readonly minorities = new Places(isMinority);
  private readonly beginnings = new Map<number, Multiset<string>>();
  private readonly lists = new Map<string, Multiset<string>>();
  /** The nodes that serve the same epoch with the same members. */
  private readonly groups = new Map<string, Map<NodeId, Beginning>>();
  private readonly serving = new Map<NodeId, Beginning>();

  /** Epochs that are served by a majority of their voters. */
  get majorities(): number {
    return this.minorities.exceptions;
  }

  node({ id, grants, tokens, served, isAlone, list, isOutOfBounds }: NodeFact, by: 1 | -1): void {
    for (const grant of grants) this.grants.add(grant, by);
    for (const token of tokens) this.tokens.add(token, by);
    if (isAlone) this.alone += by;
    if (isOutOfBounds) this.outOfBounds += by;
    if (list) this.differing += changeOfDispute(this.lists, ...list, by);
    if (by === 1) this.serve(id, served);
  }

  flight(fact: FlightFact, by: 1 | -1): void {
    if (fact !== null) this.tokens.add(fact, by);
  }

  private serve(id: NodeId, now: Beginning | null): void {
    const before = this.serving.get(id) ?? null;
    if (before === now) return;
    if (before) this.leave(id, before);
    if (now) this.join(id, now);
  }

  private join(id: NodeId, beginning: Beginning): void {
    const { group, whole } = comparedOf(beginning);
    this.serving.set(id, beginning);
    this.disputed += changeOfDispute(this.beginnings, beginning.epoch, whole, 1);
    const members = this.groups.get(group) ?? new Map<NodeId, Beginning>();
    this.groups.set(group, members.set(id, beginning));
    this.minorities.touch(members);
  }

  private leave(id: NodeId, beginning: Beginning): void {
    const { group, whole } = comparedOf(beginning);
    this.serving.delete(id);
    this.disputed += changeOfDispute(this.beginnings, beginning.epoch, whole, -1);
    const members = this.groups.get(group)!;
    members.delete(id);
    if (members.size === 0) this.groups.delete(group);
    this.minorities.touch(members);
  }
}

/** Adds or removes one node that knows the subject as this value. Returns the change of the number of disputed subjects. */
function changeOfDispute<K>(subjects: Map<K, Multiset<string>>, subject: K, whole: string, by: 1 | -1): number {
  const known = subjects.get(subject) ?? new Multiset<string>();
  const before = Number(known.size > 1);
  known.add(whole, by);
  if (known.size === 0) subjects.delete(subject);
  else subjects.set(subject, known);
  return Number(known.size > 1) - before;
}

/** True if the nodes are not a majority of the membership that one of them knows. */
function isMinority(group: ReadonlyMap<NodeId, Beginning>): boolean {
  const nodes = [...group.keys()];
  return [...group.values()].every(({ membership }) => isOfAllPresent(membership) || !isMajorityOf(nodes, membership));
}
