/**
 * Symmetry reduction: states that differ only by a permutation of the nodes are searched once.
 *
 * A permutation is allowed if it leaves the links, the ports, the script and the set of first states unchanged. Among the states that
 * permutations map to each other, the search keeps the one whose row is smallest, and continues from it on the production charts. This is
 * correct if charts and properties treat all nodes alike, which cannot be seen from a chart. Therefore `audit` takes a sample of states and
 * compares the successors of each, and the result of each property, with those of one of its images.
 */
import type { NodeId } from '../../machines/effects.js';
import { ProtocolError, UsageError } from '../../machines/errors.js';
import { jsonKey } from './json.js';
import type { Model } from './model.js';
import { everyOrder } from './orders.js';
import { Renaming } from './renaming.js';
import type { LaneEntry } from '../../network/world/script.js';
import type { StateProperty } from './watch.js';

/** Limit of nodes; more nodes have too many permutations to try. */
const NODES_MAX = 7;
/** Each of the first states is audited, later only one in this many. */
const AUDITED = 256;
const AUDIT_STRIDE = 64;

export class Symmetry {
  private readonly permutations: readonly Permutation[];
  private best = new Int32Array(64);
  private other = new Int32Array(64);

  constructor(
    private readonly model: Model,
    firsts: readonly (readonly number[])[],
    ordered: ReadonlySet<string>,
  ) {
    const { nodes } = model.system;
    if (nodes.length > NODES_MAX) {
      throw new UsageError(
        `Symmetry supports up to ${NODES_MAX} nodes, but this system has ${nodes.length}. Leave out "reduce".`,
      );
    }
    const isFirst = new Set(firsts.map(String));
    this.permutations = [...everyOrder([...nodes.keys()])]
      .filter((to) => keepsLinks(to, model))
      .map((to) => new Permutation(to, model, ordered))
      .filter((permutation) => permutation.keepsScript)
      .filter((permutation) => firsts.every((row) => isFirst.has(String(permutation.imageOf(row)))));
  }

  /** Number of allowed permutations. */
  get size(): number {
    return this.permutations.length;
  }

  /** The smallest row among a row and its images. It is valid until the next call. */
  representative(row: Int32Array, begin: number, length: number): Int32Array {
    if (this.best.length < length) [this.best, this.other] = [new Int32Array(2 * length), new Int32Array(2 * length)];
    this.permutations.forEach((permutation, i) => {
      if (i === 0) permutation.image(row, begin, length, this.best);
      else if (permutation.imageIfLess(row, begin, length, this.other, this.best))
        [this.best, this.other] = [this.other, this.best];
    });
    return this.best;
  }

  /** Compares a state with one of its images, a different one each time. */
  audit(state: number, row: Int32Array, length: number, properties: readonly StateProperty[]): void {
    if (state >= AUDITED && state % AUDIT_STRIDE > 0) return;
    const permutation = this.permutations[state % this.size]!;
    const image = new Int32Array(row.length);
    permutation.image(row, 0, length, image);
    const { model } = this;
    for (const property of properties) {
      if (property.holds(model.configuration(row, 0, length)) === property.holds(model.configuration(image, 0, length))) continue;
      throw new ProtocolError(
        `Property "${property.name}" is not symmetric: its result changes when ${permutation}. Check it without symmetry.`,
      );
    }
    if (this.whatCanHappen(row, length) !== this.whatCanHappen(image, length)) {
      throw new ProtocolError(
        `Protocol ${model.system.protocol.name} is not symmetric: its next steps change when ${permutation}. Check it without symmetry.`,
      );
    }
  }

  private whatCanHappen(row: Int32Array, length: number): string {
    const { successors } = this.model;
    successors.expand(row, length);
    const { rows, begins } = successors;
    const found = Array.from({ length: successors.count }, (_, i) => {
      const size = begins[i + 1]! - begins[i]!;
      return this.representative(rows, begins[i]!, size).subarray(0, size).join();
    });
    return found.sort().join(';');
  }
}

/** A permutation of the nodes, applied to the interned parts of a state. */
class Permutation {
  readonly keepsScript: boolean;
  /** For each position, the position from which its node comes. */
  private readonly from: Int32Array;
  private readonly renaming: Renaming;
  private readonly lanes: readonly number[];
  private readonly environments: number[] = [];
  private readonly locals: number[] = [];
  private readonly packets: number[] = [];

  constructor(
    private readonly to: readonly number[],
    private readonly model: Model,
    ordered: ReadonlySet<string>,
  ) {
    const { nodes } = model.system;
    this.from = Int32Array.from(to.map((_, place) => to.indexOf(place)));
    this.renaming = new Renaming(new Map(nodes.map((node, place) => [node, nodes[to[place]!]!])), ordered);
    const { lanes } = model.environments.plan.script;
    const before = lanes.map((lane) => this.script(lane, (value) => value));
    this.lanes = lanes.map((lane) => before.indexOf(this.script(lane, (value) => this.renaming.of(value))));
    const isAtHome = to.every((place, node) => place === node);
    this.keepsScript = isAtHome || (!this.lanes.includes(-1) && !model.environments.takesTurns);
  }

  imageOf(row: readonly number[]): Int32Array {
    const image = new Int32Array(row.length);
    this.image(Int32Array.from(row), 0, row.length, image);
    return image;
  }

  image(row: Int32Array, begin: number, length: number, into: Int32Array): void {
    const { from } = this;
    into[0] = this.environment(row[begin]!);
    for (let place = 0; place < from.length; place++) into[1 + place] = this.local(row[begin + 1 + from[place]!]!);
    this.imageOfPackets(row, begin, length, into);
  }

  /** Computes the image. Returns true if it is smaller than another row. */
  imageIfLess(row: Int32Array, begin: number, length: number, into: Int32Array, other: Int32Array): boolean {
    const { from } = this;
    into[0] = this.environment(row[begin]!);
    let isLess = into[0] < other[0]!;
    if (!isLess && into[0] > other[0]!) return false;
    for (let place = 0; place < from.length; place++) {
      const local = this.local(row[begin + 1 + from[place]!]!);
      if (!isLess && local > other[1 + place]!) return false;
      isLess ||= local < other[1 + place]!;
      into[1 + place] = local;
    }
    this.imageOfPackets(row, begin, length, into);
    for (let i = 1 + from.length; i < length && !isLess; i++) {
      if (into[i]! > other[i]!) return false;
      isLess = into[i]! < other[i]!;
    }
    return isLess;
  }

  toString(): string {
    const { nodes } = this.model.system;
    const moved = [...nodes.keys()].filter((node) => this.to[node] !== node);
    return moved.map((node) => `${nodes[node]} becomes ${nodes[this.to[node]!]}`).join(', ');
  }

  private imageOfPackets(row: Int32Array, begin: number, length: number, into: Int32Array): void {
    const lanes = this.model.packets.lane;
    const content = 1 + this.from.length;
    for (let i = content; i < length; i++) {
      const packet = this.packet(row[begin + i]!);
      let at = i;
      for (; at > content && lanes.data[into[at - 1]!]! > lanes.data[packet]!; at--) into[at] = into[at - 1]!;
      into[at] = packet;
    }
  }

  private environment(id: number): number {
    return (this.environments[id] ??= this.model.environments.image(id, this.to, this.lanes));
  }

  private local(id: number): number {
    return (this.locals[id] ??= this.imageOfLocal(id));
  }

  private packet(id: number): number {
    return (this.packets[id] ??= this.imageOfPacket(id));
  }

  private imageOfLocal(id: number): number {
    const { locals } = this.model.steps;
    const { node, view, timers, reactions } = locals.get(id);
    const { renaming } = this;
    const roles = Object.entries(view).map(
      ([role, { context, ...rest }]) => [renaming.text(role), { ...rest, context: renaming.of(context) }] as const,
    );
    const renamed = timers.map(([role, timer]) => [renaming.text(role), renaming.text(timer)] as const);
    const inOrder = renamed.sort((a, b) => (a.join(' ') < b.join(' ') ? -1 : 1));
    return locals.intern({ node: this.to[node]!, view: Object.fromEntries(roles), timers: inOrder, reactions });
  }

  private imageOfPacket(id: number): number {
    const { from, to, sender, message } = this.model.packets.get(id);
    return this.model.packets.intern({
      from: this.to[from]!,
      to: this.to[to]!,
      sender: this.renaming.of(sender),
      message: this.renaming.of(message),
    });
  }

  /** A lane of the script as a text, with its nodes replaced. The order of the two ends of a link is irrelevant. */
  private script(lane: readonly LaneEntry[], rename: <T>(value: T) => T): string {
    const { rank } = this.model.system.instance;
    const entries = lane.map(({ place: _, ...entry }) => {
      if (entry.kind !== 'link' || 'ports' in entry.event) return rename(entry);
      const link = entry.event.link.toSorted((u, v) => rank(u) - rank(v));
      return rename({ ...entry, event: { ...entry.event, link } });
    });
    return jsonKey(entries, 'the script');
  }
}

/** True if a permutation leaves the links unchanged, with their weights and ports. */
function keepsLinks(to: readonly number[], { system, environments }: Model): boolean {
  const { nodes, instance } = system;
  const links = environments.links(environments.initial);
  const weights = new Map<string, number>();
  for (const [u, v, weight] of instance.topology.links) weights.set(`${u} ${v}`, weight).set(`${v} ${u}`, weight);
  const at = (u: NodeId, v: NodeId) => `${links.up(u, v)} ${links.port(u, v)} ${weights.get(`${u} ${v}`)}`;
  return nodes.every((u, i) => nodes.every((v, j) => at(u, v) === at(nodes[to[i]!]!, nodes[to[j]!]!)));
}
