/** Small systems of the controller: every kind, requests beyond the budget, leaves that come and go, links that go down. */
import type { SystemSample } from '../protocol.js';

const at = (node: string, ...words: readonly (string | readonly [string, number])[]) =>
  words.map((word) => (typeof word === 'string' ? { at: 0, node, do: word } : { at: 0, node, do: word[0], amount: word[1] }));

const row = (n: number) => ({ kind: 'path', n });
/** A row whose last node joins the tree later, under its neighbor. */
const parents = (n: number) => Object.fromEntries(Array.from({ length: n - 1 }, (_, i) => [`n${i}`, `n${Math.max(0, i - 1)}`]));

export const controllerSystems: readonly SystemSample[] = [
  ...['naive', 'bins', 'basic'].map((kind) => ({
    topology: row(3),
    options: { kind, M: 4, W: 2, U: 4 },
    events: [...at('n2', 'take', ['take', 2]), ...at('n1', 'take', 'take')],
  })),
  {
    topology: row(4),
    options: { kind: 'basic', M: 6, W: 6, U: 4, pipelined: true },
    events: [...at('n3', 'take', 'take'), ...at('n2', ['take', 3]), ...at('n1', 'take')],
  },
  ...['main', 'modified'].map((kind) => ({
    topology: row(4),
    options: { kind, M: 5, W: 1, parents: parents(4) },
    events: [...at('n2', 'take', 'child', 'take'), ...at('n1', 'take', 'take'), ...at('n0', 'take', 'take')],
  })),
  {
    topology: row(3),
    options: { kind: 'modified', M: 4, W: 1, signal: 'late' },
    events: [...at('n2', 'take', 'take', 'take'), ...at('n1', 'take', 'take')],
  },
  {
    topology: row(3),
    options: { kind: 'modified', M: 5, W: 0, pipelined: true },
    events: [...at('n2', 'take', 'take', 'take'), ...at('n1', 'take', 'take', 'take')],
  },
  // Bins of three and four permits, so that some can be returned.
  ...[
    { kind: 'bins', M: 12, W: 9 },
    { kind: 'main', M: 480, W: 480 },
  ].map((options) => ({ topology: row(3), options, events: [...at('n2', 'take', 'take', 'leave'), ...at('n1', 'take')] })),
  {
    topology: row(4),
    options: { kind: 'modified', M: 5, W: 0 },
    events: [
      ...at('n3', 'take', 'take'),
      ...at('n1', 'take', 'take', 'take'),
      { at: 0, do: 'cut', link: ['n1', 'n2'] },
      { at: 0, do: 'join', link: ['n1', 'n2'] },
    ],
  },
  {
    topology: row(3),
    options: { kind: 'names', parents: parents(3) },
    events: [...at('n1', 'child', 'name'), ...at('n0', 'name')],
  },
  {
    topology: row(3),
    options: { kind: 'bank', M: 2, W: 1 },
    events: [...at('n2', ['deposit', 3], ['withdraw', 2]), ...at('n1', 'withdraw', ['deposit', 1])],
  },
];
