/**
 * Small random systems: a parent, two children and a callback that answer immediately, send events to each other from actions, and are
 * delayed, stopped and finished. The reports match the log of each actor's logic: every event once, in that order, with its sender and the
 * resulting state.
 */
import fc from 'fast-check';
import {
  createActor,
  createMachine,
  fromCallback,
  raise,
  sendParent,
  sendTo,
  SimulatedClock,
  spawnChild,
  stopChild,
  type AnyActorRef,
} from 'xstate';
import { expect, test, vi } from 'vitest';
import { recordActors, traceOf } from './actors.fixture.js';
import type { StepReport } from './report.js';

const TYPES = ['e0', 'e1', 'e2'];
const STATES = ['a', 'b'];
const CHILDREN = ['k0', 'k1'];
const DOES = ['sendTo', 'sendParent', 'raise', 'callback', 'poke', 'direct', 'later', 'stop'] as const;

interface Act {
  readonly does: (typeof DOES)[number];
  readonly type: string;
  readonly to: string;
}
/** The actions of a machine for an event in a state, and the next state; or its start. */
interface Rule {
  readonly target: string | undefined;
  readonly acts: readonly Act[];
}
interface Described {
  readonly rules: readonly Rule[];
  readonly atStart: boolean;
}
/** From outside: an event for the root, or time that passes. */
type Ask = { readonly type: string; readonly fuel: number } | 'time';

const act = fc.record({
  does: fc.constantFrom(...DOES.slice(0, -1), ...DOES.slice(0, -1), 'stop' as const),
  type: fc.constantFrom(...TYPES),
  to: fc.constantFrom(...CHILDREN),
});
const described = (targets: readonly (string | undefined)[]) =>
  fc.record({
    rules: fc.array(fc.record({ target: fc.constantFrom(...targets), acts: fc.array(act, { maxLength: 3 }) }), {
      minLength: STATES.length * TYPES.length,
      maxLength: STATES.length * TYPES.length,
    }),
    atStart: fc.boolean(),
  });
const ask = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constantFrom(...TYPES), fuel: fc.integer({ min: 0, max: 4 }) }) },
  { weight: 1, arbitrary: fc.constant('time' as const) },
);
const stays = [undefined, undefined, ...STATES];

/** A call of an actor's logic. */
interface Done {
  readonly node: string;
  readonly event: { readonly type: string; readonly [key: string]: unknown };
  readonly before: unknown;
  after: unknown;
}

class World {
  readonly done: Done[] = [];
  private count = 0;
  private poke: (event: { type: string }) => void = () => {};

  constructor(
    private readonly parent: Described,
    private readonly children: readonly Described[],
    private readonly syncs: boolean,
  ) {}

  /** Creates an event that differs from all others. */
  event(type: string, by: string | null, fuel: number) {
    return { type, by, fuel, count: this.count++ };
  }

  root() {
    const callback = this.noting(
      fromCallback<any>(({ sendBack, receive }) => {
        this.poke = sendBack;
        receive((event) => sendBack(this.event(event.type, 'cb', event.fuel - 1)));
      }),
    );
    const kids = CHILDREN.map((id, i) => spawnChild(this.machine(id, this.children[i]!), { id, syncSnapshot: this.syncs }));
    return this.machine('par', this.parent, [...kids, spawnChild(callback, { id: 'cb' })]);
  }

  private machine(id: string, { rules, atStart }: Described, entry: readonly any[] = []) {
    const isRoot = id === 'par';
    const hello = sendParent(({ self }) => this.event('e0', self.id, 2));
    const on = (s: number) =>
      Object.fromEntries(
        TYPES.map((type, t) => {
          const { target, acts } = rules[s * TYPES.length + t]!;
          const actions = acts.map((one) => this.action(one, isRoot));
          return [type, [{ guard: ({ event }: any) => event.fuel > 0, target, actions }, {}]];
        }),
      );
    return this.noting(
      createMachine({
        id,
        entry: [...entry, ...(atStart && !isRoot ? [hello] : [])],
        initial: 'a',
        states: { a: { on: on(0) }, b: { on: on(1) }, end: { type: 'final' } },
      } as any),
    );
  }

  private action({ does, type, to }: Act, isRoot: boolean): any {
    const next = ({ event, self }: any) => this.event(type, self.id, event.fuel - 1);
    if (does === 'raise') return raise(next);
    if (does === 'poke') return ({ event }: any) => this.poke(this.event(type, 'cb', event.fuel - 1));
    if (does === 'sendParent' || !isRoot)
      return isRoot ? ({ event, self }: any) => self.send(this.event(type, null, event.fuel - 1)) : sendParent(next);
    if (does === 'sendTo') return sendTo(to, next);
    if (does === 'callback') return sendTo('cb', next);
    if (does === 'later') return sendTo(to, next, { delay: 10 });
    if (does === 'stop') return stopChild(to);
    return ({ event, self }: any) =>
      (self.getSnapshot().children[to] as AnyActorRef | undefined)?.send(this.event(type, null, event.fuel - 1));
  }

  private noting<T extends { transition: any }>(logic: T): T {
    const { transition } = logic;
    const { done } = this;
    logic.transition = function (this: T, snapshot: any, event: any, scope: any) {
      const one: Done = { node: scope.self.id, event, before: snapshot.value, after: undefined };
      done.push(one);
      const next = transition.call(this, snapshot, event, scope);
      one.after = next.value ?? next.status;
      return next;
    };
    return logic;
  }
}

/** The sender of an event that XState makes is in its name. */
function senderOf({ type, by }: Done['event']): string | undefined {
  const ofXState = /^xstate\.(?:done\.actor|error\.actor|snapshot)\.(.*)$/.exec(type);
  return ofXState ? ofXState[1] : ((by as string | null) ?? undefined);
}

const notified = ({ node, event, from, roles }: StepReport) => ({
  node,
  event: `${event.type} ${String((event as Done['event'])['count'])}`,
  from,
  after: Object.values(roles)[0]!.value,
});

test('the trace matches the log of each actor, in order, with every sender', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const taken = recordActors();
  let steps = 0;
  let nested = 0;
  const systems = fc.tuple(
    described(stays),
    fc.tuple(described([...stays, 'end']), described(stays)),
    fc.boolean(),
    fc.array(ask, { minLength: 1, maxLength: 6 }),
  );
  await fc.assert(
    fc.asyncProperty(systems, async ([parent, children, syncs, asks]: [Described, Described[], boolean, Ask[]]) => {
      taken().length = 0;
      const world = new World(parent, children, syncs);
      const clock = new SimulatedClock();
      const actor = createActor(world.root(), { id: 'par', clock });
      actor.subscribe({ error: () => {} });
      actor.start();
      for (const one of asks) {
        if (one === 'time') clock.increment(10);
        else actor.send(world.event(one.type, null, one.fuel));
      }
      await Promise.resolve();
      const reports = taken().map((one) => ({ ...one, node: nameOf(one.node), ...(one.from && { from: nameOf(one.from) }) }));
      const acted = reports.filter(({ kind }) => kind === 'command' || kind === 'deliver');
      expect(acted.map(notified)).toEqual(
        world.done.map(({ node, event, after, before }) => ({
          node,
          event: `${event.type} ${String(event['count'])}`,
          from: senderOf(event),
          // A step that throws leads nowhere.
          after: after ?? before,
        })),
      );
      for (const [i, { selected, event }] of acted.entries()) {
        if (!TYPES.includes(event.type) || !selected || world.done[i]!.after === undefined) continue;
        expect(selected.taken[0]!.slice(1, 3)).toEqual([world.done[i]!.before, event.type]);
      }
      traceOf(taken());
      steps += acted.length;
      nested += acted.filter(({ sent }) => sent.length > 0).length;
    }),
    { numRuns: 300 },
  );
  expect(steps).toBeGreaterThan(1500);
  expect(nested).toBeGreaterThan(500);
});

/** Actors of later runs have the names of earlier ones, and a number. */
const nameOf = (name: string): string => name.replace(/ \(\d+\)$/, '').replace(/^.*\//, '');
