/** One role, as a bare snapshot and as a live actor: its reaction to an event, and its inspection events. */
import { assign, emit, setup, type AnyActor } from 'xstate';
import { describe, expect, test } from 'vitest';
import { arm, effects, type Message } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import { createHost, takeOver, type HostKind, type Role } from './hosts.js';
import { createInspected } from './kernel.js';
import { Node } from './node.js';
import { selectedIn } from './selected-in.js';

const chart = setup({
  types: { context: {} as { n: number }, events: {} as Message, emitted: {} as Message },
  actions: effects(),
}).createMachine({
  context: ({ input }: any) => ({ n: input?.n ?? 0 }),
  initial: 'on',
  entry: arm(() => ({ timer: 'first', delay: 1 })),
  on: {
    go: { actions: [assign({ n: ({ context }) => context.n + 1 }), emit({ type: 'went' })] },
    fail: {
      actions: assign(() => {
        throw new Error('mine');
      }),
    },
  },
  states: { on: { on: { end: 'over' } }, over: { type: 'final' } },
});
const hosted = { charts: { c: chart } };
const went = [{ type: 'emit', event: { type: 'went' } }];

describe.each<HostKind>(['snapshots', 'actors'])('on %s', (kind) => {
  test('a role starts with the effects of its entry, and each step has its own', () => {
    const host = createHost(kind, hosted);
    const { role, effects: first } = host.start('c', { n: 4 });
    expect(first).toEqual([{ type: 'arm', timer: 'first', delay: 1 }]);
    expect(role.view()).toEqual({ chart: 'c', value: 'on', context: { n: 4 } });
    expect([role.send({ type: 'go' }), role.send({ type: 'none' }), role.send({ type: 'go' })]).toEqual([went, [], went]);
    expect([role.view().context, role.accepts({ type: 'go' }), role.accepts({ type: 'none' })]).toEqual([{ n: 6 }, true, false]);
    const { effects: second } = host.start('c', {});
    expect(second).toEqual(first);
  });

  test('a role whose chart does not exist throws an error that names it', () => {
    expect(() => createHost(kind, hosted).start('d', {})).toThrow(new ProtocolError('Unknown chart "d". The charts are c.'));
  });

  test('an ended role ignores events without a report', () => {
    const { role } = createHost(kind, hosted).start('c', {});
    role.send({ type: 'end' });
    expect([role.view().value, role.accepts({ type: 'go' }), role.send({ type: 'go' }), role.view().context]).toEqual([
      'over',
      false,
      [],
      { n: 0 },
    ]);
  });

  test('an error of a chart is thrown by the step', () => {
    const { role } = createHost(kind, hosted).start('c', {});
    expect(() => role.send({ type: 'fail' })).toThrow('mine');
  });

  test('a role is restored in a state without its entry, and continues from there', () => {
    const host = createHost(kind, hosted);
    const role = host.restore({ chart: 'c', value: 'on', context: { n: 9 } });
    expect(role.view()).toEqual({ chart: 'c', value: 'on', context: { n: 9 } });
    expect([role.send({ type: 'go' }), role.view().context]).toEqual([went, { n: 10 }]);
    role.stop();
  });

  test('transitions are reported with their role while a listener exists', () => {
    const host = createHost(kind, hosted);
    const stop = host.selections!.watch(selectedIn);
    const roles: Role[] = [host.start('c', {}, 'a', 'main').role, host.start('c', {}).role];
    roles.push(
      host.restore({ chart: 'c', value: 'on', context: { n: 0 } }, 'a', 'back'),
      host.restore({ chart: 'c', value: 'on', context: { n: 0 } }),
    );
    host.selections!.take();
    for (const role of roles) role.send({ type: 'go' });
    expect(host.selections!.take()!.taken.map(([role]) => role)).toEqual(['main', '', 'back', '']);
    stop();
  });
});

test('a host reports messages between the roles of its nodes', () => {
  const wiring = { isInner: () => false };
  for (const kind of ['snapshots', 'actors'] as const) expect(createHost(kind, { ...hosted, wiring }).wiring).toBe(wiring);
});

/** The senders and receivers of events that an inspector of a family sees. */
function inspected() {
  const seen: string[] = [];
  const nameOf = (actor: AnyActor | undefined) => (actor === undefined ? 'nobody' : actor.id);
  const parent = createInspected('family', (event: any) => {
    if (event.type === '@xstate.event' && event.event.type === 'go')
      seen.push(`${nameOf(event.sourceRef)} → ${nameOf(event.actorRef)}`);
  });
  const host = createHost('actors', hosted, parent);
  return { host, seen: () => seen.splice(0) };
}

test('live actors are addressed by node and role; each event has its sender', () => {
  const { host, seen } = inspected();
  const a = host.start('c', {}, 'a', 'main').role;
  const b = host.start('c', {}, 'b', 'main').role;
  const other = host.start('c', {}, 'b', 'other').role;
  a.send({ type: 'go' });
  host.comesFrom!('b');
  a.send({ type: 'go' });
  a.send({ type: 'go' });
  expect(seen()).toEqual(['nobody → a main', 'b main → a main', 'nobody → a main']);
  host.comesFrom!('b');
  host.comesFrom!(null);
  a.send({ type: 'go' });
  host.comesFrom!('a');
  other.send({ type: 'go' });
  host.comesFrom!('z');
  b.send({ type: 'go' });
  host.comesFrom!('z');
  a.send({ type: 'go' });
  host.comesFrom!('b');
  host.start('c', {}, 'c', 'other').role.send({ type: 'go' });
  expect(seen()).toEqual(['nobody → a main', 'a main → b other', 'z → b main', 'z → a main', 'b other → c other']);
});

test('a stopped actor leaves its system; names exist only with an inspector', () => {
  const parent = createInspected('family', () => {});
  const role = createHost('actors', hosted, parent).start('c', {}, 'a', 'main').role as Role & { actor: AnyActor };
  expect(role.actor.id).toBe('a main');
  role.stop();
  expect(role.actor.getSnapshot().status).toBe('stopped');
  const plain = createHost('actors', hosted).start('c', {}, 'a', 'main').role as Role & { actor: AnyActor };
  expect(plain.actor.id).not.toBe('a main');
  expect(createHost('actors', hosted).comesFrom).toBeUndefined();
});

test('hosts of the same charts share compiled parts but no effects', () => {
  const [one, two] = [createHost('actors', hosted), createHost('actors', hosted)];
  const [a, b] = [one.start('c', {}).role, two.start('c', {}).role];
  const first = a.send({ type: 'go' });
  expect([b.send({ type: 'none' }), first]).toEqual([[], went]);
  const machineOf = (role: Role) => (role as Role & { actor: AnyActor }).actor.logic;
  expect(machineOf(a)).toBe(machineOf(b));
});

const counter = setup({ types: { context: {} as { n: number }, events: {} as Message }, actions: effects() }).createMachine({
  context: { n: 0 },
  initial: 'off',
  on: { go: { target: '.on', actions: assign({ n: ({ context }) => context.n + 1 }) } },
  states: { off: {}, on: {} },
});
const counting = { charts: { c: counter } };

test.each<[from: HostKind, to: HostKind]>([
  ['snapshots', 'snapshots'],
  ['actors', 'snapshots'],
  ['snapshots', 'actors'],
  ['actors', 'actors'],
])('a node takes over the state of another, %s to %s, and continues separately', (from, to) => {
  const noChance = () => expect.unreachable();
  const [there, here] = [new Node('a', createHost(from, counting)), createHost(to, counting)];
  there.start(
    [
      { role: 'main', chart: 'c', input: {} },
      { role: 'more', chart: 'c', input: {} },
    ],
    noChance,
  );
  there.step('main', { type: 'go' }, noChance);
  const node = new Node('a', here);
  node.start([{ role: 'old', chart: 'c', input: {} }], noChance);
  takeOver(node, there, here);
  expect(node.view()).toEqual(there.view());
  expect(Object.keys(node.view())).toEqual(['main', 'more']);
  if (from === 'snapshots' && to === 'snapshots') expect(node.role('main')!.context).toBe(there.role('main')!.context);
  node.step('main', { type: 'go' }, noChance);
  expect([node.role('main')!.context, there.role('main')!.context, node.role('main')!.chart]).toEqual([{ n: 2 }, { n: 1 }, 'c']);
  const watching = here.selections!.watch(selectedIn);
  node.step('more', { type: 'go' }, noChance);
  expect(here.selections!.take()!.taken.map(([role]) => role)).toEqual(['more']);
  watching();
});
