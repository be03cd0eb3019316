/** Processes that stop and restart: with storage they are bound by their stored state, without it they know that they have forgotten. */
import { describe, expect, test } from 'vitest';
import { initialTransition, transition } from 'xstate';
import { Simulation } from '../../network/simulation.js';
import { Random } from '../../network/random.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { epochsMachine } from './epochs.js';
import { locks } from './index.js';
import type { EpochsEvent } from './knowledge.js';
import { firstMembership } from './membership.js';
import { notifiedBeforeStored, unsaved } from './systems.fixtures.js';

type Happening = Readonly<Record<string, unknown>> & { readonly at: number };
type Topology = Readonly<Record<string, unknown>>;

const three = { kind: 'ring', n: 3 };
const chain = {
  nodes: ['a', 'b', 'c'],
  links: [
    ['a', 'b', 1],
    ['b', 'c', 1],
  ],
};

function run(topology: Topology, events: readonly Happening[], protocol = locks, options: object = {}, seed = 1) {
  const scenario = {
    protocol: 'locks',
    options: { storage: 4, ...options },
    topology,
    network: { latency: seed === 1 ? 1 : { min: 1, max: 9 }, order: 'fifo' },
    events: events.toSorted((p, q) => p.at - q.at),
    seed,
    until: { idle: true },
  };
  return new Simulation(parseScenario(scenario, { locks: protocol }), { host: 'snapshots' }).run();
}

const failed = ({ properties }: ReturnType<typeof run>) =>
  properties.filter(({ holds }) => holds === false).map(({ name }) => name);
const within = (ticks: number) => Array.from({ length: ticks }, (_, at) => at);

describe('state that is stored before others can know of it', () => {
  /** b stops at any moment of the first epoch of {a, b}, comes back without a link to a, and makes an epoch with c. */
  const promised = (tries: number, at: number, protocol = locks) =>
    run(
      chain,
      [
        { at: 0, do: 'request', node: 'a' },
        { at: 0, do: 'down', channel: ['b', 'a'] },
        ...within(tries).flatMap(() => [
          { at: 2, do: 'down', channel: ['a', 'b'] },
          { at: 2, do: 'up', channel: ['a', 'b'] },
        ]),
        { at: 4, do: 'up', channel: ['b', 'a'] },
        { at: 4 + at, do: 'crash', node: 'b' },
        { at: 30, do: 'cut', link: ['a', 'b'] },
        { at: 31, do: 'reload', node: 'b' },
        { at: 60, do: 'request', node: 'b' },
        { at: 60, do: 'request', node: 'c' },
      ],
      protocol,
    );
  const all = within(4).flatMap((tries) => within(20).map((at) => [tries, at] as const));

  test('a promise: whenever its peer stops, no epoch begins twice', () => {
    for (const when of all) expect([...when, ...failed(promised(...when))]).toEqual(when);
  });

  test('without that a fence is granted twice', () => {
    const isTwice = (when: (typeof all)[number]) =>
      failed(promised(...when, unsaved('following'))).includes('no fence granted twice');
    expect(all.some(isTwice)).toBe(true);
  });

  /** c holds; a and b go on without it, and b is granted the lock. a stops at any moment of that, and comes back with a link only to c. */
  const begun = (at: number, protocol = locks) =>
    run(
      three,
      [
        { at: 0, do: 'request', node: 'n2' },
        { at: 20, do: 'down', channel: ['n0', 'n2'] },
        { at: 20, do: 'down', channel: ['n1', 'n2'] },
        { at: 20, do: 'request', node: 'n1' },
        { at, do: 'crash', node: 'n0' },
        { at: 60, do: 'down', channel: ['n1', 'n0'] },
        { at: 61, do: 'reload', node: 'n0' },
        { at: 61, do: 'down', channel: ['n0', 'n1'] },
        { at: 62, do: 'up', channel: ['n0', 'n2'] },
        { at: 64, do: 'down', channel: ['n2', 'n1'] },
      ],
      protocol,
      { hold: null },
    );

  test('an epoch: whenever its proposer stops, a kept lock has the largest fence', () => {
    for (const at of within(30)) expect([at, ...failed(begun(20 + at))]).toEqual([at]);
  });

  test('without that a holder keeps a lock that was granted to another since', () => {
    const isKept = (at: number) =>
      failed(begun(20 + at, unsaved('beginning'))).includes('who keeps a lock has the largest fence');
    expect(within(30).some(isKept)).toBe(true);
  });

  /** n0 adds n3. Both stop at any moment of that, come back after the others have gone on, and n4 is added. */
  const listed = (at: number, protocol = locks) => {
    const ended = ['n0', 'n3'];
    const links = ['n1', 'n2', 'n4'].flatMap((other) => ended.map((node) => [other, node] as const));
    return run(
      { kind: 'complete', n: 5 },
      [
        { at: 0, do: 'change', node: 'n0', add: 'n3' },
        ...ended.flatMap((node) => [
          { at, do: 'crash', node },
          { at: 90, do: 'reload', node },
        ]),
        ...links.flatMap(([other, node]) => [
          { at: 60, do: 'down', channel: [other, node] },
          { at: 90, do: 'down', channel: [node, other] },
          { at: node === 'n0' ? 91 : 300, do: 'up', channel: [node, other] },
          { at: node === 'n0' ? 91 : 300, do: 'up', channel: [other, node] },
        ]),
        { at: 200, do: 'change', node: 'n1', add: 'n4' },
      ],
      protocol,
      { voters: ['n0', 'n1', 'n2'] },
    );
  };

  test('a list of voters: whenever its proposer stops, no version has two lists', () => {
    for (const at of within(40)) expect([at, ...failed(listed(at))]).toEqual([at]);
  });

  test('otherwise two lists of one version are announced', () => {
    const areTwo = (at: number) => failed(listed(at, notifiedBeforeStored)).includes('one version never names different lists');
    expect(within(40).some(areTwo)).toBe(true);
  });
});

const five = ['a', 'b', 'c', 'd', 'e'];
const pairs = five.flatMap((u, i) => five.slice(i + 1).map((v) => [u, v] as const));

/**
 * Processes stop and restart, one after the other and all at once, and links go down and up; then all links are up, and all nodes request
 * again.
 */
function turmoil(seed: number): Happening[] {
  const random = new Random(seed, 'restarts');
  const events: Happening[] = [];
  const ends = (node: string, at: number) =>
    events.push({ at, do: 'crash', node }, { at: at + 1 + random.below(80), do: 'reload', node });
  for (let at = 0; at < 1500; at += 1 + random.below(60)) {
    const what = random.pick(['cut', 'join', 'ends', 'request', 'request', 'request']);
    const node = random.pick(five);
    if (what === 'ends') ends(node, at);
    else if (what === 'request') events.push({ at, do: what, node });
    else events.push({ at, do: what, link: random.pick(pairs) });
  }
  const all = 300 + random.below(900);
  for (const node of five) ends(node, all);
  for (const link of pairs) events.push({ at: 1600, do: 'join', link });
  for (const node of five) events.push({ at: 3000, do: 'request', node });
  return events;
}

const isGrowing = (fences: readonly number[]) => fences.every((fence, i) => i === 0 || fence > fences[i - 1]!);

type Summary = { readonly grants: readonly { readonly node: string; readonly fence: number }[] };

describe('five nodes that stop and restart, also all of them at once', () => {
  const whole = { nodes: five, links: pairs.map(([u, v]) => [u, v, 1]) };
  const seeds = within(6).map((i) => i + 2);
  test.each(seeds)('no fence is granted twice, and later grants have larger ones (seed %i)', (seed) => {
    const report = run(whole, turmoil(seed), locks, { storage: 3, hold: 20 }, seed);
    expect(failed(report)).toEqual([]);
    const { grants } = report.summary as unknown as Summary;
    const fences = grants.map(({ fence }) => fence);
    expect(new Set(grants.slice(-5).map(({ node }) => node))).toEqual(new Set(five));
    expect(isGrowing(fences.slice(-5))).toBe(true);
    expect(fences.at(-5)).toBeGreaterThan(Math.max(...fences.slice(0, -5)));
  });
});

describe('three nodes that all stop at once and restart', () => {
  const nodes = ['n0', 'n1', 'n2'];
  const flaps = within(4).flatMap((i) => [
    { at: 10 * i, do: 'cut', link: ['n0', 'n1'] },
    { at: 10 * i + 5, do: 'join', link: ['n0', 'n1'] },
  ]);
  const fencesWith = (storage: number | undefined): readonly number[] => {
    const ends = nodes.flatMap((node) => [
      { at: 100, do: 'crash', node },
      { at: 110, do: 'reload', node },
    ]);
    const asked = [90, 300].map((at) => ({ at, do: 'request', node: 'n1' }));
    const { summary } = run(three, [...flaps, ...ends, ...asked], locks, { storage });
    return (summary as unknown as Summary).grants.map(({ fence }) => fence);
  };

  test('fences keep growing with storage', () => {
    const [first, second, ...others] = fencesWith(1);
    expect(second).toBeGreaterThan(first!);
    expect(others).toEqual([]);
  });

  test('fences start again without storage, if no clock gives a larger number', () => {
    const [first, second] = fencesWith(undefined);
    expect(second).toBeLessThan(first!);
  });
});

describe('a leader that starts while the others begin without it', () => {
  const membership = firstMembership(['a', 'b', 'c']);
  const others = { from: 'b', epoch: 3, members: ['b', 'c'], membership } as const;
  /** Its first proposal is being stored, and no other node knows of it. */
  const after = (...events: readonly object[]) =>
    events.reduce<ReturnType<typeof initialTransition<typeof epochsMachine>>[0]>(
      (snapshot, event) => transition(epochsMachine, snapshot, event as EpochsEvent)[0],
      initialTransition(epochsMachine, {
        id: 'a',
        links: ['b', 'c'],
        leader: 'a',
        floor: 0,
        bounds: { grants: 8192, locks: 10, bytes: 2 ** 23 },
        confirm: false,
        patience: 5,
        members: [],
        memory: 'new',
        membership,
        stored: null,
      })[0],
    );

  test('proposes above the numbers that it learns, because no other node will remind it', () => {
    const proposing = after();
    expect([proposing.value, proposing.context.promised]).toMatchObject([{ preparing: 'saving' }, { epoch: 1 }]);
    const notified = after({ type: 'changed', from: 'b', membership }, { type: 'superseded', ...others });
    expect([notified.value, notified.context.promised]).toMatchObject([
      { preparing: 'saving' },
      { epoch: 4, members: ['a', 'b', 'c'] },
    ]);
    expect(after({ type: 'superseded', ...others }, { type: 'stored', key: 'standing' }).value).toEqual({
      preparing: { collecting: 'asking' },
    });
  });

  test('ignores an unreasonable number, and proposes to the others only', () => {
    const { context } = after({ type: 'superseded', ...others, epoch: 2 ** 39 });
    expect([context.promised, context.links]).toMatchObject([{ epoch: 2, members: ['a', 'c'] }, ['c']]);
  });

  test('leaves it to another leader after a notification that the others have begun', () => {
    expect(after({ type: 'leader', leader: 'b', term: 1 }, { type: 'superseded', ...others }).value).toBe('apart');
  });

  test('learns the membership from a promised epoch that a later promise excluded', () => {
    const [members, next] = [['a', 'b', 'c'], { ...membership, version: 2, voters: ['a', 'b'] }];
    const proposal = { type: 'prepare', members, membership, served: 0 } as const;
    const { value, context } = after(
      { type: 'leader', leader: 'b', term: 1 },
      { ...proposal, from: 'b', epoch: 2, next },
      { type: 'stored', key: 'standing' },
      { ...proposal, from: 'c', epoch: 3, next: membership },
      { type: 'install', from: 'b', epoch: 2, members: ['a', 'b'], kept: [], membership: next },
    );
    expect([value, context.promised?.epoch, context.membership]).toEqual([{ following: 'saving' }, 3, next]);
  });

  test('notifies the nodes that it has named of its removal', () => {
    const collecting = after({ type: 'stored', key: 'standing' });
    const later = { ...membership, version: 2, voters: ['b', 'c'] };
    const nothing = { served: 0, kept: [], pending: [], using: [], records: [], stranded: [], floor: 0 } as const;
    const promise = { type: 'promise', from: 'b', epoch: 1, memory: 'new', ...nothing, links: ['a', 'c'], membership: later };
    const [{ value }, actions] = transition(epochsMachine, collecting, promise as EpochsEvent);
    const sent = actions.filter(({ type }) => (type as string) === 'send').map(({ params }) => params);
    expect(value).toBe('apart');
    expect(sent).toContainEqual({ to: ['b', 'c'], message: { type: 'hello', membership: later } });
  });

  const YEAR = 366 * 24 * 60 * 60 * 1_000;
  const refuse = { type: 'refuse', from: 'b', membership, epoch: 1, promised: 0 } as const;
  const emitted = (floor: number, event: object): readonly object[] => {
    const snapshot = after();
    const started = { ...snapshot, context: { ...snapshot.context, floor } };
    const [, actions] = transition(epochsMachine, started, event as EpochsEvent);
    return actions.flatMap(({ type, params }) =>
      (type as string) === 'xstate.emit' ? [(params as { event: object }).event] : [],
    );
  };

  test('accepts numbers up to a year away, and ignores larger ones', () => {
    const far = { type: 'unreasonable', peer: 'b', epoch: 2 + YEAR, known: 1 };
    expect(emitted(0, { ...refuse, promised: 1 + YEAR })).toEqual([]);
    expect(emitted(0, { ...refuse, promised: 2 + YEAR })).toEqual([far]);
    expect(emitted(0, { ...refuse, promised: 0, known: 2 + YEAR })).toEqual([far]);
  });

  test('accepts refusals without promises, and ignores ones with unreasonable numbers', () => {
    expect(emitted(4 + YEAR, refuse)).toEqual([]);
    expect(emitted(4 + YEAR, { ...refuse, known: 4 })).toEqual([]);
    expect(emitted(4 + YEAR, { ...refuse, known: 3 })).toEqual([{ type: 'unreasonable', peer: 'b', epoch: 3, known: 4 + YEAR }]);
  });
});
