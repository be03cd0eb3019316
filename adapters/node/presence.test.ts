/** Presence in a conversation, and messages to absent peers. */
import { beforeEach, expect, test } from 'vitest';
import { isGreeting, isLeaving, Presence } from './presence.js';

let reported: string[];
let presence: Presence;

beforeEach(() => {
  reported = [];
  presence = new Presence(
    (to, { type, ...more }) => reported.push(`${to} ${type}${(more as { isAnswer?: boolean }).isAnswer ? ' answer' : ''}`),
    (type, peer) => reported.push(`${peer} is ${type}`),
  );
});

const word = { type: 'word' };
const hello = (isAnswer = false) => ({ type: 'node.hello', isAnswer });
const bye = { type: 'node.bye' };
/** Messages and reports since the last call. */
const news = () => reported.splice(0);

test('greetings and goodbyes differ from all other messages', () => {
  expect([hello(), bye, word].map(isGreeting)).toEqual([true, true, false]);
  expect([hello(), bye, word].map(isLeaving)).toEqual([false, true, false]);
  expect([presence.receive('b', word), news()]).toEqual([false, []]);
});

test('a peer is present after its greeting, which is answered; answers are not', () => {
  presence.greet('b');
  expect([news(), presence.has('b')]).toEqual([['b node.hello'], false]);
  expect(presence.receive('b', hello(true))).toBe(true);
  expect([news(), presence.has('b')]).toEqual([['b is up'], true]);
  presence.receive('c', hello());
  expect(news()).toEqual(['c node.hello answer', 'c is up']);
  presence.greet('b');
  presence.receive('b', hello(true));
  expect(news()).toEqual([]);
});

test('a present peer that greets again has restarted', () => {
  presence.receive('b', hello());
  news();
  presence.receive('b', hello());
  expect(news()).toEqual(['b is down', 'b node.hello answer', 'b is up']);
});

test('messages to a peer that has not connected wait for it in order', () => {
  expect([presence.send('b', word), presence.send('c', word), presence.send('b', { type: 'last' })]).toEqual([null, null, null]);
  presence.receive('b', hello(true));
  expect(news()).toEqual(['b word', 'b last', 'b is up']);
  presence.receive('c', hello(true));
  expect(news()).toEqual(['c word', 'c is up']);
  expect([presence.send('b', word), news()]).toEqual([1, ['b word']]);
});

test('messages to a departed peer are lost, and not sent when it returns', () => {
  presence.receive('b', hello(true));
  presence.part('b');
  presence.part('b');
  expect(news()).toEqual(['b is up', 'b is down']);
  expect([presence.send('b', word), presence.has('b')]).toEqual([0, false]);
  presence.receive('b', hello(true));
  expect(news()).toEqual(['b is up']);
});

test('all present peers and the latest departed ones are remembered', () => {
  const GONE_MAX = 10_000;
  const comeAndGo = (peer: string) => {
    presence.receive(peer, hello(true));
    presence.part(peer);
  };
  presence.receive('here', hello(true));
  comeAndGo('again');
  comeAndGo('first');
  comeAndGo('again');
  for (let i = 2; i <= GONE_MAX; i++) comeAndGo(`p${i}`);
  expect(presence.send('first', word)).toBe(0);
  comeAndGo('last');
  presence.part('here');
  // A message to a peer that is remembered is lost. One to a forgotten peer waits, as for a peer that has not connected yet.
  expect(['here', 'again', 'last', 'first'].map((peer) => presence.send(peer, word))).toEqual([0, 0, 0, null]);
});

test('waiting messages are limited: the next one is refused with its peer', () => {
  for (let i = 0; i < 10_000; i++) presence.send('b', word);
  expect(() => presence.send('c', word)).toThrow(
    'Cannot send to "c": 10000 messages already wait for peers that have not connected.',
  );
});

test('sends goodbye to all peers that may count it as present, and to no others', () => {
  presence.greet('b');
  presence.receive('c', hello());
  presence.greet('d');
  presence.receive('d', bye);
  news();
  presence.leave();
  expect([news(), presence.has('c')]).toEqual([['b node.bye', 'c node.bye'], false]);
  presence.leave();
  expect(news()).toEqual([]);
});
