/** Figure 1 of the Arvy paper, step by step (spec 1.8): a run without time, its deliveries chosen by hand. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import type { Choice } from '../../network/world/choice.js';
import { directory } from './index.js';
import { directoryContext, finds, stateOf } from './view.js';

const nodes = ['a', 'b', 'c', 'd', 'e'];

/** The start of the figure: all nodes are below a, d and e below c; a uses the token. */
const figure1 = {
  protocol: 'directory',
  topology: { nodes, links: nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v, 1])) },
  options: { policy: 'ivy', root: 'a', parents: { a: 'a', b: 'a', c: 'a', d: 'c', e: 'c' }, hold: null },
  events: ['a', 'd', 'e', 'b'].map((node) => ({ at: 0, node, do: 'request' })),
};

const [aRequests, dRequests, eRequests, bRequests] = [0, 1, 2, 3].map((event) => ({ event }));
const deliver = (id: number) => ({ deliver: id });
const release = (node: string) => ({ command: [node, 'release'] as const });

function after(...choices: readonly Choice[]) {
  const simulation = new Simulation(parseScenario(figure1, { directory }), { choices });
  simulation.start();
  while (simulation.advance());
  const c = simulation.configuration;
  return {
    parents: Object.fromEntries([...c.nodes].map(([id, node]) => [id, directoryContext(node).parent])),
    nexts: Object.fromEntries(
      [...c.nodes]
        .filter(([, node]) => directoryContext(node).next !== null)
        .map(([id, node]) => [id, directoryContext(node).next]),
    ),
    finds: finds(c).map(({ from, to, message }) => `${message.producer}: ${from}->${to}`),
    states: Object.fromEntries([...c.nodes].map(([id, node]) => [id, stateOf(node)])),
    report: simulation.finish(),
  };
}

describe('Figure 1', () => {
  const b = [aRequests!, dRequests!];
  const c = [...b, deliver(0)];
  const d = [...c, eRequests!];
  const e = [...d, deliver(2)];
  const f = [...e, deliver(3)];
  const g = [...f, bRequests!];
  const h = [...g, deliver(4)];
  const i = [...h, deliver(1)];
  const j = [...i, deliver(5)];

  test('(b) d requests: d points to itself, its find flies to c', () => {
    expect(after(...b)).toMatchObject({ parents: { d: 'd' }, finds: ['d: d->c'], states: { a: 'holding.using.last' } });
  });

  test('(c) c receives the find of d: it points to d and forward to a', () => {
    expect(after(...c)).toMatchObject({ parents: { c: 'd' }, finds: ['d: c->a'] });
  });

  test('(d) e requests, (e) c receives it, points to e and forward to d', () => {
    expect(after(...d)).toMatchObject({ parents: { e: 'e' }, finds: ['d: c->a', 'e: e->c'] });
    expect(after(...e)).toMatchObject({ parents: { c: 'e' }, finds: ['d: c->a', 'e: c->d'] });
  });

  test('(f) d receives the find of e: d points to e, and e is next behind d', () => {
    expect(after(...f)).toMatchObject({ parents: { d: 'e' }, nexts: { d: 'e' }, finds: ['d: c->a'] });
  });

  test('(g) b requests: its find and that of d fly to a', () => {
    expect(after(...g)).toMatchObject({ parents: { b: 'b' }, finds: ['d: c->a', 'b: b->a'] });
  });

  test('(h) a receives the find of b while it uses the token: next(a) = b (A3)', () => {
    expect(after(...h)).toMatchObject({ parents: { a: 'b' }, nexts: { a: 'b' }, states: { a: 'holding.using.followed' } });
  });

  test('(i) a forward the find of d to b, (j) where d is queued behind b', () => {
    expect(after(...i)).toMatchObject({ parents: { a: 'd' }, finds: ['d: a->b'] });
    expect(after(...j)).toMatchObject({ parents: { b: 'd' }, nexts: { a: 'b', b: 'd', d: 'e' }, finds: [] });
  });

  test('(k, l) the token goes b, d, e: six find messages, three token messages', () => {
    const end = after(...j, release('a'), deliver(6), release('b'), deliver(7), release('d'), deliver(8), release('e'));
    expect(end.parents).toEqual({ a: 'd', b: 'd', c: 'e', d: 'e', e: 'e' });
    expect(end.report.summary).toMatchObject({ findMessages: 6, tokenMessages: 3, holder: 'e', served: ['a', 'b', 'd', 'e'] });
    expect(end.report.properties.filter(({ holds }) => holds === false)).toEqual([]);
  });
});
