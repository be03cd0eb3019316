/** Payloads in the conformance suite: values that must arrive unchanged, and garbage that must not become a message. */
import { check, peered, same, type Conformance } from './conformance-peer.js';
import type { Json } from './transport.js';

export function payloads(suite: Conformance): void {
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

export function garbage({ inject, ...suite }: Conformance): void {
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
