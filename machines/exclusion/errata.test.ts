/** Errors in the paper that the checker finds (numbered as in section 8 of the specification), and the corrected rules. */
import { enqueueActions, type AnyStateMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { explore } from '../../test/explore/explore.js';
import type { Send } from '../effects.js';
import type { Protocol } from '../protocol.js';
import { exclusion, exclusionMachine } from './index.js';
import { exclusionSetup } from './machine.js';
import { cut, join, lock, P2, shipped } from './systems.fixtures.js';
import { EXCLUSION } from './view.js';

const three = { nodes: ['n0', 'n1', 'n2'], links: [['n0', 'n1', 1]] as const };

describe.each([
  {
    erratum: 2,
    what: 'a winner waits for ever for a neighbor that is gone',
    calls: [1],
    changes: [cut('n0', 'n1')],
    broken: 'every request succeeds',
  },
  {
    erratum: 3,
    what: 'an idle node keeps the lock of a neighbor that is gone, and a stranger inherits it',
    calls: [1],
    changes: [cut('n0', 'n1'), join('n1', 'n2')],
    broken: 'the lock set is known',
  },
  {
    erratum: 4,
    what: 'a call without effect swallows a disconnection',
    calls: [2],
    changes: [cut('n0', 'n1')],
    broken: 'every request succeeds',
  },
])('erratum $erratum: $what', ({ calls, changes, broken }) => {
  test('printed', () => {
    const { verdict, counterexample } = shipped(three, calls, changes, { rules: 'printed' });
    expect({ verdict, property: counterexample?.property }).toEqual({ verdict: 'invalid', property: broken });
  });

  test('corrected', () => {
    expect(shipped(three, calls, changes)).toMatchObject({ verdict: 'valid', doomed: 0 });
  });
});

test('erratum 1 needs two shared participants: the ends of a path of three share one', () => {
  const path = {
    nodes: ['n0', 'n1', 'n2'],
    links: [
      ['n0', 'n1', 1],
      ['n1', 'n2', 1],
    ] as const,
  };
  expect(shipped(path, [1, 0, 1], [], { rules: 'printed' })).toMatchObject({ verdict: 'valid', doomed: 0 });
});

test('erratum 1, the wrong fix: deciding only without applicants deadlocks as well', () => {
  const patient = exclusionMachine.provide({
    guards: {
      isLateApplicant: () => false,
      trialIsComplete: ({ context: { A, C, P } }) => A.length === 0 && C.length === P.length,
    },
  });
  const result = explore(
    { ...exclusion, charts: { [EXCLUSION]: patient } },
    { topology: P2, options: { priorities: 2, hold: 1 }, commands: [lock('n0'), lock('n1')] },
  );
  expect(result.verdict).toBe('invalid');
  expect(result.doomed).toBeGreaterThan(0);
});

test('erratum 8: with a single priority, two competitors tie forever', () => {
  const single: typeof exclusion = {
    ...exclusion,
    roles: (id, instance) =>
      exclusion.roles(id, instance).map((role) => ({ ...role, input: { ...(role.input as object), priorities: 1 } })),
  };
  const { verdict, doomed, counterexample } = explore(single, {
    topology: P2,
    options: { hold: 1 },
    commands: [lock('n0'), lock('n1')],
  });
  expect(verdict).toBe('invalid');
  expect(doomed).toBeGreaterThan(0);
  expect(counterexample?.loop).toBeDefined();
});

/** The chart with messages to itself handled in memory, within the step that sends them, as the paper suggests. */
function inMemory(machine: AnyStateMachine): AnyStateMachine {
  const rewire = (config: any): any => {
    if (Array.isArray(config)) return config.map(rewire);
    if (typeof config !== 'object' || config === null) return config;
    if (config.type === 'send') return handled(config.params);
    return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, rewire(value)]));
  };
  return exclusionSetup.createMachine(rewire(machine.config));
}

const handled = (params: (args: any) => Send) =>
  enqueueActions(({ context, event, enqueue }) => {
    const { to, message } = params({ context, event });
    const ports = [to].flat() as number[];
    enqueue({ type: 'send', params: { to: ports.filter((port) => port !== 0), message } });
    if (ports.includes(0)) enqueue.raise({ ...message, from: 0 } as any);
  });

describe('erratum 6: a request shrank to its own node while another one holds that node', () => {
  const strangers = { nodes: ['n0', 'n1', 'n2'], links: [['n0', 'n1', 1]] as const };
  const search = (protocol: Protocol) =>
    explore(protocol, {
      topology: strangers,
      options: { priorities: 2, hold: 1 },
      commands: [lock('n0'), lock('n2'), join('n0', 'n2'), cut('n0', 'n1')],
    });

  test('loops forever within one step if messages to itself stay in memory', () => {
    expect(() => search({ ...exclusion, charts: { [EXCLUSION]: inMemory(exclusionMachine) } })).toThrow(
      'its roles send events to each other in an infinite loop',
    );
  });

  test('retries until it is free if they travel like all other messages', () => {
    expect(search(exclusion)).toMatchObject({ verdict: 'valid', doomed: 0 });
  });
});
