/**
 * Partial-order reduction: of all that can happen in a state, the steps of some of the nodes are enough, if it does not matter whether
 * they come before or after those of the others (persistent sets: Godefroid 1996; Valmari's stubborn sets).
 *
 * Steps of different nodes commute: each changes its own node, takes from channels that lead to it and adds to the ends of channels that
 * lead away. What another node does matters to a set of nodes only if it brings one of them something to take that was not there. So a
 * set is enough when nobody outside can, without a step of the set, send to one of it over a channel that has nothing waiting (in an
 * unordered network: over any channel). A link that may yet change ties its ends together.
 *
 * Each state in which nobody has to do anything is found (every set holds a step that is due), and so is every violation of a property,
 * for steps of the nodes that properties look at, are never preferred to others (invisible steps; Peled 1993), and where a set leads to
 * nothing new, everything is followed (no step is put off for ever).
 */
import { UsageError } from '../../machines/errors.js';
import type { Model } from './model.js';
import type { Seen } from './seen.js';
import { DELIVER, LINK, LOCAL } from './successors.js';

/** Sets of nodes are the bits of an integer. */
const NODES_MAX = 30;
const EVERYBODY = -1;

export class PersistentSets {
  private readonly size: number;
  /** For each successor of the state at hand: its node. */
  private owners = new Int32Array(64);
  /** For each node: who may send to it while the links are as in this environment, and who is tied to it. */
  private readonly byEnvironment: ({ readonly senders: Int32Array; readonly ties: Int32Array } | undefined)[] = [];
  /** For each node: whose messages wait for it, where they keep their order. */
  private readonly waiting: Int32Array;

  constructor(private readonly model: Model) {
    const { protocol, nodes } = model.system;
    this.size = nodes.length;
    this.waiting = new Int32Array(this.size);
    const why = reasonAgainst(model);
    if (why !== undefined) throw new UsageError(`partial-order reduction is not for ${protocol.name} here: ${why}; leave it out`);
  }

  /** Whether nobody has to do anything in the state whose successors stand ready. */
  get isAtRest(): boolean {
    const { actions, count } = this.model.successors;
    for (let i = 0; i < count; i++) if (actions[i]! >= 0) return false;
    return true;
  }

  isOf(successor: number, set: number): boolean {
    return ((set >>> this.owners[successor]!) & 1) === 1;
  }

  /** A set of nodes whose steps are enough in the state that stands in `row`, its successors ready. */
  choose(row: Int32Array, length: number, seen: Seen): number {
    const { count, actions, kinds } = this.model.successors;
    if (this.owners.length < count) this.owners = new Int32Array(2 * count);
    let [able, due, linked] = [0, 0, 0];
    for (let i = 0; i < count; i++) {
      const owner = this.ownerOf(i, row[0]!);
      this.owners[i] = owner;
      able |= 1 << owner;
      if (actions[i]! >= 0) due |= 1 << owner;
      if (kinds[i]! >= LINK) linked |= 1 << owner;
    }
    const { environments } = this.model;
    if (seen.flights || environments.isUnsettled(row[0]!)) return EVERYBODY;
    const visible = seen.nodes | (seen.links ? linked : 0);
    this.readChannels(row, length);
    let [best, least] = [EVERYBODY, count];
    for (let node = 0; node < this.size; node++) {
      if (((able >>> node) & 1) === 0) continue;
      const set = this.closure(1 << node, row[0]!, able);
      const steps = this.stepsOf(set);
      if ((set & due) !== 0 && (set & visible) === 0 && steps < least) [best, least] = [set, steps];
    }
    return best;
  }

  /** The least set with these nodes to which nobody outside can add anything. */
  private closure(nodes: number, environment: number, able: number): number {
    const { senders, ties } = this.linksIn(environment);
    for (let set = nodes; ;) {
      let movers = able & ~set;
      for (let before = 0; before !== movers;) {
        before = movers;
        for (let node = 0; node < this.size; node++) if ((senders[node]! & movers) !== 0) movers |= (1 << node) & ~set;
      }
      let larger = set;
      for (let node = 0; node < this.size; node++) {
        if (((set >>> node) & 1) === 1) larger |= ties[node]! | (movers & senders[node]! & ~this.waiting[node]!);
      }
      if (larger === set) return set;
      set = larger;
    }
  }

  private stepsOf(set: number): number {
    let steps = 0;
    for (let i = 0; i < this.model.successors.count; i++) if (this.isOf(i, set)) steps++;
    return steps;
  }

  private readChannels(row: Int32Array, length: number): void {
    const { packets, system } = this.model;
    this.waiting.fill(0);
    if (system.order === 'unordered') return;
    for (let i = 1 + this.size; i < length; i++) {
      const channel = packets.channel.data[row[i]!]!;
      this.waiting[channel % this.size]! |= 1 << Math.floor(channel / this.size);
    }
  }

  private ownerOf(successor: number, environment: number): number {
    const { successors, packets, steps, environments } = this.model;
    const subject = successors.subjects[successor]!;
    const kind = successors.kinds[successor]!;
    if (kind === DELIVER) return packets.to.data[subject]!;
    if (kind === LOCAL) return steps.events.get(subject).node;
    return environments.moves(environment)[subject]?.node ?? 0;
  }

  private linksIn(environment: number): { readonly senders: Int32Array; readonly ties: Int32Array } {
    return (this.byEnvironment[environment] ??= this.findLinks(environment));
  }

  private findLinks(environment: number): { readonly senders: Int32Array; readonly ties: Int32Array } {
    const { environments, system } = this.model;
    const { size } = this;
    const [senders, ties] = [new Int32Array(size), new Int32Array(size)];
    const links = environments.links(environment);
    for (let from = 0; from < size; from++) {
      for (let to = 0; to < size; to++) {
        const isOpen = system.protocol.network.reach === 'routed' || links.up(system.nodes[from]!, system.nodes[to]!);
        if (from !== to && isOpen) senders[to]! |= 1 << from;
      }
    }
    for (const [u, v] of environments.changing(environment)) {
      ties[u]! |= 1 << v;
      ties[v]! |= 1 << u;
    }
    return { senders, ties };
  }
}

function reasonAgainst({ system, environments }: Model): string | undefined {
  const { protocol, instance, nodes } = system;
  if (nodes.length > NODES_MAX) return `it is for systems of up to ${NODES_MAX} nodes`;
  if (protocol.mayFire) return 'whether a timer may fire depends on what other nodes do';
  if (protocol.times?.(instance.options)) return 'events carry times, so that their order is part of a state';
  if (environments.reloads) return 'a node that starts again takes its channels down, which others may be about to use';
  if (environments.takesTurns) return 'an event that waits for the one before it is not independent of it';
  return undefined;
}
