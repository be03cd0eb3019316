/** Descriptions: defaults of missing members, and errors that name the fix. */
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

describe('defaults', () => {
  const completed = defineProtocol(core);

  test('one chart is one role, to which everything goes', () => {
    expect(completed.roles('a', instance)).toEqual([{ role: 'c', chart: 'c', input: undefined }]);
    expect(completed.route({ type: 'ping' }, { has: () => true })).toBe('c');
    const given = defineCore({ ...core, input: (node, { rank }) => ({ number: rank(node) }) });
    expect(given.roles('b', instance)).toEqual([{ role: 'c', chart: 'c', input: { number: 1 } }]);
  });

  test('an unordered network with named nodes, without times and reactions', () => {
    expect(completed.network).toEqual({ reach: 'links', addressing: 'names', order: 'unordered', time: false });
    expect(completed.reactions({})).toEqual([]);
  });

  test('without options, a given option is an error', () => {
    expect(completed.options({}, graph)).toEqual({});
    expect(() => completed.options({ tau: 1 }, graph)).toThrow(
      new UsageError('Unknown option options.tau. Protocol p has no options.'),
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

  test('accepted messages follow from their shapes', () => {
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

  test('the account and the badge report the state of each node', () => {
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
    ['no object', undefined, 'The description of a protocol must be an object: { name, charts, network, messages, commands }.'],
    ['no name', { ...core, name: undefined }, 'The name of a protocol is missing. Use a string: scenarios refer to it.'],
    ['a typing mistake', { ...core, comands: {} }, 'comands is unknown. The members are name, charts, network, messages, commands, input, roles, reload, route, options, accepts, reactions, ports, draws, wiring, newcomer, notices.'],
    ['no charts', { ...core, charts: undefined }, 'charts is missing. Use an object.'],
    ['an empty list of charts', { ...core, charts: {} }, 'charts is empty. Add at least one XState machine: { name: machine }.'],
    ['a config for a chart', { ...core, charts: { c: { initial: 'idle' } } }, 'charts.c is not an XState machine. Use the result of setup(…).createMachine(…).'],
    ['no network', { ...core, network: undefined }, 'network is missing. Use an object.'],
    ['no reach', { ...core, network: {} }, 'network.reach is missing. Use a string.'],
    ['another reach', { ...core, network: { reach: 'far' } }, 'network.reach is "far". Choose "routed" or "links".'],
    ['another order', { ...core, network: { reach: 'links', order: 'lifo' } }, 'network.order is "lifo". Choose "fifo" or "unordered".'],
    ['another addressing', { ...core, network: { reach: 'links', addressing: 'ids' } }, 'network.addressing is "ids". Choose "names" or "ports".'],
    ['time as a word', { ...core, network: { reach: 'links', time: 'yes' } }, 'network.time is "yes". Use true or false.'],
    ['no messages', { ...core, messages: undefined }, 'messages is missing. List the fields of each type of message, or use {} for none.'],
    ['a message of no chart', { ...core, messages: { pong: {} } }, 'messages.pong is not an event of any chart. The events are go, ping.'],
    ['a message without fields', { ...core, messages: { ping: null } }, 'messages.ping is null. Use an object with a check for each field.'],
    ['a field without a check', { ...core, messages: { ping: { n: 'integer' } } }, 'messages.ping.n is "integer". Use a check, for example isInteger.'],
    ['the type as a field', { ...core, messages: { ping: { type: isCount } } }, 'messages.ping.type is the type of the message itself. Omit it.'],
    ['a command of no chart', { ...core, commands: { call: {} } }, 'commands.call is not an event of any chart and has no event function. Add event, or rename the command to one of go, ping.'],
    ['a command that is none', { ...core, commands: { go: true } }, 'commands.go is true. Use an object with fields, event, waits, completedBy, refusal.'],
    ['a command completed by a word', { ...core, commands: { go: { completedBy: 'gone' } } }, 'commands.go.completedBy is "gone". Use a list.'],
    ['a command completed by a number', { ...core, commands: { go: { completedBy: [1] } } }, 'commands.go.completedBy contains 1. List the types of notifications.'],
    ['a field without a name', { ...core, commands: { go: { fields: ['n'] } } }, 'commands.go.fields[0] is "n". Use { name, type }.'],
    ['a field of another type', { ...core, commands: { go: { fields: [{ name: 'n', type: 'float' }] } } }, 'commands.go.fields[0].type is "float". Choose "integer" or "node".'],
    ['several charts without roles', { ...core, charts: { c: chart, d: chart } }, 'roles is missing. With several charts (c, d), it must return those that a node starts with.'],
    ['roles without a route', { ...core, roles: () => [] }, 'route is missing. With roles, it must return the role that receives an event.'],
    ['input beside roles', { ...core, input: () => 1, roles: () => [], route: () => 'c' }, 'input cannot be combined with roles. Use input for a node with one role, and roles for any number.'],
    ['options that are no function', { ...core, options: {} }, 'options is {}. Use a function.'],
    ['wiring of another kind', { ...core, wiring: { hears: () => 'c' } }, 'wiring.hears is unknown. The members are listener, label, carrier, isInner, takers.'],
  ]; // prettier-ignore

  test.each(wrong)('%s', (_, description, message) => {
    const reported = /^The (name|description) of a protocol/.test(message) ? message : `Protocol p: ${message}`;
    expect(() => defineCore(description as CoreDescription)).toThrow(new UsageError(reported));
    expect(() => defineProtocol(description as CoreDescription)).toThrow(new UsageError(reported));
  });

  const checks: readonly [string, unknown, string][] = [
    [
      'no object',
      [],
      'checks is []. Use an object with properties, corruption, atRest, mayFire, canonical, times, samples, systems.',
    ],
    [
      'a view among the checks',
      { overlay: () => ({}) },
      'overlay is unknown. The members are properties, corruption, atRest, mayFire, canonical, times, samples, systems.',
    ],
    ['a list of properties', { properties: [] }, 'properties is []. Use a function.'],
    ['half a corruption', { corruption: { node: () => ({}) } }, 'corruption.channel is missing. Use a function.'],
    ['samples of no chart', { samples: { d: [] } }, 'samples.d does not name a chart. The charts are c.'],
    ['a sample outside of a list', { samples: { c: {} } }, 'samples.c is {}. Use a list of { input, events }.'],
    [
      'a sample without events',
      { samples: { c: [{ input: 1 }] } },
      'samples.c[0] has no function events. Use { input, events(context) }.',
    ],
    ['a system outside of a list', { systems: {} }, 'systems is {}. Use a list.'],
  ];

  test.each(checks)('checks: %s', (_, given, message) => {
    expect(() => defineProtocol(core, given as Checks)).toThrow(new UsageError(`Protocol p: ${message}`));
  });

  test.each([
    ['a word', { overlay: 'star' }, 'overlay is "star". Use a function.'],
    ['a property', { properties: () => [] }, 'properties is unknown. The members are paper, observe, overlay.'],
  ] as const)('view: %s', (_, given, message) => {
    expect(() => defineProtocol(core, {}, given as unknown as View)).toThrow(new UsageError(`Protocol p: ${message}`));
  });

  const holds = () => true;
  test.each([
    ['no list', 'all well', 'properties returned "all well". Return a list.'],
    ['no name', [{ kind: 'always', holds }], 'properties[0] has no name. Add one.'],
    [
      'another kind',
      [{ name: 'x', kind: 'alway', holds }],
      'property "x": kind is "alway". Choose "always" or "sometimes" or "eventually" or "closed" or "converges".',
    ],
    ['no holds', [{ name: 'x', kind: 'always' }], 'property "x" has no function holds. A property of kind always needs it.'],
    [
      'no when',
      [{ name: 'x', kind: 'eventually', holds }],
      'property "x" has no function when. A property of kind eventually needs it.',
    ],
    [
      'no bound',
      [{ name: 'x', kind: 'converges', holds }],
      'property "x" has within missing. Use the number of ticks from the last fault to a legal state.',
    ],
  ] as const)('properties: %s', (_, list, message) => {
    const { properties } = defineProtocol(core, { properties: () => list as never });
    expect(() => properties(instance)).toThrow(new UsageError(`Protocol p: ${message}`));
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
    [7, /^Protocol p: roles\("a", …\) returned 7\. Return a list of \{ role, chart, input \}\.$/],
    [undefined, /returned missing/],
    [[7], /\[0\] is 7\. Use \{ role, chart, input \}\./],
    [[{ chart: 'c' }], /\. Use \{ role, chart, input \}\./],
    [[{ role: 'r', chart: 'd' }], /has the chart "d"\. Choose "c"\./],
    [[{ role: 'r' }], /has the chart missing\. Choose "c"\./],
    [
      [
        { role: 'r', chart: 'c' },
        { role: 'r', chart: 'c' },
      ],
      /repeats the role "r"\. Give each role its own name\./,
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

describe('a function that fails, or returns something else', () => {
  const own = (): never => {
    throw new Error('my own');
  };
  const protocolOf = (more: object, checks: object = {}, view: object = {}) =>
    defineProtocol({ ...core, ...more } as CoreDescription, checks as Checks, view as View);
  const { commands } = core;

  test.each<[string, () => unknown, string]>([
    ['options', () => protocolOf({ options: own }).options({}, graph), 'options failed: my own'],
    ['input', () => protocolOf({ input: own }).roles('a', instance), 'input failed: my own'],
    ['route', () => protocolOf({ route: () => 7 }).route({ type: 'ping' }, { has: () => true }), 'route returned 7. Return the name of a role.'],
    ['accepts', () => protocolOf({ accepts: () => 'yes' }).accepts({ type: 'ping' }, instance), 'accepts returned "yes". Return true or false.'],
    ['accepts', () => protocolOf({ accepts: async () => true }).accepts({ type: 'ping' }, instance), 'accepts returned a promise. Return true or false.'],
    ['reactions', () => protocolOf({ reactions: () => [{ on: 'gone', event: { type: 'go' }, after: -1 }] }).reactions({}), 'reactions returned [{"on":"gone","event":{"type":"go"},"after":-1}]. Return a list of { on, event, after }, with after in ticks.'],
    ['ports', () => protocolOf({ ports: () => 7 }).ports!({}), 'ports returned 7. Return a list of [node, port, node, port].'],
    ['draws', () => protocolOf({ draws: () => ({ a: 'x' }) }).draws!({}), 'draws returned {"a":"x"}. Return a list of integers for each node.'],
    ['newcomer', () => protocolOf({ newcomer: () => 7 }).newcomer!({ type: 'gone' }), 'newcomer returned 7. Return the name of a node, or undefined.'],
    ['listener', () => protocolOf({ wiring: { listener: () => 7 } }).wiring!.listener!('c'), 'wiring.listener returned 7. Return the name of a role, or undefined.'],
    ['takers', () => protocolOf({ wiring: { takers: () => 'c' } }).wiring!.takers!({ type: 'link.up' }, { has: () => true }), 'wiring.takers returned "c". Return a list of roles.'],
    ['event', () => protocolOf({ commands: { go: { ...commands!['go'], event: () => ({}) } } }).commands['go']!.event({}), 'commands.go.event returned {}. Return an event, { type, … }.'],
    ['refusal', () => protocolOf({ commands: { go: { refusal: () => true } } }).commands['go']!.refusal!({}, {}), 'commands.go.refusal returned true. Return the reason as a text, or null.'],
    ['properties', () => protocolOf({}, { properties: own }).properties(instance), 'properties failed: my own'],
    ['atRest', () => protocolOf({}, { atRest: () => 'no' }).atRest!({} as never), 'atRest returned "no". Return true or false.'],
    ['mayFire', () => protocolOf({}, { mayFire: () => undefined }).mayFire!({} as never, 'a', 'c', 't'), 'mayFire returned missing. Return true or false.'],
    ['observe', () => protocolOf({}, {}, { observe: () => 7 }).observe(instance), 'observe returned 7. Return { record, summary, meters }.'],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(new RegExp(`^Protocol p: ${message.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`));
  }); // prettier-ignore

  const state = { c: { chart: 'c', value: 'idle', context: {} } };
  test.each<[unknown, unknown]>([
    [7, []],
    [{ roles: state }, []],
    [{ roles: { c: { ...state.c, chart: 'd' } }, timers: [] }, []],
    [{ roles: { c: { ...state.c, value: 'nowhere' } }, timers: [] }, []],
    [{ roles: state, timers: [] }, 7],
    [{ roles: state, timers: [] }, [7]],
  ])('corruption: %j, %j', (node, messages) => {
    const { corruption } = protocolOf({}, { corruption: { node: () => node, channel: () => messages } });
    const corrupted = () => [corruption!.node('a', instance, () => 0), corruption!.channel('a', 'b', instance, () => 0)];
    expect(corrupted).toThrow(UsageError);
    expect(corrupted).toThrow(/Protocol p: corruption\.(node|channel) returned /);
  });

  test('an overlay that fails is drawn as an error, and ends no run', () => {
    const { overlay } = protocolOf({}, {}, { overlay: own });
    const badge = 'Protocol p: overlay failed: my own';
    expect(overlay!({}, 'a', {} as never, {} as never)).toEqual({ badge, tone: 'wrong' });
  });
});
