/** Gestures on live nodes of this process: the effect and the report of each. Nothing is lost when they end. */
import { describe, expect, test } from 'vitest';
import type { LiveNode } from '../../adapters/node/node.js';
import { NodeGate } from './gate.js';
import { livePair } from './pair.fixtures.js';

/** `a` has the token, and the events of its gate are recorded. */
async function pair() {
  const [a, b] = livePair();
  await Promise.all([a.ready, b.ready]);
  const notified: string[] = [];
  const gateOfA = new NodeGate(a, {
    message: ({ type, peer, number }) => void notified.push(`${type} ${peer} ${number}`),
    node: (what) => void notified.push(what),
  });
  return { a, b, notified, gateOfA };
}

const valueOf = (node: LiveNode): unknown => node.view()['directory']!.value;
const next = (node: LiveNode, type: string): Promise<void> =>
  new Promise((resolve) => node.addEventListener(type, () => resolve(), { once: true }));
const holding = { holding: 'idle' };

describe('a message to a live node', () => {
  test('waits while it is paused, its commands too, and both go on', async () => {
    const { a, b, notified, gateOfA } = await pair();
    gateOfA.do({ do: 'pause', node: 'a' });
    const granted = next(b, 'granted');
    b.command('request');
    await expect.poll(() => notified).toEqual(['was paused by hand', 'waits b 1']);
    expect(gateOfA.offer().standing).toEqual(['paused']);
    a.command('request');
    expect(valueOf(a)).toEqual(holding);
    const own = next(a, 'granted');
    gateOfA.do({ do: 'resume', node: 'a' });
    await own;
    a.command('release');
    await granted;
    expect(gateOfA.offer().standing).toEqual([]);
  });

  test('a command from the page is reported as such', async () => {
    const { a, notified, gateOfA } = await pair();
    const granted = next(a, 'granted');
    gateOfA.do({ do: 'request', node: 'a' });
    await granted;
    expect(notified).toEqual(['was given the command request by hand']);
  });

  test('a command that cannot be held up is taken: a release by the application counts', async () => {
    const { a, gateOfA } = await pair();
    const [granted, released] = [next(a, 'granted'), next(a, 'released')];
    a.command('request');
    await granted;
    gateOfA.do({ do: 'pause', node: 'a' });
    a.command('release');
    await released;
  });

  test('waits in a clogged channel, and is dropped, doubled and taken first by hand', async () => {
    const { b, notified, gateOfA } = await pair();
    gateOfA.do({ do: 'clog', channel: ['b', 'a'] });
    b.command('request');
    await expect.poll(() => notified).toContain('waits b 1');
    const find = { from: 'b', number: 1, message: { type: 'find' } };
    gateOfA.do({ do: 'duplicate' }, find);
    gateOfA.do({ do: 'drop' }, find);
    const granted = next(b, 'granted');
    gateOfA.do({ do: 'deliver' }, find);
    await granted;
    expect(notified).toEqual(['receives nothing from b, by hand', 'waits b 1', 'doubled b 1', 'waits b 1', 'lost b 1']);
  });

  test('is overtaken if it is kept back, and arrives when gestures end', async () => {
    const { b, notified, gateOfA } = await pair();
    gateOfA.do({ do: 'clog', channel: ['b', 'a'] });
    b.command('request');
    await expect.poll(() => notified).toContain('waits b 1');
    gateOfA.do({ do: 'hold' }, { from: 'b', number: 1, message: { type: 'find' } });
    const overtaking = new Promise<void>((resolve) =>
      gateOfA.comes({ from: 'b', message: { type: 'find' }, number: 2 }, resolve),
    );
    gateOfA.do({ do: 'unclog', channel: ['b', 'a'] });
    await overtaking;
    expect(gateOfA.offer().standing).toEqual(['find of b kept back']);
    const granted = next(b, 'granted');
    gateOfA.letGo();
    await granted;
    expect(gateOfA.offer().standing).toEqual([]);
  });

  test('is delayed by the given time, in order, and arrives when the gate is removed', async () => {
    const { b, notified, gateOfA } = await pair();
    gateOfA.do({ do: 'slow', channel: ['b', 'a'], by: 3_600_000 });
    const granted = next(b, 'granted');
    b.command('request');
    await expect.poll(() => notified).toContain('waits b 1');
    expect(valueOf(b)).not.toEqual(holding);
    gateOfA.remove();
    await granted;
  });

  test('is lost with its peer', async () => {
    const { a, b, notified, gateOfA } = await pair();
    gateOfA.do({ do: 'pause', node: 'a' });
    b.command('request');
    await expect.poll(() => notified).toContain('waits b 1');
    gateOfA.parted('b');
    gateOfA.letGo();
    expect(valueOf(a)).toEqual(holding);
  });
});

test.each([
  [{ do: 'crash', node: 'a' }, /"crash" is not possible on a live node. Use pause, resume/],
  [{ do: 'pause', node: 'z' }, /"z" is not a node of the topology/],
  [{ do: 'jump', node: 'a' }, /"jump" is neither a command of protocol directory nor an event of the network/],
  [
    { do: 'clog', channel: ['a', 'b'] },
    /Node "a" does not hold back messages from "a" to "b", which "b" receives\. Send the command to "b"/,
  ],
  [{ do: 'release', node: 'a' }, /Node "a" cannot accept the command "release" in its current state/],
])('what cannot be done is refused, and nothing has changed: %o', async (gesture, why) => {
  const { gateOfA, notified } = await pair();
  expect(() => gateOfA.do(gesture)).toThrow(why);
  expect(gateOfA.offer().standing).toEqual([]);
  expect(notified).toEqual([]);
});

test('a message that does not wait is named, with a remedy', async () => {
  const { gateOfA } = await pair();
  expect(() => gateOfA.do({ do: 'drop' }, { from: 'b', number: 9, message: { type: 'find' } })).toThrow(
    /The message "find" from "b" has already arrived\. .*pause the node or clog the channel first/,
  );
});

test('a gate at which nothing is held up delays nothing', async () => {
  const { b, notified } = await pair();
  const granted = next(b, 'granted');
  b.command('request');
  await granted;
  expect(notified).toEqual([]);
});
