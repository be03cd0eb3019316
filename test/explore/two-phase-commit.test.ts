/**
 * External truth: the counts that are published for two-phase commit (Gray, Lamport: Consensus on Transaction Commit), with three and
 * five resource managers, where messages that were sent stay readable for ever.
 */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { effects, send } from '../../machines/effects.js';
import type { Configuration, Property, Protocol } from '../../machines/protocol.js';
import { explore } from './index.js';
import { complete } from './fixtures.js';
import { mutant } from './mutants.fixture.js';
import { replay } from './replay.fixture.js';
import { toy, type ToyInput } from './toys.js';

type In = { context: ToyInput };

/** The transaction manager is n0; the others are the resource managers. */
const manager = setup({
  types: { context: {} as ToyInput & { prepared: readonly string[] }, input: {} as ToyInput, events: {} as any },
  actions: {
    ...effects(),
    note: assign({ prepared: ({ context, event }) => [...new Set([...context.prepared, event.from])].sort() }),
  },
  guards: { allPrepared: ({ context }) => context.prepared.length === context.peers.length },
}).createMachine({
  context: ({ input }) => ({ ...input, prepared: [] }),
  initial: 'open',
  states: {
    open: {
      on: {
        prepared: { actions: 'note' },
        decide: {
          guard: 'allPrepared',
          target: 'committed',
          actions: send(({ context }: In) => ({ to: context.peers, message: { type: 'commit' } })),
        },
        undo: {
          target: 'aborted',
          actions: send(({ context }: In) => ({ to: context.peers, message: { type: 'abort' } })),
        },
      },
    },
    committed: {},
    aborted: {},
  },
});

const resource = setup({
  types: { context: {} as ToyInput, input: {} as ToyInput, events: {} as any },
  actions: effects(),
}).createMachine({
  context: ({ input }) => input,
  initial: 'working',
  on: { commit: '.committed', abort: '.aborted' },
  states: {
    working: {
      on: {
        prepare: { target: 'prepared', actions: send(() => ({ to: 'n0', message: { type: 'prepared' } })) },
        giveUp: 'aborted',
      },
    },
    prepared: {},
    committed: {},
    aborted: {},
  },
});

const twoPhaseCommit: Protocol = {
  ...toy({ chart: manager, commands: ['prepare', 'giveUp', 'decide', 'undo'] }),
  charts: { manager, resource },
  roles: (id, { topology }) => [
    {
      role: 'toy',
      chart: id === 'n0' ? 'manager' : 'resource',
      input: { id, peers: topology.nodes.filter((node) => node !== id) },
    },
  ],
};

const value = (c: Configuration, node: string) => c.nodes.get(node)!['toy']!.value;
const consistent = {
  name: 'consistent',
  says: 'No resource manager has committed while another has aborted.',
  kind: 'always' as const,
  holds: (c: Configuration) => {
    const [, ...managers] = [...c.nodes.keys()];
    const some = (state: string) => managers.some((node) => value(c, node) === state);
    return !(some('committed') && some('aborted'));
  },
};

describe('two-phase commit', () => {
  test.each([
    [3, 288],
    [5, 8832],
  ])('with %i resource managers: %i states', (managers, states) => {
    const found = explore(twoPhaseCommit, {
      topology: complete(managers + 1),
      commands: 'unlimited',
      faults: { duplicate: Infinity },
      properties: [consistent],
    });
    expect(found).toMatchObject({ verdict: 'valid', states });
  });

  test('a manager that does not wait for all is caught, and the network makes the same of it', () => {
    const hasty = {
      ...twoPhaseCommit,
      charts: { manager: mutant(manager, ({ open }) => delete open.on.decide.guard), resource },
    };
    const options = {
      topology: complete(3),
      commands: 'unlimited',
      faults: { duplicate: Infinity },
      properties: [consistent],
    } as const;
    const { counterexample } = explore(hasty, options);
    expect(counterexample!.choices).toEqual([
      { command: ['n0', 'decide'] },
      { duplicate: 0 },
      { deliver: 0 },
      { command: ['n2', 'giveUp'] },
    ]);
    expect(consistent.holds(replay(hasty, complete(3), counterexample!).end)).toBe(false);
  });

  test('what a message that may come again for ever makes of promises is not judged', () => {
    const decided: Property = { name: 'decided', says: '', kind: 'eventually', when: () => true, holds: () => false };
    const options = {
      topology: complete(3),
      commands: 'unlimited',
      faults: { duplicate: Infinity },
      properties: [decided],
    } as const;
    expect(explore(twoPhaseCommit, options)).toMatchObject({ verdict: 'unknown', doomed: null, properties: [{ holds: null }] });
  });
});
