/** Sealed messages frame by frame, on a wire that the test controls: accepted ones, and refused ones with their reasons. */
import { beforeEach, describe, expect, test } from 'vitest';
import { withSmallLimits } from '../small-limits.fixture.js';
import { absenceOf, explainAbsence } from './absence.js';
import { carry, drawn, endOf, met, pair, shown, warnings, type Frame } from './seals.fixture.js';

beforeEach(() => drawn.clear());

describe('frame by frame', () => {
  test('an end asks for the run of the other, then sends its waiting messages, numbered', async () => {
    const { a, b, ends } = await pair();
    a.transport.send('b', { x: 1 });
    a.transport.send('b', 'two');
    expect(shown(carry(ends))).toEqual([
      ['a', 'b', 'ask', 'a1', 'a2', 0, ''],
      ['b', 'a', 'tell', 'b1', 'a2', 0, ''],
      ['a', 'b', 'say', 'a1', 'b1', 1, '{"x":1}'],
      ['a', 'b', 'say', 'a1', 'b1', 2, '"two"'],
    ]);
    a.transport.send('b', 3);
    const [[, , [name, code]]] = carry(ends) as [[string, string, Frame]];
    expect([name, code]).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/), expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(b.arrived).toEqual([
      ['a', { x: 1 }],
      ['a', 'two'],
      ['a', 3],
    ]);
  });

  test('it repeats the question with the same challenge until it is answered', async () => {
    const { a } = await pair();
    const asked = () => a.news().map(([, [, , kind, , challenge]]) => [kind, challenge]);
    a.transport.send('b', 1);
    expect(asked()).toEqual([['ask', 'a2']]);
    a.clock.runUntil(99);
    a.transport.send('b', 2);
    expect(asked()).toEqual([]);
    a.clock.runUntil(100);
    a.transport.send('b', 3);
    expect(asked()).toEqual([['ask', 'a2']]);
  });

  test('an answer to another question is ignored', async () => {
    const { a, b, ends } = await pair();
    a.transport.send('b', 1);
    const [[, first]] = a.news() as [[string, Frame]];
    b.receive('a', first);
    const [[, notified]] = b.news() as [[string, Frame]];
    a.medium.up('b');
    a.medium.down('b');
    a.transport.send('b', 2);
    expect(a.news().map(([, [, , kind, , challenge]]) => [kind, challenge])).toEqual([['ask', 'a3']]);
    a.receive('b', notified);
    expect([a.news(), carry(ends)]).toEqual([[], []]);
  });

  test('a message for an earlier run is answered with stale, at most ten times a second', async () => {
    const { a, b } = await met();
    await b.transport.close();
    const again = await endOf('b');
    const fresh = { a, b: again };
    for (const n of [1, 2]) a.transport.send('b', n);
    expect(shown(carry(fresh)).map(([from, , kind, , arrived]) => [from, kind, arrived])).toEqual([
      ['a', 'say', 'b1'],
      ['a', 'say', 'b1'],
      ['b', 'stale', 'b1'],
      ['a', 'ask', 'a3'],
      ['b', 'tell', 'a3'],
    ]);
    a.transport.send('b', 3);
    carry(fresh);
    expect(again.arrived).toEqual([['a', 3]]);
  });

  test('stale is repeated after a tenth of a second; for an unknown run it is ignored', async () => {
    const { a, b, frames } = await met();
    const say = frames.at(-1)!;
    await b.transport.close();
    const again = await endOf('b');
    const stale = () => again.news().map(([, [, , kind]]) => kind);
    again.receive('a', say);
    expect(stale()).toEqual(['stale']);
    again.clock.runUntil(99);
    again.receive('a', say);
    expect(stale()).toEqual([]);
    again.clock.runUntil(100);
    again.receive('a', say);
    const [[, frame]] = again.news() as [[string, Frame]];
    expect(frame[2]).toBe('stale');
    a.medium.up('b');
    a.medium.down('b');
    a.receive('b', frame);
    expect(a.news()).toEqual([]);
  });
});

describe('a message is accepted once', () => {
  test.each([
    ['none', ['transport "b" dropped a message: a message from "a" was received before']],
    ['possible', []],
  ] as const)('a repeated message is dropped, with a warning for a medium of duplication %s', async (duplication, notified) => {
    const reported = warnings();
    const { b, frames } = await met({ guarantees: { duplication } });
    b.receive('a', frames.at(-1));
    expect([b.arrived, reported()]).toEqual([[], notified]);
  });

  test('messages that overtake each other are accepted, up to a distance to the latest', async () => {
    warnings();
    const { a, b } = await met();
    for (let n = 2; n <= 1_100; n++) a.transport.send('b', n);
    const reported = a.news().map(([, frame]) => frame);
    const of = (number: number) => reported.find((frame) => frame[5] === number)!;
    for (const number of [1_100, 76, 77, 1_099, 77]) b.receive('a', of(number));
    expect(b.arrived).toEqual([
      ['a', 1_100],
      ['a', 77],
      ['a', 1_099],
    ]);
    for (const frame of reported) b.receive('a', frame);
    expect(b.arrived).toHaveLength(1_100 - 76);
  });

  test('messages of an earlier run are not, after its sender has used another', async () => {
    const reported = warnings();
    const { a, b } = await met();
    a.transport.send('b', 2);
    const [[, kept]] = a.news() as [[string, Frame]];
    await a.transport.close();
    const again = await endOf('a');
    again.transport.send('b', 'new');
    carry({ a: again, b });
    b.receive('a', kept);
    expect(b.arrived).toEqual([['a', 'new']]);
    expect(reported()).toEqual(['transport "b" dropped a message: a message from "a" was received before']);
  });

  test('a limited number of earlier runs is stored; beyond it all peers are asked again', async () => {
    warnings();
    // The limit of a rehearsal: one earlier run.
    withSmallLimits();
    const { b } = await met();
    const life = async (word: string) => {
      const a = await endOf('a');
      a.transport.send('b', word);
      return { a, last: carry({ a, b }).at(-1)![2] };
    };
    await life('second');
    expect(drawn.get('b')).toBe(1);
    const { a, last } = await life('third');
    expect([drawn.get('b'), b.arrived.at(-1)]).toEqual([2, ['a', 'third']]);
    b.receive('a', last);
    a.transport.send('b', 'for the run before');
    expect(shown(carry({ a, b })).map(([, , kind]) => kind)).toEqual(['say', 'stale', 'ask', 'tell']);
    await life('fourth');
    expect(drawn.get('b')).toBe(2);
  });
});

describe('refusals with reasons', () => {
  const forged = (frame: Frame, place: number, value: unknown) => frame.map((part, i) => (i === place ? value : part));

  test.each<[what: string, place: number, value: unknown, why: RegExp]>([
    [
      'with a different key',
      0,
      '00000000',
      /the seal of a message from "a" was made with a different key. Use the same key at both peers$/,
    ],
    ['with another code', 1, '0'.repeat(64), /the seal of a message from "a" is broken$/],
    ['with a shorter code', 1, '', /is broken$/],
    ['for another run', 4, 'b9', /is broken$/],
    ['with another number', 5, 9, /is broken$/],
    ['with another text', 6, '"ho"', /is broken$/],
    ['of another kind', 2, 'ask', /is broken$/],
    ['of no kind', 2, 'shout', /a message from "a" has no seal$/],
    ['with a name that is too long', 0, '000000000', /has no seal$/],
    ['with a code that is too long', 1, '0'.repeat(65), /has no seal$/],
    ['with a run that is too long', 3, 'x'.repeat(37), /has no seal$/],
    ['with an invalid run', 3, 7, /has no seal$/],
    ['with a receiver that is too long', 4, 'x'.repeat(37), /has no seal$/],
    ['with a number below 0', 5, -1, /has no seal$/],
    ['with an invalid number', 5, 0.5, /has no seal$/],
    ['with no text', 6, null, /has no seal$/],
  ])('a frame %s', async (_, place, value, why) => {
    const reported = warnings();
    const { b, frames } = await met();
    const say = frames.at(-1)!;
    b.receive('a', forged(forged(say, 5, 2) as Frame, place, value));
    expect([b.arrived, b.news()]).toEqual([[], []]);
    expect(reported()).toEqual([expect.stringMatching(why)]);
  });

  test('an invalid frame, or one in another name', async () => {
    const reported = warnings();
    const { b, frames } = await met();
    const say = frames.at(-1)!;
    for (const value of ['text', null, Object.assign({}, say), say.slice(0, 6), [...say, 1]]) b.receive('a', value);
    b.receive('c', say);
    expect(b.arrived).toEqual([]);
    b.clock.runUntil(10_000);
    b.receive('a', 'again');
    expect(reported()).toEqual([
      'transport "b" dropped a message: a message from "a" has no seal',
      'transport "b" dropped a message: a message from "a" has no seal (and 5 more since the last warning)',
    ]);
  });

  test('a message that is not JSON, or too deep', async () => {
    const reported = warnings();
    const { b } = await met();
    // A process with the key may send anything.
    const raw = await endOf('x');
    const send = (raw.transport as unknown as { connection: { send(to: string, message: unknown, text: string): void } })
      .connection;
    send.send('b', null, 'half a mess');
    carry({ x: raw, b });
    expect(b.arrived).toEqual([]);
    expect(reported()).toEqual(['transport "b" dropped a message: it is not JSON: half a mess, from "x"']);
  });

  test('a peer is unreachable because of its last refusal, until a message is accepted', async () => {
    warnings();
    const { a, b, ends, frames } = await met();
    const why = () => absenceOf(b.transport, 'a');
    explainAbsence(b.wire, () => 'the wire says so');
    expect(why()).toBe('the wire says so');
    const say = forged(frames.at(-1)!, 5, 2) as Frame;
    b.receive('a', 'text');
    expect(why()).toBe('it sends without a seal and is refused. Use sealed with the same key there');
    b.receive('a', forged(say, 0, '00000000'));
    expect(why()).toBe('it sends with a seal of a different key and is refused. Use the same key at both peers');
    b.receive('a', say);
    expect(why()).toBe('it sends with a broken seal and is refused');
    a.transport.send('b', 1);
    carry(ends);
    expect(why()).toBe('the wire says so');
    for (let i = 0; i < 1_001; i++) b.receive(`x${i}`, 'text');
    expect(['x0', 'x1', 'x1000'].map((peer) => absenceOf(b.transport, peer))).toEqual([
      'the wire says so',
      'it sends without a seal and is refused. Use sealed with the same key there',
      'it sends without a seal and is refused. Use sealed with the same key there',
    ]);
  });
});
