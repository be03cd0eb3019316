/**
 * One frame forged in a peer's name, at any moment of a link. If the forger does not receive frames for that peer, the frame changes
 * nothing. If it does, on a link that is up, the forgery is detected, and stops nothing for good.
 */
import { assign } from 'xstate';
import { describe, expect, test } from 'vitest';
import { explore, type ExploreOptions } from '../../test/explore/explore.js';
import { begin } from '../../network/world/remembering.js';
import type { Message } from '../effects.js';
import type { Choose, Configuration, Corruption, Property, RoleView } from '../protocol.js';
import { checksumOf, CHECKSUM_BASIS, taken, type Frame, type LinkContext, type LinkInput } from './frames.js';
import { link } from './index.js';
import { linkMachine } from './machine.js';
import type { LinkOptions } from './options.js';
import { areConnected, linksOf } from './view.js';

type Changes = Parameters<typeof linkMachine.provide>[0];

/** The state of two ends, and the frames in flight from one of them, or in its name. */
const withForged = (from: string, value: 'up' | 'seeking', forge: (choose: Choose) => Message): Corruption<LinkOptions> => ({
  node: (id, instance) => {
    const { role, input } = link.roles!(id, instance)[0]!;
    const context = begin(linkMachine, input as LinkInput).snapshot.context as LinkContext;
    const known = value === 'up' ? { theirs: 0, latest: 0, theirNonce: context.nonce } : {};
    const end: RoleView<LinkContext> = { chart: 'link', value, context: { ...context, ...known } };
    return { roles: { [role]: end }, timers: [{ role, timer: 'beat', delay: 1 }] };
  },
  channel: (sender, _, __, choose) => (sender === from ? [forge(choose)] : []),
});

/** For every run in these searches. A forger that receives no frames knows the sessions at most. */
const NONCE = 5;
const empty = { seq: 0, ack: 0, checksum: CHECKSUM_BASIS, rejects: false, hears: true, bodies: [] };

/** By a forger that receives all frames. */
const receivedAll = (from: string, forged: Partial<Frame>): Corruption<LinkOptions> =>
  withForged(from, 'up', () => ({ type: 'frame', session: 0, to: 0, nonce: NONCE, echo: NONCE, ...empty, ...forged }) as Message);

/** By a forger that receives no frames: any frame that it can send. */
const receivedNothing = (value: 'up' | 'seeking'): Corruption<LinkOptions> =>
  withForged('a', value, (choose) => {
    const pick = <T>(...all: readonly T[]): T => all[choose(all.length)]!;
    const [session, echo] = [pick(0, 1, 9), pick(null, 7)];
    if (pick(true, false)) return { type: 'bye', session, echo } as Message;
    const bodies = pick([], [7]);
    return { type: 'frame', session, to: pick(null, 0, 9), nonce: 7, echo, ...empty, bodies } as Message;
  });

type Properties = readonly Property<LinkOptions>[];

/** The properties that a forger with all frames breaks for a moment: no rule can prevent that the first arriving frame is accepted. */
const BROKEN = ['acknowledged, delivered, sent', 'one number, one message'];
const found = (properties: Properties): Properties => properties.filter(({ name }) => !BROKEN.includes(name));

const post = (node: string, body: number) =>
  ({ do: 'command', name: 'post', node, fields: { peer: node === 'a' ? 'b' : 'a', body } }) as const;

type More = Partial<ExploreOptions>;

function search(corruption: Corruption<LinkOptions>, changes: Changes, { options = {}, ...more }: More, judge = found) {
  const forged = {
    ...link,
    corruption,
    charts: { link: linkMachine.provide(changes) },
    properties: (instance: never) => judge(link.properties!(instance)),
  };
  return explore(forged, {
    topology: { nodes: ['a', 'b'], links: [['a', 'b', 1]] },
    options: { nonce: NONCE, beat: 1, patience: 1, window: 1, room: 1, suspicions: 0, ...options },
    corrupt: ['a', 'b'],
    goal: (c) => linksOf(c).every(([a, b]) => areConnected(a, b)),
    ...more,
  });
}

const invented = receivedAll('a', { bodies: [7] });
const several = receivedAll('a', { bodies: [7, 8] });
const acknowledged = receivedAll('b', { ack: 1, checksum: checksumOf(CHECKSUM_BASIS, [1]) });
const lossy = { options: { suspicions: 1 }, commands: [post('a', 1)], faults: { loss: 1 } };

const ends = (c: Configuration) => linksOf(c).flat();
const keeps: Property<LinkOptions> = {
  name: 'sessions are kept',
  description: 'No end gives up its session: no peer is suspected, and none restarts.',
  kind: 'always',
  holds: (c) => ends(c).every(({ context }) => context.session === 0),
};
const stays: Property<LinkOptions> = {
  name: 'the link stays',
  description: 'Both ends are up on the sessions with which they started.',
  kind: 'always',
  holds: (c) => linksOf(c).every(([a, b]) => areConnected(a, b) && a.context.theirs === 0 && b.context.theirs === 0),
};
/** Except that the forged frame itself contains, under a number, a message that was not posted under it. */
const isOfOurs = ({ name }: Property<LinkOptions>) => name !== 'one number, one message';
const unmoved = (properties: Properties): Properties => [...properties.filter(isOfOurs), keeps, stays];
const unmet = (properties: Properties): Properties => [...properties.filter(isOfOurs), keeps];

describe('a frame forged without received frames stops no link and ends no peer', () => {
  test.each<[string, number, 'up' | 'seeking', More]>([
    ['they have met, and speak', 5690, 'up', { commands: [post('a', 1), post('b', 2)] }],
    ['they have met, and it comes twice', 3904, 'up', { commands: [post('a', 1)], faults: { duplicate: 1 } }],
    ['they have not met, and a frame is lost', 3689, 'seeking', { commands: [post('a', 1)], faults: { loss: 1 } }],
  ])('%s: %i states', (_, states, value, more) => {
    const { verdict, doomed, states: seen } = search(receivedNothing(value), {}, more, value === 'up' ? unmoved : unmet);
    expect({ verdict, doomed, states: seen }).toEqual({ verdict: 'valid', doomed: 0, states });
  });

  const by =
    (is: (c: LinkContext, spoken: Frame) => boolean) =>
    ({ context, event }: any) =>
      is(context, event);
  test.each<[string, string, 'up' | 'seeking', Changes]>([
    [
      'its messages are accepted',
      'acknowledged, delivered, sent',
      'up',
      { guards: { isOfAnotherConnection: by((c, { to }) => to !== c.session) } },
    ],
    [
      'a later session replaces one that is in use',
      'nothing invented',
      'up',
      { guards: { beginsSession: by((c, { session }) => session > c.latest) } },
    ],
    [
      'the session alone is a proof',
      'nothing invented',
      'seeking',
      { guards: { answersSession: by((c, { to }) => to === c.session) } },
    ],
    [
      'any sender can remember a session',
      'sessions are kept',
      'seeking',
      { guards: { remembersLater: by((c, { to }) => (to ?? 0) > c.session) } },
    ],
    ['anybody says good-bye', 'sessions are kept', 'up', { guards: { isProven: () => true } }],
  ])('but where %s: %s', (_, property, value, changes) => {
    const { verdict, counterexample } = search(receivedNothing(value), changes, {}, value === 'up' ? unmoved : unmet);
    expect([verdict, counterexample?.property]).toEqual(['invalid', property]);
  });
});

describe('a frame forged with all frames is detected, and the link comes up again', () => {
  test.each<[string, number, Corruption<LinkOptions>, Partial<ExploreOptions>]>([
    ['of one message, and nothing is sent', 71, invented, {}],
    ['of one message, and as many are sent meanwhile', 405, invented, { commands: [post('a', 1)] }],
    ['of two messages, and both ends send', 5643, several, { commands: [post('a', 1), post('b', 2)] }],
    ['that acknowledges what may be lost', 7178, acknowledged, lossy],
  ])('%s: %i states', (_, states, corruption, more) => {
    const found = search(corruption, {}, more);
    expect(found).toMatchObject({ verdict: 'valid', doomed: 0 });
    expect(found.states).toBe(states);
  });
});

const taking = (how: (c: LinkContext, frame: Frame) => Partial<LinkContext>) =>
  assign(({ context, event }: any) => ({ ...taken(context, event), ...how(context, event) })) as never;
const ownChecksum = taking((c, { ack }) => ({
  acknowledged: checksumOf(c.acknowledged, c.outbox.slice(0, Math.max(0, ack - c.base))),
}));
const never: Changes = { guards: { isDeceived: () => false } };
const byCount: Changes = {
  guards: { isDeceived: ({ context: { base, sent }, event }) => (event as Frame).ack > base + sent },
  actions: { take: ownChecksum },
};
const anyFrame: Changes = { actions: { take: taking(() => ({ silence: 0 })) } };

describe('without one of the rules it is not detected', () => {
  test.each<[string, string, Corruption<LinkOptions>, Changes, Partial<ExploreOptions>]>([
    ['what was never sent is no sign', 'one account', invented, never, {}],
    ['only the count is compared, and as many were sent', 'one account', invented, byCount, { commands: [post('a', 1)] }],
    ['a frame from before is a sign of life', 'one account', acknowledged, anyFrame, lossy],
  ])('%s: %s', (_, property, corruption, changes, more) => {
    const found = search(corruption, changes, more);
    expect(found.verdict).toBe('invalid');
    expect(found.counterexample?.property).toBe(property);
  });
});
