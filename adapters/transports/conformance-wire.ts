/**
 * Hostile text on the wire: the part of the conformance suite for strangers, faulty peers and corruption.
 *
 * Contents: depth, size, extreme numbers, prototype names, partial frames, changed frames of Quiver, and a flood of them. None of them may
 * close a peer or throw beyond the line that reads it, and a later message must arrive.
 */
import { check, peered, type Conformance } from './conformance-peer.js';

const deep = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

/** Frames of Quiver with a stranger's id: to a hub, between peers of a mesh, on a broker, sealed, and of the link layer. */
const ours: readonly string[] = [
  '{"type":"hello","id":"x","key":"0b3a-9d","token":"t"}',
  '{"type":"send","to":"b","message":{"v":1,"name":"locks","message":{"type":"find","hops":3}}}',
  '{"type":"welcome","peers":["a","b"]}',
  '{"type":"mesh","id":"x","run":"5f"}',
  '{"type":"message","message":[1,"two",null]}',
  '{"from":"x","message":{"v":1,"name":"locks","message":{"type":"node.hello","isAnswer":false}}}',
  '{"from":"x","message":["0a1b2c3d","00ff","say","run","heard",7,"{\\"type\\":\\"find\\"}"]}',
  '{"from":"x","message":{"v":1,"name":"link/1","message":{"type":"frame","session":1700000000000000,"to":null,"nonce":1,"echo":null,"ack":0,"checksum":2166136261,"seq":0,"rejects":false,"hears":true,"bodies":["=1"]}}}',
  '{"type":"bye"}',
];

const around = (inner: string): string[] => [
  inner,
  `{"from":"x","message":${inner}}`,
  `{"from":${inner},"message":1}`,
  `{"type":"send","to":"b","message":${inner}}`,
  `{"type":"hello","id":${inner},"key":"k"}`,
  `{"type":${inner}}`,
];

const hostile: readonly string[] = [
  ...[deep(5_000), deep(65), '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000)].flatMap(around),
  ...['1e999', '-1e999', '1e-999', '9007199254740993', '-0', '4294967296'].flatMap(around),
  ...['"__proto__"', '"constructor"', '"toString"', `"${'x'.repeat(600)}"`, '""', '"\\ud800"', '"a\\u0000b"'].flatMap(around),
  ...around('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  '{"__proto__":{"from":"x","message":1}}',
  `[${'0,'.repeat(400_000)}0]`,
  `"${'x'.repeat(1_000_000)}"`,
  '',
  '\u0000',
  '{',
];

/** Some prefixes and two dozen changes of each text, the same in every run. */
export function* changed(texts: readonly string[]): Generator<string> {
  let state = 7;
  const below = (bound: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
  for (const text of texts) {
    for (let i = 1; i < 4; i++) yield text.slice(0, Math.floor((text.length * i) / 4));
    for (let i = 0; i < 24; i++) {
      const [at, length] = [below(text.length), 1 + below(8)];
      const [before, cut, after] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
      yield [
        before + after,
        before + cut + cut + after,
        `${before}${'"{[]},:09\\'[below(10)]}${after}`,
        text.replace(/\d+/, '9'.repeat(1 + below(30))),
      ][i % 4]!;
    }
  }
}

const FLOOD = 1_000;

export function wire({ injectTexts, ...suite }: Conformance): void {
  if (!injectTexts) return;
  const survives = (what: string, texts: () => readonly string[]) =>
    suite.test(
      `${what} on the wire closes no peer, and the next message arrives`,
      peered(suite, ['a', 'b'], async ([a, b]) => {
        await injectTexts('b', texts());
        a.transport.send('b', 'sound');
        await b.received('sound');
        check(!a.transport.isClosed && !b.transport.isClosed, 'a peer was closed by it');
        check(!('polluted' in {}), 'it changed the prototype of all objects');
        const senders = b.log.flatMap((event) => (event.type === 'message' ? [event.from] : []));
        const wrong = senders.find((from) => from in {} || from.length > 255);
        check(wrong === undefined, `b received a message from ${JSON.stringify(wrong)}`);
      }),
    );
  survives('hostile text', () => hostile);
  survives('changed frames of Quiver', () => [...changed(ours)]);
  survives('a flood of incomplete frames', () => Array.from({ length: FLOOD }, (_, i) => ours[i % ours.length]!.slice(0, -2)));
}
