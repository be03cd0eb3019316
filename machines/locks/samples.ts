/** Events worth trying in each state of a steward, for generated paths. */
import type { Message } from '../effects.js';
import type { ChartSamples } from '../protocol.js';
import { firstFence, isHalfSpent } from './epoch.js';
import type { StewardContext, StewardInput } from './knowledge.js';
import { lockRole } from './messages.js';

const apart: StewardInput = { id: 'a', peers: ['a', 'b', 'c'], links: [], leader: 'a', epoch: 1, members: [] };
const follower: StewardInput = { ...apart, links: ['b', 'c'], leader: 'b', members: ['a', 'b', 'c'] };
const leader: StewardInput = { ...follower, leader: 'a' };
const candidate: StewardInput = { ...leader, members: [] };

type Named = Message & Readonly<Record<string, unknown>>;

const find: Named = { type: 'find', from: 'b', producer: 'b', visited: ['b'], edge: 'tree', lock: 'x' };
const request: Named = { type: 'request', lock: 'x' };
const release: Named = { type: 'release', lock: 'x' };

/** Links and leaders change, epochs come and go. */
const changes = ({ promised }: StewardContext): Named[] => [
  { type: 'link.up', peer: 'b' },
  { type: 'link.down', peer: 'b' },
  { type: 'link.up', peer: 'c' },
  { type: 'leader', leader: 'a', term: 1 },
  { type: 'leader', leader: 'b', term: 1 },
  { type: 'changed', from: 'b', changes: 9 },
  { type: 'prepare', from: 'b', epoch: promised + 1 },
  { type: 'prepare', from: 'b', epoch: promised },
  { type: 'promise', from: 'b', epoch: promised, using: [], served: 1, links: ['a', 'c'], changes: 0 },
  { type: 'promise', from: 'b', epoch: promised - 1, using: [], served: 1, links: ['a', 'c'], changes: 0 },
  { type: 'refuse', from: 'b', epoch: promised },
  { type: 'refuse', from: 'b', epoch: promised + 1 },
  { type: 'refuse', from: 'b', epoch: promised - 1 },
  { type: 'install', from: 'b', epoch: promised, members: ['a', 'b'], holders: [] },
  { type: 'install', from: 'b', epoch: promised, members: ['b', 'c'], holders: [] },
  { type: 'install', from: 'b', epoch: promised - 1, members: ['a', 'b'], holders: [] },
];

/** A lock is asked for, granted, used while epochs change, and released. */
const uses = ({ promised, epoch, open }: StewardContext): Named[] => [
  request,
  release,
  ...(open.includes('x') ? [7, halfSpent(epoch)].map((fence) => ({ type: 'granted', fence, by: lockRole(epoch, 'x') })) : []),
  { type: 'prepare', from: 'b', epoch: promised + 1 },
  { type: 'install', from: 'b', epoch: promised, members: ['a', 'b'], holders: [['x', 'a']] },
  { type: 'install', from: 'b', epoch: promised, members: ['a', 'b'], holders: [['x', 'b']] },
  { type: 'install', from: 'b', epoch: promised + 1, members: ['b', 'c'], holders: [] },
];

const messages = ({ promised, epoch }: StewardContext): Named[] => [
  ...[epoch - 1, epoch, epoch + 1].map((of) => ({ ...find, epoch: of })),
  { type: 'prepare', from: 'b', epoch: promised + 1 },
  { type: 'install', from: 'b', epoch: promised, members: ['a', 'b'], holders: [] },
];

/** The number of the grant that asks for the next epoch. */
function halfSpent(epoch: number): number {
  const [first, next] = [firstFence(epoch), firstFence(epoch + 1)];
  const half = (first + next) / 2;
  if (!isHalfSpent(epoch, half)) throw new Error(`grant ${half} is not half way from ${first} to ${next}`);
  return half;
}

const upTo =
  (promised: number, events: (c: StewardContext) => Named[]): ChartSamples['events'] =>
  (c: StewardContext) =>
    c.promised > promised ? [] : events(c);

export const stewardSamples: readonly ChartSamples[] = [
  { input: apart, events: upTo(4, changes) },
  { input: candidate, events: upTo(3, changes) },
  { input: follower, events: upTo(4, (c) => [...changes(c), ...uses(c)]) },
  { input: follower, events: upTo(3, uses) },
  { input: leader, events: upTo(2, uses) },
  { input: follower, events: upTo(2, messages) },
];
