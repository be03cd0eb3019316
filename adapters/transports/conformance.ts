/**
 * The conformance suite of transports: requirements on every transport, and those that follow from its `guarantees`.
 *
 * The caller passes the test runner: any function that takes a title and an async function. Tests do not sleep: each waits for an event,
 * with a timeout and a clear error. To show that a message does *not* arrive, a test waits for a later one.
 */
import { wire } from './conformance-wire.js';
import { check, failure, meet, peered, same, type Conformance } from './conformance-peer.js';
import { fieldsOf } from '../../machines/checks.js';
import type { Json } from './transport.js';

export type { Conformance };

/**
 * Defines the tests that every transport must pass, and those that follow from its `guarantees`, with the given runner.
 *
 * @param suite the `test` function of a runner, the guarantees, and a function that creates transports.
 * @example
 * ```ts
 * import { test } from 'node:test';
 * import { transportConformance } from 'xstate-quiver/transports/conformance';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const { guarantees } = new InProcessBus().transport('a');
 * const create = (ids: readonly string[]) => {
 *   const bus = new InProcessBus();
 *   return ids.map((id) => bus.transport(id));
 * };
 * transportConformance({ test, guarantees, create });
 * ```
 * @public
 */
export function transportConformance(suite: Conformance): void {
  for (const part of [identity, delivery, payloads, garbage, wire, order, presence, closing]) part(suite);
}

function identity(suite: Conformance): void {
  const { test, guarantees } = suite;

  test(
    'id and guarantees are as declared',
    peered(suite, ['a', 'b'], async ([a, b]) => {
      check(same([a.transport.id, b.transport.id], ['a', 'b']), 'the ids differ from the requested ones');
      check(same(a.transport.guarantees, guarantees), 'the guarantees differ from those announced to the suite');
    }),
  );

  test(
    'connecting again has no effect',
    peered(suite, ['a', 'b'], async ([a, b]) => {
      await Promise.all([a.transport.connect(), a.transport.connect()]);
      a.transport.send('b', 'once');
      a.transport.send('b', 'end');
      await b.received('end');
      check(
        guarantees.duplication === 'possible' || same(b.messages, ['once', 'end']),
        `b received ${JSON.stringify(b.messages)}`,
      );
    }),
  );

  test(
    'an aborted connect rejects with the reason of its signal',
    peered(
      suite,
      ['a'],
      async ([a]) => {
        const reason = new Error('aborted by the conformance suite');
        const error = await failure(() => a.transport.connect({ signal: AbortSignal.abort(reason) }));
        check(error === reason, `connect rejected with ${error}`);
      },
      false,
    ),
  );

  if (guarantees.identity === 'claimed') return;
  test(
    'a second peer of the same id is refused with a ConnectionError, and the first one stays',
    peered(
      suite,
      ['a', 'b', 'a'],
      async ([a, b, second]) => {
        await meet([a, b]);
        const error = await failure(() => second.transport.connect());
        check(error.name === 'ConnectionError', `the second "a" was refused with ${error}`);
        b.transport.send('a', 'still there?');
        check((await a.received('still there?')) === 'b', 'the first "a" no longer receives messages from b');
      },
      false,
    ),
  );
}

function delivery(suite: Conformance): void {
  const { test } = suite;

  test(
    'a message arrives only at its receiver, with its sender',
    peered(suite, ['a', 'b', 'c'], async ([a, b, c]) => {
      a.transport.send('b', 'for b');
      check((await b.received('for b')) === 'a', 'b received it from another sender');
      a.transport.send('c', 'for c');
      b.transport.send('c', 'also for c');
      check((await c.received('for c')) === 'a' && (await c.received('also for c')) === 'b', 'c received a wrong sender');
      check(!c.messages.includes('for b') && a.messages.length === 0, 'a message arrived at a wrong peer');
    }),
  );

  test(
    'send returns before anything is delivered',
    peered(suite, ['a', 'b'], async ([a, b]) => {
      a.transport.send('b', 'later');
      check(b.messages.length === 0, 'b received while a was still sending');
      await b.received('later');
    }),
  );

  test(
    'messages to unknown peers or to itself do not affect others',
    peered(suite, ['a', 'b'], async ([a, b]) => {
      a.transport.send('nobody', 'lost');
      const error = await failure(() => a.transport.send('a', 'to myself'));
      check(error.name === 'UsageError', `sending to oneself gave ${error}`);
      a.transport.send('b', 'end');
      await b.received('end');
    }),
  );
}

function order(suite: Conformance): void {
  const { test, guarantees } = suite;
  const numbers = Array.from({ length: 500 }, (_, i) => i);

  test(
    guarantees.order === 'fifo' ? 'each pair keeps its order under load' : 'under load messages arrive in any order',
    peered(suite, ['a', 'b', 'c'], async ([a, b, c]) => {
      for (const i of numbers) {
        a.transport.send('c', { a: i });
        b.transport.send('c', { b: i });
      }
      a.transport.send('c', 'a is done');
      b.transport.send('c', 'b is done');
      await Promise.all([c.received('a is done'), c.received('b is done')]);
      for (const sender of ['a', 'b'] as const) {
        const got = c.messages.flatMap((message) => {
          const number = fieldsOf(message)[sender];
          return typeof number === 'number' ? [number] : [];
        });
        const expected = guarantees.loss === 'none' ? numbers : numbers.filter((i) => got.includes(i));
        const seen = guarantees.duplication === 'none' ? got : [...new Set(got)];
        if (guarantees.order === 'unordered') seen.sort((x, y) => x - y);
        check(same(seen, expected), `c received from ${sender}: ${seen.join(' ')}`);
      }
    }),
  );

  if (guarantees.loss === 'possible') return;
  test(
    'a message to a peer that has not connected waits for it',
    peered(
      suite,
      ['a', 'b'],
      async ([a, b]) => {
        await a.transport.connect();
        for (const i of [1, 2, 3]) a.transport.send('b', i);
        await b.transport.connect();
        await b.received(3);
        check(same(b.messages, [1, 2, 3]), `b received ${JSON.stringify(b.messages)}`);
      },
      false,
    ),
  );
}

function presence({ test, guarantees, create }: Conformance): void {
  if (guarantees.presence === 'none') return;
  test(
    'peers are reported up and down once each, and listed in between',
    peered({ test, guarantees, create }, ['a', 'b', 'c'], async ([a, b, c]) => {
      check(same([...a.transport.peers].sort(), ['b', 'c']), `a lists ${[...a.transport.peers].join(' ')}`);
      await c.transport.close();
      for (const peer of [a, b]) {
        await peer.until('c to be down', (event) => event.type === 'down' && event.peer === 'c');
        check(!peer.transport.peers.has('c'), `${peer.transport.id} still lists c`);
        const reported = peer.log.filter((event) => 'peer' in event && event.peer === 'c').map(({ type }) => type);
        check(same(reported, ['up', 'down']), `${peer.transport.id} reported c as ${reported.join(' ')}`);
      }
    }),
  );
}

function closing(suite: Conformance): void {
  const { test } = suite;

  test(
    'after close no message is delivered, and `closed` is the last event',
    peered(suite, ['a', 'b', 'c'], async ([a, b, c]) => {
      const closed = new Promise<void>((resolve, reject) => {
        b.transport.events.subscribe(({ type }) => {
          if (type === 'message') b.transport.close().then(resolve, reject);
        });
      });
      for (let i = 0; i < 20; i++) a.transport.send('b', i);
      await closed;
      a.transport.send('b', 'too late');
      // A round trip: whatever was on its way to b has been through the network by now.
      a.transport.send('c', 'ping');
      await c.received('ping');
      c.transport.send('a', 'pong');
      await a.received('pong');
      check(b.messages.length === 1, `b received ${b.messages.length} messages, and closed at the first`);
      check(same(b.log.at(-1), { type: 'closed', error: null }), `the last event of b is ${JSON.stringify(b.log.at(-1))}`);
    }),
  );

  test(
    'closing twice has no effect, and later calls fail with a ClosedError',
    peered(suite, ['a', 'b'], async ([a]) => {
      await Promise.all([a.transport.close(), a.transport.close()]);
      await a.transport.close();
      check(a.transport.isClosed && a.transport.peers.size === 0, 'a does not look closed');
      for (const use of [() => a.transport.send('b', 1), () => a.transport.connect()]) {
        const error = await failure(use);
        check(error.name === 'ClosedError', `a closed transport answered with ${error}`);
      }
    }),
  );

  test(
    'a transport that is not connected refuses send, and closes',
    peered(
      suite,
      ['a'],
      async ([a]) => {
        const error = await failure(() => a.transport.send('b', 1));
        check(error.name === 'ClosedError', `sending before connect gave ${error}`);
        await a.transport.close();
      },
      false,
    ),
  );

  test(
    'closing while connecting settles the connect with a ClosedError',
    peered(
      suite,
      ['a'],
      async ([a]) => {
        const connecting = failure(() => a.transport.connect());
        await a.transport.close();
        const error = await connecting;
        check(error.name === 'ClosedError', `connect settled with ${error}`);
      },
      false,
    ),
  );
}

/** Payloads in the conformance suite: values that must arrive unchanged, and garbage that must not become a message. */
function payloads(suite: Conformance): void {
  const values: Json[] = [
    null,
    '',
    0,
    -1.5,
    true,
    [],
    {},
    'ünïcödé \u0000 \u2028 😀',
    { nested: [{ deeply: [[1, 'two', null]] }], 'odd key "\n': '' },
    JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'),
    { big: 'x'.repeat(100_000) },
  ];

  suite.test(
    'every JSON value arrives unchanged',
    peered(suite, ['a', 'b'], async ([a, b]) => {
      for (const value of [...values, ...(suite.values ?? [])]) {
        a.transport.send('b', [value]);
        await b.received([value]);
      }
      check(!('polluted' in {}), 'a message changed the prototype of all objects');
    }),
  );

  suite.test(
    'the receiver gets a copy that later changes by the sender do not affect',
    peered(suite, ['a', 'b'], async ([a, b]) => {
      const message = { list: [1] };
      a.transport.send('b', message);
      message.list.push(2);
      a.transport.send('b', 'end');
      await b.received('end');
      check(
        b.messages.some((got) => same(got, { list: [1] })),
        `b received ${JSON.stringify(b.messages)}`,
      );
    }),
  );
}

function garbage({ inject, ...suite }: Conformance): void {
  if (!inject) return;
  const nonsense: Json[] = [null, 7, 'no frame', [], {}, { from: 'a' }, { from: 7, message: 1 }, { type: 'message', from: 'a' }];
  const pollution: Json = JSON.parse('{"__proto__": {"polluted": true}, "type": "hello", "id": {"__proto__": null}}');

  suite.test(
    'garbage is dropped, and the next message arrives',
    peered(suite, ['a', 'b'], async ([a, b]) => {
      for (const value of [...nonsense, pollution, ...(suite.values ?? [])]) await inject('b', value);
      a.transport.send('b', 'sound');
      await b.received('sound');
      check(same(b.messages, ['sound']), `b received ${JSON.stringify(b.messages)}`);
      check(!a.transport.isClosed && !b.transport.isClosed, 'a peer was closed by it');
      check(!('polluted' in {}), 'it changed the prototype of all objects');
    }),
  );
}
