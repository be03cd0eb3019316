/** Descriptions: what is left out is completed, what is wrong is named with its cure. */
import { createMachine, setup } from 'xstate';
import { describe, expect, test } from 'vitest';
import { effects, send } from './effects.js';
import { defineCore, defineProtocol } from './define.js';
import { UsageError } from './errors.js';
import type { Checks, CoreDescription, View } from './protocol.js';
import { isCount } from './shapes.js';

const chart = setup({ types: { events: {} as { type: 'ping' | 'go' } }, actions: effects() }).createMachine({
  initial: 'idle',
  states: {
    idle: { on: { go: { target: 'waiting', actions: send(() => ({ to: 'b', message: { type: 'ping' } })) } } },
    waiting: { on: { ping: 'done' } },
    done: {},
  },
});

const core: CoreDescription = {
  name: 'p',
  charts: { c: chart },
  network: { reach: 'links' },
  messages: { ping: { n: isCount } },
  commands: { go: { completedBy: ['gone'] } },
};

const graph = { topology: { nodes: ['a', 'b'], links: [] }, distance: () => 1, rank: (node: string) => ['a', 'b'].indexOf(node) };
const instance = { ...graph, options: {} };

describe('what is left out', () => {
  const completed = defineProtocol(core);

  test('one chart is one role, to which everything goes', () => {
    expect(completed.roles('a', instance)).toEqual([{ role: 'c', chart: 'c', input: undefined }]);
    expect(completed.route({ type: 'ping' }, { has: () => true })).toBe('c');
    const given = defineCore({ ...core, input: (node, { rank }) => ({ number: rank(node) }) });
    expect(given.roles('b', instance)).toEqual([{ role: 'c', chart: 'c', input: { number: 1 } }]);
  });

  test('the network orders nothing and names its nodes; there are no times and no reactions', () => {
    expect(completed.network).toEqual({ reach: 'links', addressing: 'names', order: 'unordered', time: false });
    expect(completed.reactions({})).toEqual([]);
  });

  test('there are no options, and whoever gives one is told', () => {
    expect(completed.options({}, graph)).toEqual({});
    expect(() => completed.options({ tau: 1 }, graph)).toThrow(
      new UsageError('options.tau is not known here; protocol p has no options'),
    );
  });

  test('a command is the event of its name, with its fields, and does not wait', () => {
    const { go } = completed.commands;
    expect(go).toMatchObject({ waits: false, completedBy: ['gone'] });
    expect(go!.event({})).toEqual({ type: 'go' });
    const fields = [{ name: 'n', type: 'integer', optional: true } as const, { name: 'to', type: 'node' } as const];
    const { event } = defineCore({ ...core, commands: { go: { fields } } }).commands['go']!;
    expect(event({ to: 'b', more: 1 })).toEqual({ type: 'go', to: 'b' });
  });

  test('what is accepted follows from the shapes of messages', () => {
    const accepted = [{ type: 'ping', n: 1 }];
    const refused = [
      { type: 'ping' },
      { type: 'ping', n: -1 },
      { type: 'ping', n: 1, m: 1 },
      { type: 'pong', n: 1 },
      { type: 'toString' },
      { n: 1 },
      JSON.parse('{"type":"ping","n":1,"__proto__":{}}'),
      ['ping'],
      null,
      'ping',
    ];
    expect(accepted.filter((message) => !completed.accepts(message, instance))).toEqual([]);
    expect(refused.filter((message) => completed.accepts(message, instance))).toEqual([]);
  });

  test('the account says in which state each node is, and so does its badge', () => {
    const node = { c: { chart: 'c', value: { up: { link: 'idle', peer: 'gone' } }, context: {} } };
    const c = { instance, nodes: new Map([['a', node]]), flights: [], links: null as never };
    expect(completed.observe(instance).summary(c)).toEqual({ states: { a: 'up.link.idle peer.gone' } });
    expect(completed.overlay!(node, 'a', c.links, c)).toEqual({ badge: 'up.link.idle peer.gone' });
  });

  test('a completed core is a description of itself', () => {
    const once = defineCore(core);
    expect(Object.keys(defineCore(once)).toSorted()).toEqual(Object.keys(once).toSorted());
    expect(defineProtocol(once).accepts({ type: 'ping', n: 1 }, instance)).toBe(true);
  });
});

describe('a description that is wrong', () => {
  const wrong: readonly [string, unknown, string][] = [
    ['no object', undefined, 'a protocol is described by an object; give { name, charts, network, messages, commands }'],
    ['no name', { ...core, name: undefined }, 'a protocol has the name missing; give name a string, by which scenarios call it'],
    ['a typing mistake', { ...core, comands: {} }, 'comands is not known; the members here are name, charts, network, messages, commands, input, roles, reload, route, options, accepts, reactions, ports, draws, wiring, newcomer, notices'],
    ['no charts', { ...core, charts: undefined }, 'charts is missing; give an object'],
    ['an empty list of charts', { ...core, charts: {} }, 'charts is empty; give at least one XState machine, by its name'],
    ['a config for a chart', { ...core, charts: { c: { initial: 'idle' } } }, 'charts.c is no XState machine; give what setup(…).createMachine(…) returns'],
    ['no network', { ...core, network: undefined }, 'network is missing; give an object'],
    ['no reach', { ...core, network: {} }, 'network.reach is missing; give a string'],
    ['another reach', { ...core, network: { reach: 'far' } }, 'network.reach is "far"; choose "routed" or "links"'],
    ['another order', { ...core, network: { reach: 'links', order: 'lifo' } }, 'network.order is "lifo"; choose "fifo" or "unordered"'],
    ['another addressing', { ...core, network: { reach: 'links', addressing: 'ids' } }, 'network.addressing is "ids"; choose "names" or "ports"'],
    ['time as a word', { ...core, network: { reach: 'links', time: 'yes' } }, 'network.time is "yes"; give true or false'],
    ['no messages', { ...core, messages: undefined }, 'messages is missing; give the fields of each type of message, {} if none is sent'],
    ['a message of no chart', { ...core, messages: { pong: {} } }, 'messages.pong is an event of no chart; they take go, ping'],
    ['a message without fields', { ...core, messages: { ping: null } }, 'messages.ping is null; give an object with a check for each field'],
    ['a field without a check', { ...core, messages: { ping: { n: 'integer' } } }, 'messages.ping.n is "integer"; give a check, isInteger for instance'],
    ['the type as a field', { ...core, messages: { ping: { type: isCount } } }, 'messages.ping.type is the message itself; leave it out'],
    ['a command of no chart', { ...core, commands: { call: {} } }, 'commands.call is an event of no chart, and has none of its own; give event, or name it as one of go, ping'],
    ['a command that is none', { ...core, commands: { go: true } }, 'commands.go is true; give an object with fields, event, waits, completedBy, refusal'],
    ['a command completed by a word', { ...core, commands: { go: { completedBy: 'gone' } } }, 'commands.go.completedBy is "gone"; give a list'],
    ['a command completed by a number', { ...core, commands: { go: { completedBy: [1] } } }, 'commands.go.completedBy has 1; give the types of notifications'],
    ['a field without a name', { ...core, commands: { go: { fields: ['n'] } } }, 'commands.go.fields[0] is "n"; give { name, type }'],
    ['a field of another type', { ...core, commands: { go: { fields: [{ name: 'n', type: 'float' }] } } }, 'commands.go.fields[0].type is "float"; choose "integer" or "node"'],
    ['several charts without roles', { ...core, charts: { c: chart, d: chart } }, 'roles is missing; with several charts (c, d) it says which of them a node starts with'],
    ['roles without a route', { ...core, roles: () => [] }, 'route is missing; with roles it says which of them takes an event'],
    ['input beside roles', { ...core, input: () => 1, roles: () => [], route: () => 'c' }, 'input is given beside roles; input is for a node of one role, roles for any number'],
    ['options that are no function', { ...core, options: {} }, 'options is {}; give a function'],
    ['wiring of another kind', { ...core, wiring: { hears: () => 'c' } }, 'wiring.hears is not known; the members here are listener, label, carrier, isInner'],
  ]; // prettier-ignore

  test.each(wrong)('%s', (_, description, message) => {
    const said = message.startsWith('a protocol ') ? message : `protocol p: ${message}`;
    expect(() => defineCore(description as CoreDescription)).toThrow(new UsageError(said));
    expect(() => defineProtocol(description as CoreDescription)).toThrow(new UsageError(said));
  });

  const checks: readonly [string, unknown, string][] = [
    [
      'no object',
      [],
      'checks is []; give an object with properties, corruption, atRest, mayFire, canonical, times, samples, systems',
    ],
    [
      'a view among the checks',
      { overlay: () => ({}) },
      'overlay is not known; the members here are properties, corruption, atRest, mayFire, canonical, times, samples, systems',
    ],
    ['a list of properties', { properties: [] }, 'properties is []; give a function'],
    ['half a corruption', { corruption: { node: () => ({}) } }, 'corruption.channel is missing; give a function'],
    ['samples of no chart', { samples: { d: [] } }, 'samples.d is of none of the charts; they are c'],
    ['a sample outside of a list', { samples: { c: {} } }, 'samples.c is {}; give a list of { input, events }'],
    [
      'a sample without events',
      { samples: { c: [{ input: 1 }] } },
      'samples.c[0] has no function events; give { input, events(context) }',
    ],
    ['a system outside of a list', { systems: {} }, 'systems is {}; give a list'],
  ];

  test.each(checks)('checks: %s', (_, given, message) => {
    expect(() => defineProtocol(core, given as Checks)).toThrow(new UsageError(`protocol p: ${message}`));
  });

  test.each([
    ['a word', { overlay: 'star' }, 'overlay is "star"; give a function'],
    ['a property', { properties: () => [] }, 'properties is not known; the members here are paper, observe, overlay'],
  ] as const)('view: %s', (_, given, message) => {
    expect(() => defineProtocol(core, {}, given as unknown as View)).toThrow(new UsageError(`protocol p: ${message}`));
  });

  const holds = () => true;
  test.each([
    ['no list', 'all well', 'properties gives "all well"; give a list'],
    ['no name', [{ kind: 'always', holds }], 'properties[0] has no name; give it one'],
    [
      'another kind',
      [{ name: 'x', kind: 'alway', holds }],
      'property "x": kind is "alway"; choose "always" or "sometimes" or "eventually" or "closed" or "converges"',
    ],
    ['no holds', [{ name: 'x', kind: 'always' }], 'property "x" has no function holds, and a property of kind always needs it'],
    [
      'no when',
      [{ name: 'x', kind: 'eventually', holds }],
      'property "x" has no function when, and a property of kind eventually needs it',
    ],
    [
      'no bound',
      [{ name: 'x', kind: 'converges', holds }],
      'property "x" has within missing; give the ticks from the last fault to legality',
    ],
  ] as const)('properties: %s', (_, list, message) => {
    const { properties } = defineProtocol(core, { properties: () => list as never });
    expect(() => properties(instance)).toThrow(new UsageError(`protocol p: ${message}`));
  });

  test('a chart that takes any event may be sent any message', () => {
    const open = createMachine({ on: { '*': { actions: 'note' } } });
    expect(() => defineCore({ ...core, charts: { c: open }, messages: { pong: {} }, commands: { call: {} } })).not.toThrow();
  });
});

describe('roles of a node', () => {
  const route = () => 'c';
  const rolesOf = (roles: unknown) => defineCore({ ...core, route, roles: (() => roles) as never }).roles('a', instance as never);

  test.each([
    [7, /^protocol p: roles\("a", …\) returned 7; return a list of \{ role, chart, input \}$/],
    [undefined, /returned missing/],
    [[7], /\[0\] is 7; give \{ role, chart, input \}/],
    [[{ chart: 'c' }], /give \{ role, chart, input \}/],
    [[{ role: 'r', chart: 'd' }], /has the chart "d"; choose "c"/],
    [[{ role: 'r' }], /has the chart missing; choose "c"/],
    [
      [
        { role: 'r', chart: 'c' },
        { role: 'r', chart: 'c' },
      ],
      /has the role "r" again/,
    ],
  ])('%j is refused', (roles, message) => {
    expect(() => rolesOf(roles)).toThrow(UsageError);
    expect(() => rolesOf(roles)).toThrow(message);
  });

  test('of a restart as well', () => {
    const { reload } = defineCore({
      ...core,
      route,
      roles: () => [{ role: 'r', chart: 'c', input: 0 }],
      reload: () => 7 as never,
    });
    expect(() => reload!('a', instance as never, {})).toThrow(/reload\("a", …\) returned 7/);
  });
});
