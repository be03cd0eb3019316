/** Sample events and inputs for one node's chart, for path generation and coverage, and small systems to walk and check. */
import type { ChartSamples, SystemSample } from '../protocol.js';
import { electSelf, oriented, reflectRefLevel, startNewRefLevel, type Height, type Identity } from './height.js';
import type { ElectionContext, ElectionInput } from './machine.js';
import type { Turn } from './messages.js';

const [a, b, c]: readonly [Identity, Identity, Identity] = [
  [1, 'a'],
  [2, 'b'],
  [3, 'c'],
];
const peers = [b, c];

/** Heights of a neighbor: oriented, searching, after a dead end, leading. */
function heights(id: Identity): Height[] {
  const calm = [oriented(id, c, id === c ? 0 : 1), oriented(id, a, 1)];
  const searching = [startNewRefLevel(calm[0]!, 2), { ...startNewRefLevel(oriented(a, c, 1), 1), id, delta: -1 }];
  const reflected = searching.map((height) => reflectRefLevel(height, [height]));
  return [...calm, ...searching, ...reflected, electSelf(calm[0]!, 3)];
}

/** Return message of the levels of a hierarchy. */
const roundOfTheLevels: Turn = {
  type: 'turn',
  now: 1,
  links: [{ peer: 'b', height: oriented(b, b, 0) }],
  received: { peer: 'b', tables: [[{ birth: 0, id: b, distance: 0 }]] },
  to: [],
  update: { type: 'update', height: oriented(a, a, 0), hello: false, stamp: null, tables: [] },
};

function events({ links }: ElectionContext) {
  const linked = links.map(({ peer }) => peer);
  const answered = { ...roundOfTheLevels, to: linked };
  const received = peers.flatMap((id) => {
    const [, peer] = id;
    const update = (height: Height, hello: boolean) => ({
      type: 'update',
      height,
      hello,
      stamp: null,
      tables: [],
      from: peer,
      at: 1,
    });
    return [
      { type: linked.includes(peer) ? 'link.down' : 'link.up', peer, at: 1 },
      ...heights(id).flatMap((height) => [update(height, false), update(height, true)]),
    ];
  });
  return [answered, ...received];
}

const start = (height: Height, sink: ElectionInput['sink'] = 'settled'): ElectionInput => ({
  id: a,
  height,
  links: peers.map((id) => ({ peer: id[1], height: oriented(id, c, id === c ? 0 : 1) })),
  clock: 'perfect',
  hello: true,
  skipIfLeader: false,
  sink,
  levels: 0,
});

export const samples: readonly ChartSamples[] = [
  { input: start(oriented(a, c, 1)), events },
  { input: start(oriented(a, a, 0)), events },
  { input: { ...start(oriented(a, a, 0)), skipIfLeader: true, clock: 'logical', links: [] }, events },
  { input: { ...start(oriented(a, c, 1)), levels: 1 }, events },
];

/** A channel changes, each end is notified separately. */
const linkEvents = (word: 'down' | 'up', u: string, v: string) => [
  { at: 0, do: word, channel: [u, v] },
  { at: 0, do: word, channel: [v, u] },
];

/** Systems with link changes, both clocks, and two levels of the hierarchy. */
export const systems: readonly SystemSample[] = [
  { topology: { kind: 'path', n: 2 }, events: [...linkEvents('down', 'n0', 'n1'), ...linkEvents('up', 'n0', 'n1')] },
  {
    topology: { kind: 'ring', n: 3 },
    events: [...linkEvents('down', 'n0', 'n1'), ...linkEvents('down', 'n0', 'n2'), ...linkEvents('up', 'n0', 'n1')],
  },
  {
    topology: { kind: 'path', n: 4 },
    options: { clock: 'logical', skipIfLeader: true },
    events: [...linkEvents('down', 'n0', 'n1'), ...linkEvents('down', 'n2', 'n3'), ...linkEvents('up', 'n0', 'n1')],
  },
  {
    topology: { kind: 'path', n: 4 },
    options: { radii: [1, 2], hello: true },
    events: [...linkEvents('down', 'n1', 'n2'), ...linkEvents('up', 'n1', 'n2')],
  },
];
