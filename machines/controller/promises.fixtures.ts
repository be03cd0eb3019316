/** Additional systems in which mutants of the controller are searched, and edits that violate no promise. */
import type { FurtherSystem } from '../../test/mutants/promises.fixtures.js';
import { because } from '../because.fixtures.js';
import { MAIN, NEWCOMER } from './messages.js';

const does = (at: number, node: string, ...words: readonly (string | readonly [string, number])[]) =>
  words.map((word) => (typeof word === 'string' ? { at, node, do: word } : { at, node, do: word[0], amount: word[1] }));

const tree = (...links: readonly (readonly [string, string])[]) => ({
  nodes: ['n0', ...links.map(([, child]) => child)],
  links,
});

const alone = { n0: 'n0' };
/** Nodes that may all join under the root. */
const around = tree(['n0', 'n1'], ['n0', 'n2'], ['n0', 'n3'], ['n0', 'n4']);
/** Two leaves behind one node. */
const twig = tree(['n0', 'n1'], ['n1', 'n2'], ['n1', 'n3']);
const row = (n: number) => ({ kind: 'path', n });

export const further: readonly FurtherSystem[] = [
  // A root without other nodes: the third join starts a change while permits are given.
  ...['main', 'modified'].map((kind) => ({
    topology: around,
    options: { kind, M: 5, W: 1, parents: alone },
    events: [...does(0, 'n0', 'child', 'child', 'child', 'child', 'take'), ...does(0, 'n1', 'take', 'take', 'leave')],
    states: 600,
  })),
  // The same if nodes join under joined nodes, and request until the permits are exhausted.
  {
    topology: tree(['n0', 'n1'], ['n1', 'n2'], ['n2', 'n3'], ['n1', 'n4']),
    options: { kind: 'main', M: 5, W: 2, parents: alone },
    events: [
      ...does(0, 'n0', 'child', 'child', 'child', 'child', 'child', 'take'),
      ...does(10, 'n1', 'child', 'take', 'child', 'take', 'take'),
      ...does(20, 'n2', 'take', 'child', 'take'),
      ...does(30, 'n3', 'take', 'child', 'take', 'leave', 'take'),
      ...does(31, 'n4', 'take', 'leave'),
      ...does(200, 'n0', 'child', 'child', 'take'),
      ...does(260, 'n1', 'child', 'take'),
      ...does(300, 'n2', 'take'),
    ],
    states: 0,
  },
  // Names for nodes and for their applications, over two changes.
  {
    topology: twig,
    options: { kind: 'names', parents: alone },
    events: [
      ...does(0, 'n0', 'child', 'name', 'name', 'name'),
      ...does(8, 'n1', 'child', 'name', 'child'),
      ...does(20, 'n2', 'name', 'name'),
    ],
    states: 400,
  },
  // A growing bank, with one bin of capacity one and with large ones.
  ...[
    { M: 2, W: 1 },
    { M: 6, W: 960 },
  ].map((money) => ({
    topology: tree(['n0', 'n1'], ['n1', 'n2'], ['n2', 'n3'], ['n0', 'n4']),
    options: { kind: 'bank', ...money, parents: alone },
    events: [
      ...does(0, 'n0', 'child', 'child', 'child', ['deposit', 3], 'withdraw'),
      ...does(6, 'n1', 'child', ['deposit', 5], ['withdraw', 2]),
      ...does(16, 'n2', 'child', ['deposit', 9], 'withdraw', ['deposit', 20]),
      ...does(30, 'n3', ['deposit', 9], 'withdraw', ['deposit', 3], ['withdraw', 3], 'leave'),
      ...does(31, 'n4', ['deposit', 7], ['withdraw', 30], ['deposit', 30], 'leave', 'withdraw'),
      ...does(300, 'n2', ['deposit', 60]),
      ...does(320, 'n0', 'child', 'child', 'child', 'child'),
    ],
    states: 0,
  })),
  // Two leaves behind one node, until the permits are exhausted; also one after the other.
  ...[
    { kind: 'basic', M: 3, W: 2 },
    { kind: 'basic', M: 3, W: 2, pipelined: true },
    { kind: 'modified', M: 5, W: 0 },
    { kind: 'modified', M: 5, W: 0, pipelined: true },
    { kind: 'main', M: 3, W: 0, signal: 'late' },
  ].flatMap((options) => [
    {
      topology: twig,
      options,
      events: [...does(0, 'n2', 'take', 'take', 'take'), ...does(0, 'n3', 'take', 'take'), ...does(0, 'n1', 'take')],
      states: 600,
    },
    {
      topology: tree(['n0', 'n1'], ['n1', 'n2'], ['n2', 'n3'], ['n2', 'n4'], ['n3', 'n5']),
      options,
      events: ['n5', 'n4', 'n3', 'n2', 'n1', 'n0'].flatMap((node, i) =>
        [0, 1, 2].flatMap((n) => does(40 * i + 100 * n, node, 'take')),
      ),
      states: 0,
    },
  ]),
  // Large bins, returned by leaving nodes and at changes, in a row and behind one node.
  ...[row(5), tree(['n0', 'n1'], ['n1', 'n2'], ['n2', 'n3'], ['n2', 'n4'])].map((topology) => ({
    topology,
    options: { kind: 'modified', M: 1500, W: 700 },
    events: [
      ...['n4', 'n3', 'n2', 'n1'].flatMap((node) => does(0, node, 'take', ['take', 5], 'take')),
      ...does(40, 'n0', ['take', 650]),
      ...does(60, 'n4', 'take', 'leave'),
      ...['n3', 'n2', 'n1'].flatMap((node) => does(80, node, 'child', ['take', 3], 'child', ['take', 4], 'take')),
      ...does(120, 'n0', ['take', 800]),
      ...['n3', 'n2', 'n1'].flatMap((node) => does(200, node, 'child', ['take', 30], 'take')),
    ],
    states: 0,
  })),
  // Links go down during a change, at each of its moments.
  ...[1, 4, 7, 10, 13].map((at) => ({
    topology: tree(['n0', 'n1'], ['n1', 'n2'], ['n2', 'n3'], ['n1', 'n4']),
    options: { kind: 'modified', M: 5, W: 0 },
    events: [
      ...['n4', 'n3', 'n2', 'n1', 'n0'].flatMap((node) => does(0, node, 'take', 'take')),
      { at, do: 'cut', link: ['n1', 'n2'] },
      { at: at + 20, do: 'join', link: ['n1', 'n2'] },
      ...does(at + 30, 'n3', 'take'),
      ...does(at + 30, 'n4', 'take'),
    ],
    states: 0,
  })),
  // A leaf with a full bin requests a child and a leave before the answer.
  {
    topology: row(3),
    options: { kind: 'main', M: 960, W: 960 },
    events: [...does(0, 'n2', 'take'), ...does(40, 'n2', 'child'), ...does(41, 'n2', 'leave'), ...does(80, 'n1', 'take')],
    states: 0,
  },
  // A request is rejected during a change for lack of joins.
  {
    topology: around,
    options: { kind: 'main', M: 0, parents: alone },
    events: [...does(0, 'n0', 'child', 'child', 'child'), ...does(0, 'n1', 'take'), ...does(0, 'n2', 'take')],
    states: 800,
  },
  // Requests during a change, which wait and are not lost.
  {
    topology: row(4),
    options: { kind: 'names' },
    events: [
      ...does(0, 'n0', ...Array.from({ length: 9 }, () => 'name')),
      ...does(3, 'n1', 'child'),
      ...does(4, 'n2', 'name'),
      ...does(4, 'n3', 'child', 'take'),
      ...does(30, 'n0', ...Array.from({ length: 16 }, () => 'name')),
      ...does(29, 'n3', 'child'),
      ...does(30, 'n2', 'child'),
    ],
    states: 0,
  },
  // A node's own request waits behind one that its bin is rejected for.
  ...[0, 1].flatMap((M) =>
    ['basic', 'modified'].map((kind) => ({
      topology: row(4),
      options: { kind, M, W: 0 },
      events: [...does(0, 'n3', 'take', 'take'), ...does(1, 'n2', 'take', 'take'), ...does(1, 'n1', 'take')],
      states: 200,
    })),
  ),
  // A withdrawal that is never covered; and a bank that loses a part of its tree with full bins.
  {
    topology: row(2),
    options: { kind: 'bank', M: 1 },
    events: [...does(0, 'n1', 'withdraw', 'withdraw'), ...does(0, 'n0', 'withdraw')],
    states: 300,
  },
  {
    topology: row(4),
    options: { kind: 'bank', M: 100, W: 960 },
    events: [
      ...['n3', 'n2', 'n1', 'n0'].flatMap((node) => does(0, node, 'withdraw', ['deposit', 9])),
      { at: 60, do: 'cut', link: ['n1', 'n2'] },
      { at: 90, do: 'join', link: ['n1', 'n2'] },
      ...does(100, 'n1', 'withdraw'),
    ],
    states: 0,
  },
  // A join is permitted during a change for lack of permits.
  {
    topology: around,
    options: { kind: 'modified', M: 6, W: 0, parents: { ...alone, n1: 'n0' } },
    events: [...does(0, 'n0', ['take', 6], 'take'), ...does(0, 'n1', 'child')],
    states: 0,
  },
  // A deferred bin has forwarded the request of its node before.
  {
    topology: row(4),
    options: { kind: 'modified', M: 5, W: 0 },
    events: [...does(0, 'n0', ['take', 5]), ...does(0, 'n3', 'take'), ...does(2, 'n2', 'take')],
    states: 0,
  },
  // All nodes together request more than the budget.
  ...[does(1, 'n1', 'take'), []].map((more) => ({
    topology: tree(['n0', 'n1'], ['n1', 'n2'], ['n2', 'n3'], ['n2', 'n4']),
    options: { kind: 'basic', M: 0, pipelined: true },
    events: [...does(0, 'n3', 'take'), ...does(0, 'n4', 'take'), ...more, ...does(1.5, 'n2', 'take')],
    states: 0,
  })),
  // A bin is rejected again, by a distant root, during a change.
  {
    topology: {
      nodes: ['n0', 'n1', 'n2'],
      links: [
        ['n0', 'n1', 10],
        ['n1', 'n2', 1],
      ],
    },
    network: { latency: 'weight' },
    options: { kind: 'main', M: 0, pipelined: true },
    events: [...does(0, 'n1', 'take'), ...does(4, 'n2', 'take'), ...does(12, 'n0', ...Array.from({ length: 7 }, () => 'child'))],
    states: 0,
  },
  // A withdrawal waits for deposits, and another one during a change.
  {
    topology: around,
    options: { kind: 'bank', M: 0, parents: alone },
    events: [
      ...does(0, 'n0', 'child', 'withdraw'),
      ...does(10, 'n1', 'withdraw'),
      ...does(20, 'n1', 'deposit', 'deposit', 'deposit'),
      ...does(40, 'n0', 'withdraw'),
      ...does(50, 'n1', 'withdraw'),
      ...does(55, 'n0', 'withdraw'),
      ...does(60, 'n0', 'child', 'child', 'child'),
      ...does(61, 'n1', ['deposit', 2]),
    ],
    states: 0,
  },
  // A node with a child is requested to leave; names are given before a change; and a severed node has received permits.
  { topology: row(3), options: { kind: 'main', M: 3, W: 1 }, events: does(0, 'n1', 'take', 'leave'), states: 0 },
  {
    topology: row(3),
    options: { kind: 'names' },
    events: [...does(0, 'n2', 'name'), ...does(10, 'n1', 'name'), ...does(20, 'n0', ...Array.from({ length: 9 }, () => 'name'))],
    states: 0,
  },
  {
    topology: row(3),
    options: { kind: 'basic', M: 3, W: 0 },
    events: [...does(0, 'n2', 'take'), { at: 20, do: 'cut', link: ['n1', 'n2'] }],
    states: 0,
  },
];

/** Two actions of a rule exchange places, for each first one. */
const swaps = (rule: string, ...first: readonly number[]) =>
  first.map((one) => `swap actions ${rule}, actions ${one} and ${one + 1}`);

const CLOSED = 'its role is closed in the same step';
const EMPTIED = 'drop action (root): sever, action 2';
const SILENT = 'a role that opens does nothing until something comes to it, and one that closes does nothing any more';
const ONE_STEP = 'each role hears it within the step, before it hears what the others answer';

/** Edits that violate no promise, although the charts behave differently. */
export const unpromised = {
  ...because('request', 'who takes lets nobody join: no role is told', 'drop action ready: take, action 1'),
  ...because(
    'request',
    'a command that is not held waits at its node, and is asked for when the change is through',
    ...['take', 'child', 'name'].map((word) => `drop transition frozen: ${word}`),
  ),
  ...because(
    'request',
    'who settles for a change hears when it may go on, and not that it may not yet',
    'drop action refilling.frozen: settle #2, action 1',
  ),
  ...because(
    'request',
    'another was rejected before the resource ended, and who has gathered nothing keeps nothing back',
    'drop action exhausted: take #2, action 2',
  ),
  ...because('request', CLOSED, EMPTIED),
  ...because('delivery', CLOSED, EMPTIED),
  ...because('deposits', CLOSED, EMPTIED),
  ...because('root', 'the news of the change sets the bin anew in the same step', 'drop action (root): settle, action 2'),
  ...because('root', ONE_STEP, ...swaps('deferring: request #2', 2)),
  ...because(MAIN, ONE_STEP, ...swaps('settling: settled', 5, 6, 7, 8), ...swaps('echoed: epoch', 3, 4, 5, 6)),
  ...because(
    MAIN,
    CLOSED,
    ...['running', 'collecting', 'settling', 'echoed', 'leaving', 'severing', 'severed', 'stay'].map(
      (state) => `retarget leaving: settled, to ${state}`,
    ),
  ),
  ...because(MAIN, SILENT, ...swaps('leaving: settled', 5, 6, 7, 8, 9, 10), ...swaps('severing: settled', 5, 6, 7, 8)),
  ...because(
    MAIN,
    'who is severed is not asked for its children, and whom it has lost is severed, too',
    'drop action severing: settled, action 4',
    'drop transition severed: link.up',
  ),
  ...because(
    NEWCOMER,
    CLOSED,
    ...['welcome', 'welcome #2'].flatMap((rule) => ['outside', 'stay'].map((state) => `retarget outside: ${rule}, to ${state}`)),
  ),
  ...because(NEWCOMER, SILENT, ...swaps('outside: welcome', 1, 2, 3, 4, 5, 6), ...swaps('outside: welcome #2', 1, 2, 3, 4, 5)),
};
