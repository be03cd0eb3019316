/** The page's reading of a chart's definition, each construct compared with the machine itself. */
import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { describe, expect, test } from 'vitest';
import { chartDefinition } from '../../network/chart-definition.js';
import { readChart } from './chart.js';
import { layOutChart } from './chart-layout.js';
import { conformance } from './conformance.fixture.js';
import { elkHere } from './elk.fixture.js';

const chart = readChart('shop', JSON.parse(JSON.stringify(chartDefinition(conformance))));

const nodesIn = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesIn)];
const nodes = nodesIn(conformance.root);
const pathOf = ({ path }: AnyStateNode): string => path.join('.');
/** The actions and guards of the machine are objects and functions; those that the config names are compared by name. */
const namesIn = (values: readonly unknown[]): (string | null)[] =>
  values.map((value) => (typeof value === 'string' ? value : ((value as { type?: string }).type ?? null)));
const isOfDelay = (value: unknown): boolean =>
  ['xstate.raise', 'xstate.cancel'].includes((value as { type?: string }).type ?? '');

describe('every state', () => {
  test('is there, and nothing else', () => {
    expect([...chart.states.keys()]).toEqual(nodes.map(pathOf));
  });

  test.each(nodes.map((node) => [pathOf(node) || '(root)', node] as const))('%s', (_, node) => {
    const state = chart.states.get(pathOf(node))!;
    expect(state.key).toBe(node.parent ? node.key : 'shop');
    expect(state.kind).toBe(node.type);
    expect(state.children.map(({ path }) => path)).toEqual(Object.values(node.states).map(pathOf));
    expect(state.tags).toEqual(node.tags);
    expect(state.description).toBe(node.description ?? null);
    expect(state.initial).toBe(node.type === 'compound' ? pathOf(node.initial.target![0]!) : null);
    expect(state.invokes.map(({ id }) => id)).toEqual(node.invoke.map(({ id }) => id));
    expect(state.history?.depth ?? false).toBe(node.history);
    // XState enters its own timers among the actions of a state with delays.
    for (const when of ['entry', 'exit'] as const) {
      const own = node[when].filter((action) => !(isOfDelay(action) && node.after.length > 0));
      expect(state[when]).toHaveLength(own.length);
      for (const [i, name] of namesIn(own).entries())
        if (name !== null && !name.startsWith('xstate.')) expect(state[when][i]).toBe(name);
    }
  });
});

describe('every transition', () => {
  const ofMachine = (node: AnyStateNode): readonly AnyTransitionDefinition[] => [
    ...[...node.transitions.values()].flat(),
    ...(node.always ?? []),
  ];

  test.each(nodes.map((node) => [pathOf(node) || '(root)', node] as const))("of %s, in XState's words and order", (_, node) => {
    const read = chart.transitions.filter(({ source }) => source === pathOf(node));
    const real = ofMachine(node);
    const notified = (event: string, index: number, targets: readonly string[], more: object) => ({
      event,
      index,
      targets,
      ...more,
    });
    const choices = new Map<string, number>();
    const expected = real.map(({ eventType, target, reenter, description, guard, actions }) => {
      const index = choices.get(eventType) ?? 0;
      choices.set(eventType, index + 1);
      const more = { reenter, description: description ?? null, isGuarded: guard !== undefined, actions: actions.length };
      return notified(eventType, index, (target ?? []).map(pathOf), more);
    });
    const order = (a: { event: string; index: number }, b: { event: string; index: number }) =>
      a.event < b.event ? -1 : a.event > b.event ? 1 : a.index - b.index;
    const seen = read.map(({ event, index, targets, reenter, description, guard, actions }) =>
      notified(event, index, targets, { reenter, description, isGuarded: guard !== null, actions: actions.length }),
    );
    // A route has a generated guard on its target.
    const isRoute = ({ event }: { event: string }) => event === 'xstate.route';
    expect(seen.filter((one) => !isRoute(one)).sort(order)).toEqual(expected.filter((one) => !isRoute(one)).sort(order));
    expect(seen.filter(isRoute).map(({ targets }) => targets)).toEqual(expected.filter(isRoute).map(({ targets }) => targets));
  });
});

test('events, guards, actions and actors have readable names', () => {
  const reported = chart.transitions.map(
    ({ source, label, guard, actions }) =>
      `${source}: ${label}${guard === null ? '' : ` [${guard}]`}${actions.length > 0 ? ` / ${actions.join(', ')}` : ''}`,
  );
  for (const line of [
    ': clock snapshot / tick',
    ': * [not(isQuiet)] / log',
    ': route',
    'order: done / ship',
    'order.browsing: after 5 s',
    'order.browsing: after patience [isLate]',
    'order.browsing: search [and(isOnline, not(stateIn(#pay)))]',
    'order.browsing: leave',
    'order.loading: loader done / assign(items)',
    'order.loading: loader failed [isRetriable]',
    'order.loading: loader snapshot / show',
    'order.loading: inline failed',
    'order.loaded.list: always [inline]',
  ])
    expect(reported).toContain(line);
  const state = (path: string) => chart.states.get(path)!;
  expect(state('').entry).toEqual(['assign(count, items)', 'greet']);
  expect(state('order.loading').entry).toEqual(['raise begun', 'inline', 'spin']);
  expect(state('order.loaded.last').history).toEqual({ depth: 'deep', defaults: ['order.loaded.detail'] });
  expect(state('order.loaded.before').history).toEqual({ depth: 'shallow', defaults: ['order.loaded.list'] });
});

test('all of it is in the picture', async () => {
  const { states, edges } = await layOutChart(chart, elkHere);
  expect(states).toHaveLength(chart.states.size);
  const drawn = new Set([...states.flatMap(({ internal }) => internal), ...edges].map(({ transition }) => transition));
  expect(chart.transitions.filter((transition) => !drawn.has(transition))).toEqual([]);
  const words = states
    .flatMap(({ notes }) => notes)
    .join(' ')
    .replaceAll(/\s+/g, '');
  for (const { entry, exit, initialActions, tags, invokes, history } of chart.states.values()) {
    for (const action of [...entry, ...exit, ...initialActions]) expect(words).toContain(action.replaceAll(' ', ''));
    for (const tag of tags) expect(words).toContain(`#${tag}`);
    for (const { source } of invokes) expect(words).toContain(source);
    for (const path of history?.defaults ?? []) expect(words).toContain(path.slice(path.lastIndexOf('.') + 1));
  }
});
