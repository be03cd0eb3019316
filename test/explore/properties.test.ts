/** Each kind of property fails where it should, with a shortest counterexample, and holds where it should. */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { directory, directoryMachine } from '../../machines/directory/index.js';
import { effects, send } from '../../machines/effects.js';
import type { Configuration, Property, Protocol } from '../../machines/protocol.js';
import { explore } from './explore.js';
import type { Exploration } from './examine.js';
import { completeGraph } from './fixtures.js';
import { mutant } from './mutants.fixture.js';
import { replay } from './replay.fixture.js';
import { toy, type ToyInput } from './toys.fixtures.js';

const failing = ({ properties }: Exploration) => properties.filter(({ holds }) => holds === false).map(({ name }) => name);
const judged = ({ properties }: Exploration) => properties.map(({ holds }) => holds);

describe('mutants of the directory', () => {
  const withChart = (edit: (states: any) => void): Protocol => ({
    ...directory,
    charts: { directory: mutant(directoryMachine, edit) },
  });
  const question = { topology: completeGraph(3), options: { policy: 'ivy', hold: 1 }, commands: { unlimited: ['request'] } };

  test('the chart itself is valid', () => {
    expect(explore(directory, question)).toMatchObject({ verdict: 'valid', doomed: 0, vacuous: [] });
  });

  test('T5 keeps the token that it sends: two tokens, after one find', () => {
    const broken = withChart(({ holding }) => (holding.states.idle.on.find[1].target = 'idle'));
    const found = explore(broken, question);
    expect(found).toMatchObject({ verdict: 'invalid', counterexample: { property: 'one token' } });
    expect(found.counterexample!.choices).toEqual([{ command: ['n1', 'request'] }, { deliver: 0 }]);
    expect(found.counterexample!.steps).toHaveLength(2);
    expect(holdsAfterReplay(broken, found, 'one token')).toBe(false);
  });

  test('T8 does not pass the token on: "one token" fails, and a request is never served', () => {
    const broken = withChart(({ holding }) => holding.states.using.states.followed.on.release.actions.splice(1, 1));
    expect(failing(explore(broken, question))).toEqual(['one token']);
    const found = explore(broken, { ...question, properties: onlyLiveness(question) });
    expect(found).toMatchObject({ verdict: 'invalid', counterexample: { property: 'every request is served' } });
    const { choices, loop } = found.counterexample!;
    expect(loop).toBe(choices.length);
    expect(found.doomed).toBeGreaterThan(0);
  });

  const onlyLiveness = (_: unknown) =>
    directory.properties({ options: { policy: 'ivy' } } as any).filter(({ kind }) => kind === 'eventually');

  function holdsAfterReplay(protocol: Protocol, { counterexample }: Exploration, name: string): boolean {
    const { end } = replay(protocol, completeGraph(3), counterexample!);
    const property = protocol.properties(counterexample!.instance).find((candidate) => candidate.name === name)!;
    return (property as Property & { kind: 'always' }).holds(end);
  }
});

/** n0 counts rounds of a ball modulo 3. After `go` it throws the ball to itself until the count is `stop`, if ever. */
const counter = (stop: number | null) =>
  toy({
    commands: ['go'],
    chart: setup({
      types: { context: {} as { id: string; count: number }, input: {} as ToyInput },
      actions: { ...effects(), count: assign({ count: ({ context }) => (context.count + 1) % 3 }) },
      guards: { isFirst: ({ context }) => context.id === 'n0', isAtStop: ({ context }) => context.count === stop },
    }).createMachine({
      context: ({ input: { id } }) => ({ id, count: 0 }),
      initial: 'still',
      states: {
        still: {
          on: {
            go: {
              guard: 'isFirst',
              target: 'moving',
              actions: send(({ context }) => ({ to: context.id, message: { type: 'ball' } })),
            },
          },
        },
        moving: {
          always: { guard: 'isAtStop', target: 'done' },
          on: { ball: { actions: ['count', send(({ context }) => ({ to: context.id, message: { type: 'ball' } }))] } },
        },
        done: {},
      },
    }),
  });

const count = (c: Configuration): number => c.nodes.get('n0')!['toy']!.context.count;
const value = (c: Configuration): unknown => c.nodes.get('n0')!['toy']!.value;
const commands = [{ do: 'command', name: 'go', node: 'n0', fields: {} }] as const;
const ask = (protocol: Protocol, ...properties: Property[]) =>
  explore(protocol, { topology: completeGraph(1), commands, properties });
const base = { name: 'it', description: 'made for a test' };

describe('the kinds', () => {
  test('always: one bad state is enough, and the counterexample is shortest', () => {
    const found = ask(counter(null), { ...base, kind: 'always', holds: (c) => count(c) < 2 });
    expect(found).toMatchObject({
      verdict: 'invalid',
      counterexample: { choices: [{ event: 0 }, { deliver: 0 }, { deliver: 1 }] },
    });
    expect(judged(ask(counter(null), { ...base, kind: 'always', holds: (c) => count(c) < 3 }))).toEqual([true]);
  });

  test('sometimes: true with a witness, false after a complete search', () => {
    expect(judged(ask(counter(null), { ...base, kind: 'sometimes', holds: (c) => count(c) === 2 }))).toEqual([true]);
    expect(ask(counter(1), { ...base, kind: 'sometimes', holds: (c) => count(c) === 2 })).toMatchObject({ verdict: 'invalid' });
  });

  test('eventually: violated by a fair cycle, not by a command that never comes', () => {
    const done: Property = { ...base, kind: 'eventually', when: (c) => value(c) === 'moving', holds: () => false };
    const found = ask(counter(null), done);
    expect(found).toMatchObject({ verdict: 'invalid', counterexample: { nodes: ['n0'], loop: 1 } });
    expect(found.counterexample!.choices).toHaveLength(4);
    expect(replay(counter(null), completeGraph(1), found.counterexample!, commands)).toMatchObject({ goesRound: true });
    expect(judged(ask(counter(1), done))).toEqual([true]);
    expect(ask(counter(1), { ...done, when: (c) => value(c) === 'lost' })).toMatchObject({ verdict: 'valid', vacuous: ['it'] });
  });

  test('eventually: violated by a quiescent state with a pending obligation', () => {
    const found = ask(counter(1), { ...base, kind: 'eventually', when: (c) => value(c) === 'done', holds: () => false });
    expect(found).toMatchObject({
      verdict: 'invalid',
      counterexample: { nodes: ['n0'], loop: 3, choices: [{ event: 0 }, { deliver: 0 }, { deliver: 1 }] },
    });
  });

  test('closed: violated when it no longer holds', () => {
    const found = ask(counter(null), { ...base, kind: 'closed', holds: (c) => count(c) === 1 });
    expect(found).toMatchObject({
      verdict: 'invalid',
      counterexample: { choices: [{ event: 0 }, { deliver: 0 }, { deliver: 1 }] },
    });
    expect(judged(ask(counter(1), { ...base, kind: 'closed', holds: (c) => count(c) === 1 }))).toEqual([true]);
  });

  test('converges: eventually true forever on every fair run, without times', () => {
    const atOne: Property = { ...base, kind: 'converges', holds: (c) => count(c) === 1, within: 9 };
    const moved = (protocol: Protocol) =>
      explore(protocol, { topology: completeGraph(1), commands: 'unlimited', properties: [atOne] });
    // Without a command the ball never moves: the application is free not to issue one.
    expect(moved(counter(1))).toMatchObject({ verdict: 'invalid', counterexample: { choices: [], loop: 0 } });
    const found = explore(counter(null), {
      topology: completeGraph(1),
      commands: 'unlimited',
      properties: [{ ...atOne, holds: (c: Configuration) => value(c) === 'still' || count(c) === 1 }],
    });
    expect(found).toMatchObject({ verdict: 'invalid' });
    expect(
      judged(
        explore(counter(1), {
          topology: completeGraph(1),
          commands: 'unlimited',
          properties: [{ ...atOne, holds: (c: Configuration) => value(c) !== 'moving' }],
        }),
      ),
    ).toEqual([true]);
  });

  test('goal: states that cannot reach it are doomed', () => {
    const goal = (c: Configuration) => value(c) === 'done';
    const question = {
      topology: completeGraph(1),
      commands: [{ do: 'command', name: 'go', node: 'n0', fields: {} }],
      properties: [],
    } as const;
    expect(explore(counter(1), { ...question, goal })).toMatchObject({ verdict: 'valid', doomed: 0, states: 4 });
    expect(explore(counter(null), { ...question, goal })).toMatchObject({
      verdict: 'invalid',
      doomed: 4,
      states: 4,
      counterexample: { choices: [] },
    });
  });
});
