import { describe, expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { directoryMachine } from '../../machines/directory/machine.js';
import { chartDefinition } from '../../network/chart-definition.js';
import { layOutChart } from './chart-layout.js';
import { readChart, type ChartTransition } from './chart.js';
import { elkHere } from './elk.fixture.js';
import { guessed, reportedBy } from './taken.js';
import { activePaths } from './values.js';

const directory = readChart('directory', chartDefinition(directoryMachine));

describe('a chart is read from the config of its machine', () => {
  test('states in a tree', () => {
    const { states, root } = directory;
    expect(root.children.map(({ key }) => key)).toEqual(['starting', 'idle', 'waiting', 'holding']);
    expect(states.get('holding.using')).toMatchObject({ kind: 'compound', initial: 'holding.using.last' });
    expect(states.get('holding.using.followed')).toMatchObject({ kind: 'atomic' });
  });

  test('targets by id, by path from an id, and by the name of a sibling', () => {
    const to = (source: string, event: string) =>
      directory.transitions.filter((t) => t.source === source && t.event === event).map(({ targets }) => targets);
    expect(to('waiting.last', 'token')).toEqual([['holding.using.last']]);
    expect(to('holding.idle', 'find')).toEqual([[], ['idle']]);
    expect(to('idle', 'request')).toEqual([['waiting']]);
  });

  test('guards and actions by name, parameters by the name of their function', () => {
    const [drawn, forwarded] = directory.transitions.filter(({ source, event }) => source === 'idle' && event === 'find');
    expect(drawn).toMatchObject({ guard: 'parentIsToBeDrawn', actions: ['holdFind', 'draw indexOfParent'] });
    expect(forwarded).toMatchObject({ guard: null, actions: ['send forwardedFind', 'adoptParent'] });
  });

  test('keys with dots', async () => {
    const chart = readChart('x', {
      initial: 'a.b',
      states: { 'a.b': { on: { go: 'c.d' } }, 'c.d': { initial: 'e.f', states: { 'e.f': {} } } },
    });
    expect(chart.transitions).toMatchObject([{ source: 'a.b', targets: ['c.d'] }]);
    expect((await layOutChart(chart, elkHere)).edges).toHaveLength(1);
    expect([...activePaths({ 'c.d': 'e.f' })]).toEqual(['c.d', 'c.d.e.f']);
  });

  test.each([
    null,
    7,
    'x',
    [],
    {},
    { states: 3 },
    { states: { a: null, b: { on: [1], always: { target: '#nowhere' } } }, initial: 'gone' },
  ])('anything else is read without a complaint: %j', async (config) => {
    const chart = readChart('x', config);
    expect(chart.transitions.flatMap(({ targets }) => targets)).toEqual([]);
    expect((await layOutChart(chart, elkHere)).states).toHaveLength(chart.states.size);
  });
});

describe('the transition that a step took', () => {
  const words = ({ source, event, guard, targets }: ChartTransition) =>
    `${source} ${event}${guard ? ` [${guard}]` : ''} ${targets.join()}`;

  test('is the one in its line, with the guards that refused', () => {
    const line = {
      taken: [['directory', 'idle', 'find', 1]],
      refused: [['directory', 'idle', 'find', 0]],
    } as const;
    const { taken, refused, possible } = reportedBy(line, 'directory', directory)!;
    expect(taken.map(words)).toEqual(['idle find ']);
    expect(refused.map(words)).toEqual(['idle find [parentIsToBeDrawn] ']);
    expect(possible).toEqual([]);
    expect(reportedBy(line, 'another role', directory)).toEqual({ taken: [], refused: [], possible: [] });
    expect(reportedBy({}, 'directory', directory)).toBeNull();
  });

  describe('without transitions in the trace', () => {
    const guess = (event: string | null, before: object | string | null, after: object | string) => {
      const { taken, possible } = guessed(directory, event, before as never, after as never);
      return { taken: taken.map(words), possible: possible.map(words) };
    };

    test('is the only one that leads from the state before to the state after', () => {
      expect(guess('token', { waiting: 'followed' }, { holding: { using: 'followed' } })).toEqual({
        taken: ['waiting.followed token holding.using.followed'],
        possible: [],
      });
      expect(guess('request', 'idle', { waiting: 'last' }).taken).toEqual(['idle request waiting']);
    });

    test('is unknown if it depends on a guard: a possible one is not marked as taken', () => {
      expect(guess('find', 'idle', 'idle')).toEqual({ taken: [], possible: ['idle find [parentIsToBeDrawn] ', 'idle find '] });
    });

    test('is none when the event has none, and none at the start', () => {
      expect(guess('token', 'idle', 'idle')).toEqual({ taken: [], possible: [] });
      expect(guess('start', null, 'idle')).toEqual({ taken: [], possible: [] });
    });

    test('without guards in the trace, a guarded choice without a change is only possible', () => {
      const chart = readChart('x', { initial: 'a', states: { a: { on: { go: { guard: 'may', actions: 'act' } } } } });
      expect(guessed(chart, 'go', 'a', 'a')).toMatchObject({ taken: [], possible: [{ guard: 'may' }] });
    });
  });
});

test('a config with values that JSON does not know has a definition', () => {
  const ring: { self?: unknown; twice?: unknown } = { twice: [1] };
  ring.self = ring;
  const chart = createMachine({ id: 'odd', context: { big: 1n, ring, same: [ring.twice, ring.twice] }, meta: { ring } } as never);
  expect(chartDefinition(chart)).toEqual({
    id: 'odd',
    context: { big: '1n', ring: { twice: [1], self: '…' }, same: [[1], [1]] },
    meta: { ring: { twice: [1], self: '…' } },
  });
});
