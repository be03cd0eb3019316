/**
 * Arbitrary but well-typed states of the queue: every variable, timer and channel may hold anything of its type (spec 2.2, part 3).
 *
 * A node's program is not corrupt (section 3 of the paper), so a node has a guardian for each child in its own tree entries. Arbitrary
 * finds have no origin, since no rule reads it; a named one would only add a request without a requester. Each draw has few values, so that
 * all states of a small system can be enumerated.
 */
import type { NodeId } from '../effects.js';
import type { Choose, Corruption, NodeState, RoleView, Instance } from '../protocol.js';
import { childrenOf, ownEntry, type TreeEntry, type Heartbeat } from '../tree/bfs.js';
import { identityInTree } from '../tree/breadth-first.js';
import { BEAT, type TreeContext } from '../tree/machine.js';
import { beatTicks, tauTicks } from './bounds.js';
import { OBSERVE, type GuardianContext } from './guardian.js';
import { GUARDIAN, guardianOf, POINTER, TREE, type QueueMessage } from './messages.js';
import type { QueueOptions } from './options.js';
import type { PointerContext } from './pointer.js';
import { parentAtStart, treeInput } from './start.js';

type QueueInstance = Instance<QueueOptions>;

/** Maximum number of finds, and of observers, on one direction of an edge. */
const MESSAGES_MAX = 2;
/** Bounds of arbitrary values of `sent` and `est`. */
const COUNT_MIN = -1;
const COUNT_MAX = 4;
/** Smallest identity of invented roots, which start at -1. */
const INVENTED_MIN = -3;

export const queueCorruption: Corruption<QueueOptions> = { node: arbitraryNode, channel: arbitraryChannel };

function arbitraryNode(id: NodeId, instance: QueueInstance, choose: Choose): NodeState {
  const { options } = instance;
  const tree = options.levels === null ? null : arbitraryTree(id, instance, choose);
  const parent = tree ? tree.parent : parentAtStart(id, options);
  const children = tree ? tree.children : options.children[id]!;
  const roles: Record<string, RoleView> = { [POINTER]: arbitraryPointer({ id, parent, children }, instance, choose) };
  const timers: NodeState['timers'][number][] = [];
  for (const child of children) {
    const role = guardianOf(child);
    roles[role] = arbitraryGuardian(child, instance, choose);
    timers.push({ role, timer: OBSERVE, delay: choose(Math.floor(tauTicks(options)) + 1) });
  }
  if (tree) {
    roles[TREE] = { chart: TREE, value: 'steady', context: tree };
    timers.push({ role: TREE, timer: BEAT, delay: choose(Math.floor(beatTicks(options)) + 1) });
  }
  return { roles, timers };
}

/** Points to the node itself, to a neighbor in the tree, or to any node. */
function arbitraryPointer(
  { id, parent, children }: Pick<PointerContext, 'id' | 'parent' | 'children'>,
  { options, topology }: QueueInstance,
  choose: Choose,
): RoleView<PointerContext> {
  const targets = [id, ...(parent === null ? [] : [parent]), ...children];
  const strangers = topology.nodes.length - targets.length;
  const place = choose(targets.length + (strangers > 0 ? 1 : 0));
  const pointer = targets[place] ?? topology.nodes.filter((node) => !targets.includes(node))[choose(strangers)]!;
  const value = pointer === id ? 'self' : pointer === parent ? 'up' : children.includes(pointer) ? 'down' : 'astray';
  return { chart: POINTER, value, context: { id, pointer, parent, children, tau: tauTicks(options) } };
}

function arbitraryGuardian(child: NodeId, { options }: QueueInstance, choose: Choose): RoleView<GuardianContext> {
  const value = choose(2) === 0 ? 'observe' : 'correct';
  const count = COUNT_MIN + choose(COUNT_MAX - COUNT_MIN + 1);
  const counts = value === 'observe' ? { sent: count, est: 0 } : { sent: 0, est: count };
  return { chart: GUARDIAN, value, context: { child, tau: tauTicks(options), ...counts, timely: false } };
}

function arbitraryTree(id: NodeId, instance: QueueInstance, choose: Choose): TreeContext {
  const received: Record<NodeId, TreeEntry | null> = {};
  for (const [u, v] of instance.topology.links) {
    const peer = u === id ? v : v === id ? u : null;
    if (peer !== null) received[peer] = arbitraryEntry(peer, instance, choose);
  }
  const context = { ...treeInput(id, instance), received };
  return { ...context, parent: ownEntry(context).via, children: childrenOf(context) };
}

function arbitraryEntry(of: NodeId, instance: QueueInstance, choose: Choose): TreeEntry {
  const nodes = instance.topology.nodes.length;
  const anyIdentity = () => INVENTED_MIN + choose(nodes + 1 - INVENTED_MIN);
  return {
    id: identityInTree(of, instance.options.root, instance),
    root: anyIdentity(),
    dist: choose(nodes + 1) - 1,
    par: choose(4) === 0 ? null : choose(nodes + 1),
  };
}

function arbitraryChannel(from: NodeId, to: NodeId, instance: QueueInstance, choose: Choose): (QueueMessage | Heartbeat)[] {
  const { options } = instance;
  const isDown = options.levels === null ? options.parents[to] === from : choose(2) === 0;
  const left = { finds: choose(MESSAGES_MAX + 1), observers: choose(MESSAGES_MAX + 1) };
  const messages: (QueueMessage | Heartbeat)[] = [];
  while (left.finds + left.observers > 0) {
    if (left.observers === 0 || (left.finds > 0 && choose(2) === 0)) {
      left.finds--;
      messages.push({ type: 'find', origin: null });
    } else {
      left.observers--;
      messages.push(isDown ? { type: 'obs' } : { type: 'obsr', x: choose(2) === 0 ? 0 : 1 });
    }
  }
  if (options.levels !== null && choose(2) === 0) {
    messages.splice(choose(messages.length + 1), 0, { type: 'heartbeat', ...arbitraryEntry(from, instance, choose) });
  }
  return messages;
}
