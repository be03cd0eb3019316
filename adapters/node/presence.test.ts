/** Who takes part in a conversation, and what becomes of what is said to those who do not. */
import { beforeEach, expect, test } from 'vitest';
import { isGreeting, isLeaving, Presence } from './presence.js';

let said: string[];
let presence: Presence;

beforeEach(() => {
  said = [];
  presence = new Presence(
    (to, { type, ...more }) => said.push(`${to} ${type}${(more as { isAnswer?: boolean }).isAnswer ? ' answer' : ''}`),
    (type, peer) => said.push(`${peer} is ${type}`),
  );
});

const word = { type: 'word' };
const hello = (isAnswer = false) => ({ type: 'node.hello', isAnswer });
const bye = { type: 'node.bye' };
/** What was said and told since somebody last looked. */
const news = () => said.splice(0);

test('greetings and leaves are told from everything else', () => {
  expect([hello(), bye, word].map(isGreeting)).toEqual([true, true, false]);
  expect([hello(), bye, word].map(isLeaving)).toEqual([false, true, false]);
  expect([presence.hear('b', word), news()]).toEqual([false, []]);
});

test('a peer is there once it has greeted, and is answered; who answers is not answered again', () => {
  presence.greet('b');
  expect([news(), presence.has('b')]).toEqual([['b node.hello'], false]);
  expect(presence.hear('b', hello(true))).toBe(true);
  expect([news(), presence.has('b')]).toEqual([['b is up'], true]);
  presence.hear('c', hello());
  expect(news()).toEqual(['c node.hello answer', 'c is up']);
  presence.greet('b');
  presence.hear('b', hello(true));
  expect(news()).toEqual([]);
});

test('one that is there and greets again has begun anew', () => {
  presence.hear('b', hello());
  news();
  presence.hear('b', hello());
  expect(news()).toEqual(['b is down', 'b node.hello answer', 'b is up']);
});

test('what is said to a peer that has not come waits for it, in its order, and for nobody else', () => {
  expect([presence.send('b', word), presence.send('c', word), presence.send('b', { type: 'last' })]).toEqual([null, null, null]);
  presence.hear('b', hello(true));
  expect(news()).toEqual(['b word', 'b last', 'b is up']);
  presence.hear('c', hello(true));
  expect(news()).toEqual(['c word', 'c is up']);
  expect([presence.send('b', word), news()]).toEqual([1, ['b word']]);
});

test('what is said to a peer that has gone is lost, and not kept for when it comes again', () => {
  presence.hear('b', hello(true));
  presence.part('b');
  presence.part('b');
  expect(news()).toEqual(['b is up', 'b is down']);
  expect([presence.send('b', word), presence.has('b')]).toEqual([0, false]);
  presence.hear('b', hello(true));
  expect(news()).toEqual(['b is up']);
});

test('so many messages wait, and no more: the next is refused with its peer', () => {
  for (let i = 0; i < 10_000; i++) presence.send('b', word);
  expect(() => presence.send('c', word)).toThrow(
    'Cannot send to "c": 10000 messages already wait for peers that have not connected.',
  );
});

test('takes leave of all who may count it as there, also of those who have not answered, and of no other', () => {
  presence.greet('b');
  presence.hear('c', hello());
  presence.greet('d');
  presence.hear('d', bye);
  news();
  presence.leave();
  expect([news(), presence.has('c')]).toEqual([['b node.bye', 'c node.bye'], false]);
  presence.leave();
  expect(news()).toEqual([]);
});
