/** The value of the properties: each is violated by a chart with one broken rule, and the checker finds it. */
import { assign, type AnyStateMachine } from 'xstate';
import { expect, test } from 'vitest';
import { explore } from '../../test/explore/explore.js';
import { brokenByMutant } from '../mutants.fixtures.js';
import { exclusion } from './index.js';
import { exclusionMachine, forgotten } from './machine.js';
import { exclusionProperties } from './properties.js';
import { cut, join, lock, P2 } from './systems.fixtures.js';
import { EXCLUSION } from './view.js';
import { including, without } from './ports.js';

const search = (machine: AnyStateMachine) =>
  explore(
    { ...exclusion, charts: { [EXCLUSION]: machine } },
    {
      topology: P2,
      options: { priorities: 2, hold: 1 },
      commands: [...P2.nodes.map(lock), cut('n0', 'n1'), join('n0', 'n1')],
    },
  );

const from = (event: unknown): number => (event as { from: number }).from;
const peer = (event: unknown): number => (event as { peer: number }).peer;

const mutants: readonly {
  readonly rule: string;
  readonly machine: AnyStateMachine;
  readonly breaks: string;
}[] = [
  {
    rule: 'a first request joins the trial although a candidate owes',
    machine: exclusionMachine.provide({ guards: { isLateApplicant: () => false } }),
    breaks: 'no cycle of waiting',
  },
  {
    rule: 'a trial is decided while a candidate owes',
    machine: exclusionMachine.provide({ guards: { trialIsComplete: ({ context: { P } }) => P.length > 0 } }),
    breaks: 'two messages on an edge',
  },
  {
    rule: 'the winner is no candidate any more',
    machine: exclusionMachine.provide({
      actions: { closeTrial: assign(({ context }) => ({ P: [], C: context.C.slice(1) })) },
    }),
    breaks: 'messages are expected',
  },
  {
    rule: 'who locks stays a candidate',
    machine: exclusionMachine.provide({ actions: { setLock: assign(({ event }) => ({ lock: from(event) })) } }),
    breaks: 'every request succeeds',
  },
  {
    rule: 'an applicant that asks stays one',
    machine: exclusionMachine.provide({
      actions: { promote: assign(({ context, event }) => ({ C: including(context.C, from(event)) })) },
    }),
    breaks: 'roles of a port',
  },
  {
    rule: 'a cut leaves the dead port in the request',
    machine: exclusionMachine.provide({
      actions: {
        unplug: assign(({ context, event }) => ({
          ports: without(context.ports, peer(event)),
          ...forgotten(context, peer(event)),
          L: context.L,
        })),
      },
    }),
    breaks: 'the lock set is known',
  },
  {
    rule: 'a cut leaves the lock of who is gone',
    machine: exclusionMachine.provide({
      actions: {
        unplug: assign(({ context, event }) => ({
          ports: without(context.ports, peer(event)),
          ...forgotten(context, peer(event)),
          lock: context.lock,
        })),
      },
    }),
    breaks: 'the lock set is known',
  },
  {
    rule: 'who is released keeps its lock',
    machine: exclusionMachine.provide({ actions: { free: assign({}) } }),
    breaks: 'the lock set is known',
  },
  {
    rule: 'nobody leaves the hold',
    machine: exclusionMachine.provide({ actions: { admitHeld: assign({}) } }),
    breaks: 'phase fits candidates',
  },
  {
    rule: 'a request never ends',
    machine: exclusionMachine.provide({ actions: { end: assign({}) } }),
    breaks: 'the request fits the state',
  },
  {
    rule: 'one victory is enough',
    machine: exclusionMachine.provide({
      guards: {
        hasLost: ({ context: { L, W } }) => W.length === L.length && W.every(([, won]) => !won),
        hasWon: ({ context: { L, W } }) => W.length === L.length && W.some(([, won]) => won),
      },
    }),
    breaks: 'one winner',
  },
];

test.each(mutants)('$rule: violates "$breaks"', ({ machine, breaks }) => {
  const { verdict, counterexample } = search(machine);
  expect({ verdict, property: counterexample?.property }).toEqual({ verdict: 'invalid', property: breaks });
});

test('the chart as it is violates nothing in the same search', () => {
  expect(search(exclusionMachine)).toMatchObject({ verdict: 'valid', doomed: 0 });
});

const alone = {
  protocol: 'exclusion',
  topology: { kind: 'path', n: 2 },
  options: { hold: 3 },
  events: [{ at: 0, node: 'n0', do: 'lock' }],
};

test.each(['drop action initiator.win: always, action 2', 'drop action initiator.unlock: always, action 3'])(
  '%s: violates "locks and unlocks are notified"',
  (edit) => {
    expect(brokenByMutant(exclusion, alone, EXCLUSION, edit)).toEqual(['locks and unlocks are notified']);
    expect(brokenByMutant(exclusion, alone)).toEqual([]);
  },
);

const joined = {
  ...alone,
  events: [
    { at: 1, do: 'join', link: ['n0', 'n2'] },
    { at: 9, node: 'n2', do: 'lock' },
  ],
};

test('an unrecorded link: violates "locks the persistent neighborhood"', () => {
  const scenario = { ...joined, topology: { kind: 'path', n: 3 } };
  expect(brokenByMutant(exclusion, scenario, EXCLUSION, 'drop transition (root): link.up')).toEqual([
    'locks the persistent neighborhood',
  ]);
  expect(brokenByMutant(exclusion, scenario)).toEqual([]);
});

test('each property is violated by some mutant', () => {
  expect(new Set(mutants.map(({ breaks }) => breaks))).toEqual(new Set(exclusionProperties.map(({ name }) => name)));
});
