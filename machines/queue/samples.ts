/** Samples: inputs and events for each chart; small systems with a maintained tree, one to be found again, one that splits, and corruption. */
import type { Message } from '../effects.js';
import type { ChartSamples, SystemSample } from '../protocol.js';
import type { TreeContext, TreeInput } from '../tree/machine.js';
import { BEAT } from '../tree/machine.js';
import { OBSERVE, type GuardianContext } from './guardian.js';
import type { PointerContext } from './pointer.js';

const event = <E extends Message>(sample: E): Message => sample;

const find = (from: string) => event({ type: 'find', origin: 'd', from });

/** Node b has parent a and children c and d; e is unknown. */
const pointerEvents = ({ children, parent }: PointerContext): Message[] => [
  event({ type: 'request' }),
  ...['a', 'b', 'c', 'd', 'e'].map(find),
  event({ type: 'obs', from: 'a' }),
  event({ type: 'obs', from: 'c' }),
  ...children.flatMap((child) => [0, 1].map((count) => event({ type: 'observed', child, count }))),
  ...['c', 'd'].map((child) => event({ type: children.includes(child) ? 'child.lost' : 'child.gained', child })),
  event({ type: 'parent.changed', parent: parent === null ? 'a' : null }),
  // The tree reports a new parent before the loss of a child.
  event({ type: 'parent.changed', parent: 'c' }),
];

const pointerStart = (pointer: string) => ({ id: 'b', pointer, parent: 'a', children: ['c'], tau: 4 });

/** Estimates and counts beyond 2 behave like 2. */
const guardianEvents = ({ sent, est }: GuardianContext): Message[] => [
  event({ type: 'timer', timer: OBSERVE }),
  find('c'),
  ...(sent < 2 ? [event({ type: 'sent' })] : []),
  event({ type: 'obsr', x: 0, from: 'c' }),
  event({ type: 'obsr', x: 1, from: 'c' }),
  ...(est < 2 ? [0, 1, 2].map((phi) => event({ type: 'estimate', phi })) : []),
];

/** Node 1 between peers a and b: a root, a child, an invalid entry, and no entry of an unknown node. */
const treeEvents = ({ received }: TreeContext): Message[] => [
  event({ type: 'timer', timer: BEAT }),
  event({ type: 'heartbeat', id: 0, root: 0, dist: 0, par: null, from: 'a' }),
  event({ type: 'heartbeat', id: 0, root: 0, dist: -1, par: null, from: 'a' }),
  event({ type: 'heartbeat', id: 2, root: 0, dist: 2, par: 1, from: 'b' }),
  event({ type: 'heartbeat', id: 2, root: 1, dist: 1, par: 1, from: 'b' }),
  event({ type: 'heartbeat', id: 9, root: 0, dist: 0, par: null, from: 'z' }),
  event({ type: 'a' in received ? 'link.down' : 'link.up', peer: 'a' }),
  // A link may return before any notification of its loss.
  event({ type: 'link.up', peer: 'b' }),
];

const treeStart: TreeInput = {
  identity: 1,
  limit: 3,
  period: 1,
  client: 'pointer',
  received: { a: null, b: null },
  parent: null,
  children: [],
};

export const queueSamples: Readonly<Record<string, readonly ChartSamples[]>> = {
  pointer: ['b', 'a', 'c', 'e'].map((pointer) => ({ input: pointerStart(pointer), events: pointerEvents })),
  guardian: [{ input: { child: 'c', tau: 4 }, events: guardianEvents }],
  tree: [{ input: treeStart, events: treeEvents }],
};

const ask = (node: string) => ({ at: 0, node, do: 'request' });

export const queueSystems: readonly SystemSample[] = [
  { topology: { kind: 'path', n: 3 }, events: ['n0', 'n2', 'n1', 'n2'].map(ask) },
  { topology: { kind: 'path', n: 2 }, events: [{ at: 0, do: 'corrupt', nodes: ['n0', 'n1'] }, ask('n0'), ask('n1')] },
  { topology: { kind: 'path', n: 2 }, options: { tree: 'stabilizing' }, events: [{ at: 0, do: 'cut', link: ['n0', 'n1'] }] },
  {
    topology: { kind: 'ring', n: 3 },
    options: { tree: 'stabilizing' },
    events: [ask('n1'), ask('n2'), { at: 0, do: 'cut', link: ['n0', 'n1'] }, { at: 0, do: 'join', link: ['n0', 'n1'] }],
  },
];
