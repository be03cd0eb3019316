/** A hub frame by frame: admission, refusals, valid frames, and waiting messages. */
import { expect, test, vi } from 'vitest';
import { withSmallLimits } from '../small-limits.fixture.js';
import { checkSecret, Hub, isHello, type HubRules, type Line, type LineListener } from './hub.js';

class Far implements Line {
  readonly got: any[] = [];
  closes = 0;
  declare peer?: string;
  listener!: LineListener;
  declare answers?: () => Promise<boolean>;
  constructor(answers?: () => Promise<boolean>) {
    if (answers) this.answers = answers;
  }
  send = (text: string): void => void this.got.push(JSON.parse(text));
  close = (): void => void this.closes++;
  listen = (listener: LineListener): void => void (this.listener = listener);
  sends(frame: unknown): this {
    this.listener.frame(typeof frame === 'string' ? frame : JSON.stringify(frame));
    return this;
  }
  news = () => this.got.splice(0);
}

function hubOf(rules: HubRules = {}) {
  const hub = new Hub(rules);
  const guest = (answers?: () => Promise<boolean>) => {
    const far = new Far(answers);
    hub.attach(far);
    return far;
  };
  const member = (id: string, key = `of ${id}`, answers?: () => Promise<boolean>) =>
    guest(answers).sends({ type: 'hello', id, key });
  return { hub, guest, member };
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const send = (to: string, message: unknown) => ({ type: 'send', to, message });

test('a client is welcomed with a list of peers, and they are notified of it', () => {
  const { hub, member } = hubOf();
  const [a, b] = [member('a'), member('b')];
  expect([a.news(), b.news(), a.peer]).toEqual([
    [
      { type: 'welcome', peers: [] },
      { type: 'up', peer: 'b' },
    ],
    [{ type: 'welcome', peers: ['a'] }],
    'a',
  ]);
  a.sends({ type: 'bye' });
  expect([a.closes, b.news(), hub.malformed]).toEqual([1, [{ type: 'down', peer: 'a' }], 0]);
  a.sends({ type: 'bye' }).sends(send('b', 'late'));
  a.listener.closed();
  expect([a.closes, b.news()]).toEqual([1, []]);
});

test('a hub that beats sends beats to all, and one that closes closes every line', () => {
  const { hub, guest, member } = hubOf({ beats: true });
  const [a, b, silent] = [member('a'), member('b'), guest()];
  expect(b.news()).toEqual([{ type: 'welcome', peers: ['a'] }, { type: 'ping' }]);
  a.news();
  hub.beat();
  expect([a.news(), b.news(), silent.news()]).toEqual([[{ type: 'ping' }], [{ type: 'ping' }], []]);
  hub.close();
  expect([a, b, silent].map(({ closes }) => closes)).toEqual([1, 1, 1]);
  expect(hubOf().member('a').news()).toEqual([{ type: 'welcome', peers: [] }]);
});

test('messages are forwarded; invalid frames are counted and change nothing', () => {
  const { hub, member } = hubOf();
  const [a, b] = [member('a'), member('b')];
  b.news();
  a.sends(send('b', { x: [1] })).sends(send('b', null));
  expect(b.news()).toEqual([
    { type: 'message', from: 'a', message: { x: [1] } },
    { type: 'message', from: 'a', message: null },
  ]);
  a.sends({ type: 'pong' });
  expect(hub.malformed).toBe(0);
  for (const frame of [
    7,
    'text',
    null,
    [],
    {},
    { type: 'ping' },
    { type: 'send', to: 'b' },
    { type: 'send', to: '', message: 1 },
    { to: 'b', message: 1 },
    { type: 'hello', id: 'z', key: 'z' },
  ])
    a.sends(JSON.stringify(frame));
  expect([hub.malformed, a.closes, b.news()]).toEqual([10, 0, []]);
  a.sends('half a fra');
  expect([hub.malformed, a.closes, b.news()]).toEqual([11, 1, [{ type: 'down', peer: 'a' }]]);
});

test.each<[what: string, frame: unknown]>([
  ['not an object', 7],
  ['no hello', { type: 'helo', id: 'a', key: 'k' }],
  ['no id', { type: 'hello', key: 'k' }],
  ['no key', { type: 'hello', id: 'a' }],
  ['an empty key', { type: 'hello', id: 'a', key: '' }],
  ['a key that is not a text', { type: 'hello', id: 'a', key: 7 }],
  ['a long key', { type: 'hello', id: 'a', key: 'x'.repeat(5_000) }],
  ['an empty token', { type: 'hello', id: 'a', key: 'k', token: '' }],
  ['a token that is not a text', { type: 'hello', id: 'a', key: 'k', token: 7 }],
  ['a message', send('a', 1)],
])('an invalid first frame (%s) closes its line and is counted', (_, frame) => {
  expect(isHello(frame)).toBe(false);
  const { hub, guest } = hubOf();
  const far = guest().sends(JSON.stringify(frame));
  expect([far.closes, far.got, hub.malformed]).toEqual([1, [], 1]);
});

test('a hello may contain a token, and a client may send goodbye instead', () => {
  expect(isHello({ type: 'hello', id: 'a', key: 'k', token: 't' })).toBe(true);
  const { hub, guest } = hubOf();
  expect([guest().sends({ type: 'bye' }).closes, guest().sends({ type: 'pong' }).closes, hub.malformed]).toEqual([1, 0, 0]);
});

test('a secret is a text of limited length, and errors do not show it', () => {
  for (const good of ['x', 'x'.repeat(10)]) expect(() => checkSecret(good, 'the token', 10)).not.toThrow();
  for (const bad of ['', 'x'.repeat(11), 7, undefined])
    expect(() => checkSecret(bad, 'the token', 10)).toThrow('the token must be a string of 1 to 10 characters');
});

test('a client that the rule refuses gets the reason; an admitted one gets a seat', async () => {
  const refused: unknown[][] = [];
  const { member } = hubOf({
    refuses: async ({ id }) => (id === 'x' ? 'not you' : null),
    refused: (...given) => refused.push(given),
  });
  const [a, x] = [member('a'), member('x')];
  await turn();
  expect([a.news(), x.news(), x.closes]).toEqual([[{ type: 'welcome', peers: [] }], [{ type: 'refused', why: 'not you' }], 1]);
  expect(refused).toEqual([['x', 'not you', x]]);
});

test('a rule that fails refuses for now, and reports no refusal', async () => {
  const refused = vi.fn();
  const { member } = hubOf({ refuses: () => Promise.reject(new Error('mine')), refused });
  const a = member('a');
  await turn();
  expect(a.news()).toEqual([{ type: 'refused', why: 'the hub cannot decide now whether to admit this peer', again: true }]);
  expect(refused).not.toHaveBeenCalled();
});

test('an id has one holder: another key gets the seat only if it does not answer', async () => {
  let isThere = true;
  const { member } = hubOf();
  const first = member('a', 'one', async () => isThere);
  const second = member('a', 'two');
  await turn();
  expect([second.news(), first.closes]).toEqual([
    [{ type: 'refused', why: 'the id "a" is in use. Use a unique id for each peer' }],
    0,
  ]);
  isThere = false;
  first.news();
  const third = member('a', 'three');
  await turn();
  expect([third.news(), first.closes]).toEqual([[{ type: 'welcome', peers: [] }], 1]);
  expect(first.news()).toEqual([
    {
      type: 'refused',
      why: expect.stringMatching(/^another process uses the id and the key of this peer. Use unique ones/),
      again: true,
    },
  ]);
  const plain = hubOf();
  plain.member('a', 'one');
  expect(plain.member('a', 'two').news()).toEqual([
    { type: 'refused', why: 'the id "a" is in use. Use a unique id for each peer' },
  ]);
});

test('a client that closes while its holder is asked gets no seat', async () => {
  const { member, guest } = hubOf();
  let answer!: (is: boolean) => void;
  const holder = member('a', 'one', () => new Promise((resolve) => (answer = resolve)));
  holder.news();
  const late = guest().sends({ type: 'hello', id: 'a', key: 'two' });
  late.sends({ type: 'bye' });
  answer(false);
  await turn();
  expect([late.news(), late.closes]).toEqual([[], 1]);
});

test('messages wait for peers that have not connected, and are lost for those gone', () => {
  const { member } = hubOf();
  const a = member('a');
  a.sends(send('b', 1)).sends(send('b', 2));
  const b = member('b');
  expect(b.news()).toEqual([
    { type: 'welcome', peers: ['a'] },
    { type: 'message', from: 'a', message: 1 },
    { type: 'message', from: 'a', message: 2 },
  ]);
  b.sends({ type: 'bye' });
  a.sends(send('b', 3));
  expect(member('b').news()).toEqual([{ type: 'welcome', peers: ['a'] }]);
});

/**
 * A hub with the limits of a rehearsal: 20 messages from one sender, 40 for one receiver, 60 in total. It remembers five departed peers.
 */
function smallHub() {
  withSmallLimits();
  return hubOf();
}
const why = (far: Far) => far.got.at(-1);
const advice = 'Wrap the transport: linked(transport, { peers })';

test('waiting messages are limited by sender, receiver and total; delivery frees space', () => {
  const { member } = smallHub();
  const a = member('a');
  for (let i = 0; i < 20; i++) a.sends(send('x', i));
  expect(a.closes).toBe(0);
  expect(member('x').got).toHaveLength(21);
  for (let i = 0; i < 20; i++) a.sends(send('y', i));
  expect(a.closes).toBe(0);
  a.sends(send('z', 'one more'));
  expect([why(a), a.closes]).toEqual([
    { type: 'refused', why: `20 messages of this peer wait for peers that have not connected; this one is for "z". ${advice}` },
    1,
  ]);
  const [b, c] = [member('b'), member('c')];
  for (let i = 0; i < 20; i++) b.sends(send('y', i));
  c.sends(send('y', 'one more'));
  expect(why(c)).toEqual({
    type: 'refused',
    why: `40 messages wait for a peer that has not connected; this one is for "y". ${advice}`,
  });
  const [d, e] = [member('d'), member('e')];
  for (let i = 0; i < 20; i++) d.sends(send('w', i));
  e.sends(send('v', 'one more'));
  expect(why(e)).toEqual({
    type: 'refused',
    why: `60 messages wait for peers that have not connected; this one is for "v". ${advice}`,
  });
});

test('and by its size', () => {
  const { member } = smallHub();
  const a = member('a');
  const around = '{"type":"message","from":"a","message":""}'.length;
  a.sends(send('x', 'x'.repeat(2 ** 13 - around)));
  expect(a.closes).toBe(0);
  a.sends(send('x', ''));
  expect(why(a)).toEqual({
    type: 'refused',
    why: `8192 characters of this peer wait for peers that have not connected; this one is for "x". ${advice}`,
  });
});

test('a limited number of departed peers is remembered; for others messages wait', () => {
  const { member } = smallHub();
  const a = member('a');
  for (let i = 0; i < 6; i++) member(`x${i}`).sends({ type: 'bye' });
  a.sends(send('x0', 'kept')).sends(send('x1', 'lost'));
  expect([member('x0').got.length, member('x1').got.length]).toEqual([2, 1]);
});

test('a number that grows beyond the limit when it is written out is dropped', () => {
  const { hub, member } = hubOf();
  const [a, b] = [member('a'), member('b')];
  b.news();
  a.sends(`{"type":"send","to":"b","message":[${Array.from({ length: 60_000 }, () => '1e20').join(',')}]}`);
  expect([hub.malformed, b.news(), a.closes]).toEqual([1, [], 0]);
});
