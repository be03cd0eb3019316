/** Every interleaving of two and three tabs that arrive, leave, freeze and continue; and mutants that the same searches refute. */
import { assign, createMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { statePath } from '../checks.js';
import { explore, type ExploreOptions } from '../../test/explore/explore.js';
import type { NodeId } from '../effects.js';
import type { Property } from '../protocol.js';
import { tabs } from './index.js';
import { firstKnown, noPeerMissed } from './company.fixtures.js';
import { tabMachine } from './tab.js';
import { tabOf } from './view.js';
import { peerMachine } from './peer.js';

type Commands = Extract<NonNullable<ExploreOptions['commands']>, readonly unknown[]>;

const among = (...nodes: NodeId[]): ExploreOptions['topology'] => ({
  nodes,
  links: nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v, 1] as const)),
});
const two = among('a', 'b');
const command = (name: string) => (node: NodeId) => ({ do: 'command', name, node, fields: {} }) as const;
const [arrive, leave] = ['arrive', 'leave'].map(command) as [ReturnType<typeof command>, ReturnType<typeof command>];
const crash = (node: NodeId) => ({ do: 'crash', node }) as const;
const arriveListed = command('arriveListed');
const exists = (node: NodeId, peer: NodeId) => ({ do: 'command', name: 'exists', node, fields: { peer } }) as const;
const ended = (node: NodeId, peer: NodeId) => ({ do: 'command', name: 'ended', node, fields: { peer } }) as const;

function searched(
  topology: ExploreOptions['topology'],
  commands: Commands,
  protocol = tabs,
  more: readonly Property[] = [],
  only?: string,
) {
  const own = [...tabs.properties({} as never), ...more].filter(({ kind, name }) =>
    only === undefined ? kind !== 'sometimes' : name === only,
  );
  const options = { patience: 1, answer: 1 };
  return explore(protocol, { topology, options, commands, bounds: { states: 100_000 }, properties: own });
}

/** While b may be frozen, a does not wait for it: at most this many messages for b are in flight. */
const freezing = (protocol = tabs): typeof tabs => ({
  ...protocol,
  mayFire: (c, node, role, timer) =>
    node === 'a' ? c.flights.filter(({ to }) => to === 'b').length < 3 : tabs.mayFire!(c, node, role, timer),
});

/** Replies may take longer than the short wait after a list. A listed tab sends `hello` before the long wait is over. */
const unhurried = (protocol = tabs): typeof tabs => ({
  ...protocol,
  mayFire: (c, node, role, timer) =>
    statePath(tabOf(c.nodes.get(node)!)) === 'there.arriving.listed' ||
    (tabOf(c.nodes.get('a')!).value !== 'away' && tabs.mayFire!(c, node, role, timer)),
});

const all = [firstKnown, noPeerMissed];
/** No Web Lock shows the tabs to each other. */
const unlisted: Commands = [arriveListed('a'), arriveListed('b')];
/** Each has its Web Lock before it requests the list. */
const listing: Commands = [arriveListed('a'), exists('b', 'a'), arriveListed('b')];

describe('the properties hold', () => {
  test.each<[string, number, Commands]>([
    ['two come', 55, [arrive('a'), arrive('b')]],
    ['one of them leaves', 128, [arrive('a'), arrive('b'), leave('a')]],
    ['one crashes', 147, [arrive('a'), arrive('b'), crash('a')]],
    ['two come, and neither is listed', 55, unlisted],
    ['two come, and one is listed', 61, listing],
    ['one crashes, and is reported', 599, [arrive('a'), arrive('b'), crash('a'), ended('b', 'a')]],
    ['one is reported, and lives', 224, [arrive('a'), arrive('b'), ended('b', 'a')]],
    ['one is listed and reported, and lives', 260, [...listing, ended('b', 'a')]],
  ])('%s: %i states', (_, states, commands) => {
    const found = searched(two, commands, tabs, all);
    expect([found.verdict, found.states]).toEqual(['valid', states]);
  });

  test.each<[string, Commands]>([
    ['it comes back', []],
    ['it comes back and leaves', [leave('a')]],
    ['the other one leaves meanwhile', [leave('b')]],
  ])('a tab that is down for a while misses messages: %s', (_, more) => {
    const found = searched(two, [arrive('a'), arrive('b'), crash('a'), { do: 'restart', node: 'a' }, ...more]);
    expect([found.verdict, found.counterexample?.property]).toEqual(['valid', undefined]);
  });

  test('of two tabs with Web Locks one knows the other, however late it replies', () => {
    const found = searched(two, listing, unhurried(), [firstKnown], firstKnown.name);
    expect([found.verdict, found.states]).toEqual(['valid', 93]);
  });

  test('a tab that is frozen at any time is met, or notified that it was counted as gone', () => {
    const found = searched(two, [arrive('a'), arrive('b')], freezing(), [], 'acquaintance');
    expect([found.verdict, found.states]).toEqual(['valid', 876]);
  });
});

describe('without one of its rules a property breaks', () => {
  const { config, implementations } = tabMachine;
  const { there } = config.states as any;
  const { beat: _, ping: __, ...deaf } = there.states.present.on;
  const present = { ...there.states.present, on: deaf };
  const silent = createMachine(
    { ...config, states: { ...config.states, there: { ...there, states: { ...there.states, present } } } } as never,
    implementations as never,
  );
  const mute = createMachine({ ...peerMachine.config, on: { ...peerMachine.config.on, ping: '.present' } } as never, {
    ...(peerMachine.implementations as object),
  });
  const away = { on: { ...(config.states as any).away.on, arriveListed: { target: 'there', actions: 'awaitListed' } } };
  const hasty = createMachine({ ...config, states: { ...config.states, away } } as never, implementations as never);
  const credulous = createMachine({ ...peerMachine.config, on: { ...peerMachine.config.on, ended: '.gone' } } as never, {
    ...(peerMachine.implementations as object),
  });
  const of = (charts: object): typeof tabs => ({ ...tabs, charts: { ...tabs.charts, ...charts } });
  const both = [arrive('a'), arrive('b')] as const;
  test.each<[string, string, typeof tabs, Commands]>([
    [
      'participates before the first reply',
      'first come, first known',
      of({ tab: tabMachine.provide({ guards: { hasMetAll: () => true } }) }),
      both,
    ],
    ['nobody is met', 'first come, first known', of({ tab: tabMachine.provide({ guards: { isStranger: () => false } }) }), both],
    ['who is asked says nothing', 'no peer missed', of({ peer: mute }), both],
    [
      'patience has no end',
      'departure',
      of({ peer: peerMachine.provide({ guards: { isPatienceOver: () => false }, actions: { count: assign({}) } }) }),
      [...both, crash('a')],
    ],
    ['who was counted as gone is not told', 'acquaintance', freezing(of({ tab: silent })), both],
    ['the list replaces the question', 'first come, first known', of({ tab: hasty }), unlisted],
    [
      'a tab that is listed is not waited for',
      'first come, first known',
      unhurried(of({ tab: tabMachine.provide({ actions: { awaitListed: assign({ named: [] }) } }) })),
      listing,
    ],
    ['a report replaces the question', 'no peer missed', of({ peer: credulous }), [...both, ended('b', 'a')]],
  ])('%s: %s', (_, property, protocol, commands) => {
    const found = searched(two, commands, protocol, all, property);
    expect([found.verdict, found.counterexample?.property]).toEqual(['invalid', property]);
  });
});
