/** A hub and its lines: strangers, floods, and seats. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { Hub, type HubRules, type Line, type LineListener } from './hub.js';
import { InProcessBus } from './in-process.js';
import { readFrame } from './reading.js';
import type { TransportEvent } from './transport.js';

/** A line whose other end is the test. */
class Fake implements Line {
  readonly got: any[] = [];
  isClosed = false;
  listener!: LineListener;
  declare readonly answers?: () => Promise<boolean>;
  constructor(answers?: () => Promise<boolean>) {
    if (answers) Object.assign(this, { answers });
  }
  send(text: string): void {
    this.got.push(JSON.parse(text));
  }
  close(): void {
    this.isClosed = true;
  }
  listen(listener: LineListener): void {
    this.listener = listener;
  }
  sends(frame: object | string): this {
    this.listener.frame(typeof frame === 'string' ? frame : JSON.stringify(frame));
    return this;
  }
}

function guest(hub: Hub, answers?: () => Promise<boolean>): Fake {
  const line = new Fake(answers);
  hub.attach(line);
  return line;
}
const member = (hub: Hub, id: string, key = `of ${id}`): Fake => guest(hub).sends({ type: 'hello', id, key });
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('5,000 brackets end the line that sent them, and no other', () => {
  const hub = new Hub();
  const [a, b] = [member(hub, 'a'), member(hub, 'b')];
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  const stranger = guest(hub).sends(`{"type":"hello","id":"x","key":"k"}`);
  stranger.sends(`{"type":"send","to":"a","message":${deep}}`);
  expect([stranger.isClosed, hub.malformed]).toEqual([true, 1]);
  b.sends({ type: 'send', to: 'a', message: 'sound' });
  expect(a.got.at(-2)).toEqual({ type: 'down', peer: 'x' });
  expect(a.got.at(-1)).toEqual({ type: 'message', from: 'b', message: 'sound' });
});

test('a rule that does not answer is reported once, and the peer may try again', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const hub = new Hub({ helloMs: 5_000, refuses: () => new Promise(() => {}) });
  const [x, y] = [member(hub, 'x'), member(hub, 'y')];
  vi.advanceTimersByTime(5_000);
  for (const { got } of [x, y])
    expect(got).toEqual([{ type: 'refused', why: 'the hub cannot decide now whether to admit this peer', again: true }]);
  expect(warn.mock.calls).toEqual([
    ['hub: admit has not settled for "x" within 5000 ms, so the peer is refused for now. It may try again'],
  ]);
});

test.each(['constructor', '__proto__', 'x'.repeat(600), 'a\u0000b'])('the id %j is refused, and no peer is notified', (id) => {
  const hub = new Hub();
  const a = member(hub, 'a');
  const evil = guest(hub).sends(`{"type":"hello","id":${JSON.stringify(id)},"key":"k"}`);
  expect(evil.got).toMatchObject([{ type: 'refused', why: expect.stringMatching(/^the id is invalid/) }]);
  expect(evil.isClosed).toBe(true);
  expect(a.got).toEqual([{ type: 'welcome', peers: [] }]);
});

test('frames before an accepted hello are dropped', () => {
  const hub = new Hub();
  const a = member(hub, 'a');
  guest(hub).sends({ type: 'send', to: 'a', message: 'psst' });
  expect(a.got).toEqual([{ type: 'welcome', peers: [] }]);
});

test('a line without a hello is closed at its deadline and not before', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const hub = new Hub({ helloMs: 5_000 });
  const [silent, a] = [guest(hub), member(hub, 'a')];
  vi.advanceTimersByTime(4_999);
  expect(silent.isClosed).toBe(false);
  vi.advanceTimersByTime(2);
  expect(silent.got).toEqual([{ type: 'refused', why: 'no hello was accepted within 5000 ms', again: true }]);
  expect([silent.isClosed, a.isClosed]).toEqual([true, false]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a peer that returns with its key gets its seat even if the old line answers', () => {
  const hub = new Hub();
  const [b, before] = [member(hub, 'b'), guest(hub, () => Promise.resolve(true)).sends({ type: 'hello', id: 'a', key: 'mine' })];
  const after = member(hub, 'a', 'mine');
  expect(after.got[0]).toEqual({ type: 'welcome', peers: ['b'] });
  expect(before.isClosed).toBe(true);
  expect(b.got.slice(1)).toEqual([
    { type: 'up', peer: 'a' },
    { type: 'down', peer: 'a' },
    { type: 'up', peer: 'a' },
  ]);
  before.listener.closed();
  expect(b.got).toHaveLength(4);
});

test.each([
  [true, 'refused'],
  [false, 'welcome'],
])('with another key, if the holder of the seat answers (%s): %s', async (answers, outcome) => {
  const hub = new Hub();
  const holder = guest(hub, () => Promise.resolve(answers)).sends({ type: 'hello', id: 'a', key: 'mine' });
  const other = member(hub, 'a', 'not mine');
  await settled();
  expect(other.got[0].type).toBe(outcome);
  expect(holder.isClosed).toBe(!answers);
});

test('of two clients for the seat of a gone peer, one gets it and one is refused', async () => {
  const hub = new Hub();
  guest(hub, () => Promise.resolve(false)).sends({ type: 'hello', id: 'a', key: 'old' });
  const both = ['new', 'newer'].map((key) => guest(hub, () => Promise.resolve(true)).sends({ type: 'hello', id: 'a', key }));
  await settled();
  expect(both.map(({ got }) => got[0].type).sort()).toEqual(['refused', 'welcome']);
});

test('a client that closes while the hub checks it gets no seat', async () => {
  let decide!: (why: null) => void;
  const rules: HubRules = { refuses: () => new Promise((resolve) => (decide = resolve)) };
  const hub = new Hub(rules);
  const line = member(hub, 'a');
  line.listener.closed();
  decide(null);
  await settled();
  expect(line.got).toEqual([]);
});

test('a rule that throws refuses for now', async () => {
  const hub = new Hub({ refuses: () => Promise.reject(new Error('the user base is away')) });
  const line = member(hub, 'a');
  await settled();
  expect(line.got).toMatchObject([{ type: 'refused', again: true }]);
  expect(JSON.stringify(line.got)).not.toContain('user base');
});

test('waiting messages are limited by size, and only their sender is refused', () => {
  const hub = new Hub();
  const [a, b] = [member(hub, 'a'), member(hub, 'b')];
  const message = 'x'.repeat(1_000_000);
  let sent = 0;
  while (!a.isClosed && sent < 200) {
    a.sends({ type: 'send', to: 'absent', message });
    sent++;
  }
  expect(sent).toBe(5);
  expect(a.got.at(-1).why).toBe(
    '4194304 characters of this peer wait for peers that have not connected; this one is for "absent". Wrap the transport: linked(transport, { peers })',
  );
  b.sends({ type: 'send', to: 'absent', message: 'small' });
  expect(b.isClosed).toBe(false);
  const absent = member(hub, 'absent');
  expect(absent.got.slice(1).map(({ message: { length } }) => length)).toEqual([1e6, 1e6, 1e6, 1e6, 5]);
});

test('and by number: a sender of many small ones does not block others', () => {
  const hub = new Hub();
  const [liar, honest] = [member(hub, 'liar'), member(hub, 'honest')];
  for (let i = 0; i <= 1_000; i++) liar.sends({ type: 'send', to: `ghost ${i}`, message: 1 });
  expect(liar.got.at(-1).why).toMatch(
    /^1000 messages of this peer wait for peers that have not connected; this one is for "ghost 1000"/,
  );
  honest.sends({ type: 'send', to: 'absent', message: 1 });
  expect(honest.isClosed).toBe(false);
});

test('waiting messages for one peer are limited to what its line accepts at once', () => {
  const hub = new Hub();
  const senders = ['a', 'b', 'c'].map((id) => member(hub, id));
  for (const sender of senders)
    for (let i = 0; i < 4; i++) sender.sends({ type: 'send', to: 'absent', message: 'x'.repeat(1_000_000) });
  expect(senders[2]!.got.at(-1).why).toMatch(
    /^8388608 characters wait for a peer that has not connected; this one is for "absent"/,
  );
  expect(member(hub, 'absent').got.slice(1)).toHaveLength(8);
});

test('and in all by its size: many senders get no more than one', () => {
  const hub = new Hub();
  let kept = 0;
  for (let i = 0; i < 20; i++) {
    const line = member(hub, `sender ${i}`);
    for (let n = 0; n < 4 && !line.isClosed; n++) {
      line.sends({ type: 'send', to: `absent ${i}`, message: 'x'.repeat(1_000_000) });
      if (!line.isClosed) kept++;
    }
  }
  expect(kept).toBe(67);
});

test('a peer may have the name of an object method that JavaScript does not define', async () => {
  const bus = new InProcessBus();
  const ids = ['prototype', 'length', 'then', '0', 'a b'];
  const seen: TransportEvent[] = [];
  const transports = ids.map((id) => bus.transport(id));
  transports[0]!.events.subscribe((event) => seen.push(event));
  for (const transport of transports) await transport.connect();
  expect([...transports[0]!.peers]).toEqual(ids.slice(1));
  transports[4]!.send('prototype', 'hello');
  await expect.poll(() => seen.at(-1)).toEqual({ type: 'message', from: 'a b', message: 'hello' });
  bus.close();
});

test('before admission only a hello is allowed, and long frames are not read', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const hub = new Hub({ refuses: () => new Promise(() => {}) });
  for (const frame of [{ type: 'send', to: 'a', message: 1 }, { type: 'nonsense' }, 'no JSON']) {
    expect(guest(hub).sends(frame).isClosed).toBe(true);
    expect(guest(hub).sends({ type: 'hello', id: 'x', key: 'k' }).sends(frame).isClosed).toBe(true);
  }
  parse.mockClear();
  expect(guest(hub).sends(`{"type":"hello","id":"x","key":"k","more":"${'x'.repeat(2 ** 16)}"}`).isClosed).toBe(true);
  expect(parse).not.toHaveBeenCalled();
  // The longest possible hello.
  const longest = { type: 'hello', id: '"'.repeat(255), key: '\u0001'.repeat(255), token: '\u0001'.repeat(2 ** 13) };
  expect(guest(hub).sends(longest).isClosed).toBe(false);
});

test('a frame that grows when it is written out is dropped to protect the receiver', () => {
  const hub = new Hub();
  const [a, b] = [member(hub, 'a'), member(hub, 'b')];
  a.got.length = 0;
  b.sends(`{"type":"send","to":"a","message":[${Array.from({ length: 100_000 }, () => '1e20').join()}]}`);
  b.sends({ type: 'send', to: 'a', message: 'sound' });
  expect(a.got).toEqual(
    [
      { type: 'up', peer: 'b' },
      { type: 'message', from: 'b', message: 'sound' },
    ].slice(1),
  );
  expect(hub.malformed).toBe(1);
});

test('1,200 peers with long names fit: the welcome lists some, the rest follow', () => {
  const hub = new Hub();
  const ids = Array.from({ length: 1_200 }, (_, i) => `${i} ${'é'.repeat(240)}`);
  for (const id of ids) {
    const listen = ({ frame }: LineListener) => frame(JSON.stringify({ type: 'hello', id, key: 'k' }));
    hub.attach({ listen, send: () => {}, close: () => {} });
  }
  const last = member(hub, 'last');
  expect(last.got[0].type).toBe('welcome');
  expect(readFrame(JSON.stringify(last.got[0]))).toHaveProperty('value');
  expect(last.got.length).toBeGreaterThan(1);
  expect(last.got.slice(1).every(({ type }) => type === 'up')).toBe(true);
  expect([...last.got[0].peers, ...last.got.slice(1).map(({ peer }) => peer)]).toEqual(ids);
});

test('a hub sends its first beat with the welcome, so a silent line is detected', () => {
  const line = member(new Hub({ beats: true }), 'a');
  expect(line.got).toEqual([{ type: 'welcome', peers: [] }, { type: 'ping' }]);
});
