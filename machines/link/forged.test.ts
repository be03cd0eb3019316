/** One frame forged in a peer's name, at any moment of a link that is up: it is found out, and stops nothing for good. */
import { assign } from 'xstate';
import { describe, expect, test } from 'vitest';
import { explore, type ExploreOptions } from '../../test/index.js';
import { begin } from '../../network/world/remembering.js';
import type { Corruption, RoleView } from '../protocol.js';
import { checksumOf, CHECKSUM_BASIS, taken, type Frame, type LinkContext, type LinkInput } from './frames.js';
import { link } from './index.js';
import { linkMachine } from './machine.js';
import type { LinkOptions } from './options.js';
import { areConnected, linksOf } from './view.js';

type Changes = Parameters<typeof linkMachine.provide>[0];

/** Both ends have met, and a frame in the name of a, or of b, is on its way. */
const withForged = (from: string, forged: Partial<Frame>): Corruption<LinkOptions> => ({
  node: (id, instance) => {
    const { role, input } = link.roles!(id, instance)[0]!;
    const context = begin(linkMachine, input as LinkInput).snapshot.context as LinkContext;
    const met: RoleView<LinkContext> = { chart: 'link', value: 'up', context: { ...context, theirs: 0, latest: 0 } };
    return { roles: { [role]: met }, timers: [{ role, timer: 'beat', delay: 1 }] };
  },
  channel: (sender) => {
    const frame = { session: 0, to: 0, ack: 0, checksum: CHECKSUM_BASIS, seq: 0, rejects: false, hears: true, bodies: [] };
    return sender === from ? [{ type: 'frame', ...frame, ...forged }] : [];
  },
});

/** What a forger breaks for a moment: no rule can keep what arrives first from being believed. */
const BROKEN = ['acknowledged, delivered, sent', 'one number, one message'];

const post = (node: string, body: number) =>
  ({ do: 'command', name: 'post', node, fields: { peer: node === 'a' ? 'b' : 'a', body } }) as const;

function search(corruption: Corruption<LinkOptions>, changes: Changes, { options = {}, ...more }: Partial<ExploreOptions>) {
  const forged = {
    ...link,
    corruption,
    charts: { link: linkMachine.provide(changes) },
    properties: (instance: never) => link.properties!(instance).filter(({ name }) => !BROKEN.includes(name)),
  };
  return explore(forged, {
    topology: { nodes: ['a', 'b'], links: [['a', 'b', 1]] },
    options: { beat: 1, patience: 1, window: 1, room: 1, suspicions: 0, ...options },
    corrupt: ['a', 'b'],
    goal: (c) => linksOf(c).every(([a, b]) => areConnected(a, b)),
    ...more,
  });
}

const invented = withForged('a', { bodies: [7] });
const several = withForged('a', { bodies: [7, 8] });
const acknowledged = withForged('b', { ack: 1, checksum: checksumOf(CHECKSUM_BASIS, [1]) });
const lossy = { options: { suspicions: 1 }, commands: [post('a', 1)], faults: { loss: 1 } };

describe('a forged frame is found out, and the link comes up again', () => {
  test.each<[string, number, Corruption<LinkOptions>, Partial<ExploreOptions>]>([
    ['of one message, and nothing is sent', 66, invented, {}],
    ['of one message, and as many are sent meanwhile', 378, invented, { commands: [post('a', 1)] }],
    ['of two messages, and both ends send', 5385, several, { commands: [post('a', 1), post('b', 2)] }],
    ['that acknowledges what may be lost', 6815, acknowledged, lossy],
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

describe('without one of the rules it is not', () => {
  test.each<[string, string, Corruption<LinkOptions>, Changes, Partial<ExploreOptions>]>([
    ['what was never sent is no sign', 'one account', invented, never, {}],
    [
      'the count alone is a sign, and as many were sent meanwhile',
      'one account',
      invented,
      byCount,
      { commands: [post('a', 1)] },
    ],
    ['a frame from before is a sign of life', 'one account', acknowledged, anyFrame, lossy],
  ])('%s: %s', (_, property, corruption, changes, more) => {
    const found = search(corruption, changes, more);
    expect(found.verdict).toBe('invalid');
    expect(found.counterexample?.property).toBe(property);
  });
});
