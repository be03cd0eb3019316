/** Requests to the node of quotas, names and banks, on a node that the test controls. */
import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import type { Message } from '../../machines/effects.js';
import type { LiveNode } from '../node/node.js';
import { ClosedError, ConnectionError } from '../transports/errors.js';
import { InProcessBus } from '../transports/in-process.js';
import { Questions } from '../node/questions.js';
import { createControllerNode, requireAmount } from './controller-node.js';

function questionsOf() {
  const asked: [string, unknown][] = [];
  let end!: (error: Error | null) => void;
  const notifications$ = new Subject<Message>();
  const node = {
    id: 'a',
    name: 'jobs',
    notifications$,
    closed: new Promise((resolve) => (end = resolve)),
    command: (name: string, fields: unknown) => {
      if (name === 'bad') throw new Error('not now');
      if (name === 'late') throw new ClosedError('node "a" of "jobs" is closed');
      asked.push([name, fields]);
    },
  };
  return { questions: new Questions('quota', node as unknown as LiveNode, ['given', 'refused']), notifications$, asked, end };
}

const outcome = (promise: Promise<unknown>) =>
  promise.then(
    (value) => value,
    (error: Error) => error.message,
  );

test('answers belong to the requests in their order', async () => {
  const { questions, notifications$, asked } = questionsOf();
  expect(questions.isIdle).toBe(true);
  notifications$.next({ type: 'given' });
  const [first, second] = [questions.ask('take', { amount: 1 }), questions.ask('take')];
  expect([asked, questions.isIdle]).toEqual([
    [
      ['take', { amount: 1 }],
      ['take', {}],
    ],
    false,
  ]);
  notifications$.next({ type: 'other' });
  notifications$.next({ type: 'refused' });
  notifications$.next({ type: 'given' });
  expect([await first, await second, questions.isIdle]).toEqual([{ type: 'refused' }, { type: 'given' }, true]);
});

test('an invalid question is not counted, and others are answered', async () => {
  const { questions, notifications$ } = questionsOf();
  const first = questions.ask('take');
  await expect(questions.ask('bad')).rejects.toThrow('not now');
  const last = questions.ask('take');
  for (const type of ['given', 'refused']) notifications$.next({ type });
  expect([await first, await last]).toEqual([{ type: 'given' }, { type: 'refused' }]);
});

test('after a lost connection, every request fails with the first error', async () => {
  const { questions, notifications$, end, asked } = questionsOf();
  const waiting = [questions.ask('take'), questions.ask('take')].map(outcome);
  notifications$.next({ type: 'severed' });
  const why = 'quota "jobs" of peer "a" has lost its connection to the others. Create it again with a new name.';
  expect([await Promise.all(waiting), questions.isIdle]).toEqual([[why, why], true]);
  end(new Error('later'));
  await Promise.resolve();
  await expect(questions.ask('take')).rejects.toThrow(ConnectionError);
  await expect(questions.ask('take')).rejects.toThrow(why);
  expect(asked).toHaveLength(2);
});

test('if its node closes or ends, every request fails with that error', async () => {
  for (const [error, why] of [
    [null, 'quota "jobs" of peer "a" is closed'],
    [new Error('cut'), 'cut'],
  ] as const) {
    const { questions, end } = questionsOf();
    const waiting = outcome(questions.ask('take'));
    end(error);
    const late = outcome(questions.ask('late'));
    expect([await waiting, await late, await outcome(questions.ask('take'))]).toEqual([why, why, why]);
  }
});

test.each([0, -1, 0.5, NaN, Infinity, 2 ** 53])('%d is not an amount', (amount) => {
  expect(() => requireAmount(amount)).toThrow(`Invalid amount: ${amount}. Pass an integer of at least 1.`);
});

test('an amount is a whole number of at least 1', () => {
  for (const amount of [1, 2 ** 53 - 1]) expect(() => requireAmount(amount)).not.toThrow();
});

test('by default the peers are a star around the first by name', () => {
  const of = (options: object) => {
    const node = createControllerNode(
      { transport: new InProcessBus().transport('b'), peers: ['c', 'a', 'b', 'c'], ...options },
      { M: 5, W: 0 },
    );
    const { topology, options: given } = node.scenario;
    void node.close();
    return { name: node.name, topology, given };
  };
  expect(of({})).toEqual({
    name: 'controller',
    topology: {
      nodes: ['a', 'b', 'c'],
      links: [
        ['a', 'b', 1],
        ['a', 'c', 1],
      ],
    },
    given: { M: 5, W: 0, root: 'a', parents: { a: 'a', b: 'a', c: 'a' } },
  });
  const parents = { a: 'b', b: 'b', c: 'a' };
  expect(of({ parents, name: 'mine' })).toMatchObject({
    name: 'mine',
    topology: {
      links: [
        ['b', 'a', 1],
        ['a', 'c', 1],
      ],
    },
    given: { root: 'b', parents },
  });
});

test('an unlisted peer, and a tree without a root, are refused with errors', () => {
  const transport = new InProcessBus().transport('z');
  expect(() => createControllerNode({ transport, peers: ['b', 'a'] }, {})).toThrow(
    'peer "z" is missing in peers (a, b). Add it.',
  );
  expect(() => createControllerNode({ transport, peers: ['z', 'a'], parents: { z: 'a', a: 'z' } }, {})).toThrow(
    'parents has no root. Map one of the peers to itself.',
  );
});
