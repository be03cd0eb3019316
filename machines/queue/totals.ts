/**
 * Incremental totals for the queue's promises: the current nodes, the messages of each channel in order, and the channels that are up.
 *
 * An edge is judged again when its guardian, one of its pointers or one of its messages changes. The silence of the tree is judged again
 * when a node receives or sends something new.
 */
import type { NodeId } from '../effects.js';
import { Places } from '../places.js';
import type { Fold, Totals } from '../folded.js';
import type { ChannelState, Instance, NodeView } from '../protocol.js';
import { childrenOf, type Heartbeat, type TreeKnowledge, type TreeEntry } from '../tree/bfs.js';
import { isSameEntry, entryOf } from '../tree/silent.js';
import { GUARDIAN, guardianOf, POINTER, TREE, type QueueMessage } from './messages.js';
import type { QueueOptions } from './options.js';
import type { PointerContext } from './pointer.js';
import { guardiansOf, legalityOf, pointerIn, withPhi, type EdgeView } from './view.js';

type Guardians = ReturnType<typeof guardiansOf>;

interface NodeFact {
  readonly id: NodeId;
  readonly pointer: PointerContext;
  readonly guardians: Guardians;
  readonly fits: boolean;
  /** For a maintained tree: the table last received, and the current heartbeat of the node. */
  readonly received: TreeKnowledge['received'] | null;
  readonly announced: TreeEntry | null;
}

interface FlightFact {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: QueueMessage | Heartbeat;
}

export const queueFold: Fold<QueueOptions, QueueTotals, QueueMessage | Heartbeat> = {
  node: (view, id) => {
    const knowledge: TreeKnowledge | undefined = view[TREE]?.context;
    const tree = knowledge
      ? { received: knowledge.received, announced: entryOf(knowledge) }
      : { received: null, announced: null };
    return { id, pointer: pointerIn(view)!, guardians: guardiansOf(view), fits: rolesFit(id, view), ...tree };
  },
  flight: ({ from, to, message }) => ({ from, to, message }),
  totals: (instance) => new QueueTotals(instance),
  isOrdered: true,
};

/**
 * A node has exactly one guardian for each child, its pointer matches its state, and its parent and children follow from the tables that
 * its tree received.
 */
export const rolesFit = (id: NodeId, node: NodeView): boolean => guardiansFit(node) && stateFits(id, node) && treeFits(node);

function treeFits(node: NodeView): boolean {
  const tree: TreeKnowledge | undefined = node[TREE]?.context;
  if (!tree) return true;
  const { parent, children } = pointerIn(node)!;
  const due = childrenOf(tree);
  return parent === entryOf(tree).via && children.length === due.length && due.every((child) => children.includes(child));
}

function guardiansFit(node: NodeView): boolean {
  const { children } = pointerIn(node)!;
  let guardians = 0;
  for (const role in node) if (node[role]!.chart === GUARDIAN) guardians++;
  return guardians === children.length && children.every((child) => guardianOf(child) in node);
}

function stateFits(id: NodeId, node: NodeView): boolean {
  const { pointer, parent, children } = pointerIn(node)!;
  switch (node[POINTER]!.value) {
    case 'self':
      return pointer === id;
    case 'up':
      return pointer === parent;
    case 'down':
      return children.includes(pointer);
    default:
      return pointer !== id && pointer !== parent && !children.includes(pointer);
  }
}

/** A node, the edge above it, and all facts about them. */
interface Site {
  fact: NodeFact | undefined;
  /** Messages on its outgoing channels, oldest first, and which of these channels are up. */
  readonly ways: Map<NodeId, Way>;
  /** Its heartbeats in flight. */
  readonly beats: FlightFact[];
}

interface Way {
  up: boolean;
  readonly messages: FlightFact[];
}

export class QueueTotals implements Totals<NodeFact, FlightFact> {
  /** Nodes whose roles contradict the tree. */
  misfits = 0;
  private readonly sites = new Map<NodeId, Site>();
  private readonly edges = new Places((child: Site) => this.isLegalAbove(child));
  private readonly receivers = new Places((site: Site) => this.receivesAll(site));
  private readonly sayers = new Places((site: Site) => isConsistent(site));
  private readonly isLegal: (edge: EdgeView) => boolean;
  private readonly isKeptUp: boolean;

  constructor({ options }: Instance<QueueOptions>) {
    this.isLegal = legalityOf(options);
    this.isKeptUp = options.tree !== 'fixed';
  }

  /** True if the tree no longer moves, and every edge of it whose link is up is fully legal. */
  get isFullyLegal(): boolean {
    return this.edges.hold && (!this.isKeptUp || (this.receivers.hold && this.sayers.hold));
  }

  node(fact: NodeFact, by: 1 | -1): void {
    if (!fact.fits) this.misfits += by;
    if (by === -1) return;
    const { id, pointer, guardians } = fact;
    const site = this.at(id);
    const before = site.fact;
    site.fact = fact;
    if (before?.pointer.pointer !== pointer.pointer || before.pointer.parent !== pointer.parent) {
      this.edges.touch(site);
      this.touchEdge(before?.pointer.pointer);
      this.touchEdge(pointer.pointer);
    }
    for (const [child, { value, context }] of guardians) {
      const was = before?.guardians.get(child);
      if (was?.value !== value || was.context !== context) this.touchEdge(child);
    }
    for (const child of before?.guardians.keys() ?? []) if (!guardians.has(child)) this.touchEdge(child);
    if (this.isKeptUp) this.receive(site, fact, before);
  }

  private receive(site: Site, { received, announced }: NodeFact, before: NodeFact | undefined): void {
    if (before?.received !== received) this.receivers.touch(site);
    if (before?.announced && announced && isSameEntry(before.announced, announced)) return;
    this.sayers.touch(site);
    for (const peer of site.ways.keys()) this.receivers.touch(this.at(peer));
  }

  flight(fact: FlightFact, by: 1 | -1): void {
    const { from, to, message } = fact;
    const site = this.at(from);
    const { messages } = this.way(from, to);
    if (by === 1) messages.push(fact);
    else messages.splice(messages.indexOf(fact), 1);
    if (message.type === 'heartbeat') {
      if (by === 1) site.beats.push(fact);
      else site.beats.splice(site.beats.indexOf(fact), 1);
      this.sayers.touch(site);
    } else this.touchEdgeBetween(from, to);
  }

  channel({ from, to, up }: ChannelState): void {
    this.way(from, to).up = up;
    this.touchEdgeBetween(from, to);
    for (const end of [from, to]) this.receivers.touch(this.at(end));
  }

  private touchEdge(child: NodeId | undefined): void {
    if (child !== undefined) this.edges.touch(this.at(child));
  }

  private touchEdgeBetween(from: NodeId, to: NodeId): void {
    this.touchEdge(from);
    this.touchEdge(to);
  }

  private at(id: NodeId): Site {
    let site = this.sites.get(id);
    if (!site) this.sites.set(id, (site = { fact: undefined, ways: new Map(), beats: [] }));
    return site;
  }

  private way(from: NodeId, to: NodeId): Way {
    const { ways } = this.at(from);
    let way = ways.get(to);
    if (!way) ways.set(to, (way = { up: false, messages: [] }));
    return way;
  }

  private isLegalAbove({ fact }: Site): boolean {
    const parent = fact?.pointer.parent;
    if (!fact || parent == null) return true;
    const { id } = fact;
    const above = this.at(parent).fact;
    const guardian = above?.guardians.get(id);
    const [down, up] = [this.way(parent, id), this.way(id, parent)];
    if (!guardian || !down.up || !up.up) return true;
    const pa = above!.pointer.pointer === id ? 1 : 0;
    const pb = fact.pointer.pointer === parent ? 1 : 0;
    return this.isLegal(withPhi({ guardian, pa, pb, down: down.messages, up: up.messages }));
  }

  /** True if its table contains exactly its linked neighbors, with their current heartbeats. */
  private receivesAll({ fact, ways }: Site): boolean {
    if (!fact?.received) return true;
    const { id, received } = fact;
    let peers = 0;
    for (const [peer, { up }] of ways) {
      if (!up || !this.way(peer, id).up) continue;
      peers++;
      const [entry, announced] = [received[peer] ?? null, this.at(peer).fact?.announced];
      if (entry === null || !announced || !isSameEntry(entry, announced)) return false;
    }
    return peers === Object.keys(received).length;
  }
}

/** True if all its heartbeats in flight equal its current heartbeat. */
const isConsistent = ({ fact, beats }: Site): boolean =>
  !fact?.announced || beats.every(({ message }) => isSameEntry(message as Heartbeat, fact.announced!));
