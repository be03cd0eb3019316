/**
 * Invalid charts, properties and questions are reported with their place: the search neither hangs nor returns a wrong `valid`.
 */
import { describe, expect, test } from 'vitest';
import { assign, emit, log, raise, setup } from 'xstate';
import { directory } from '../../machines/directory/index.js';
import { draw, effects, send } from '../../machines/effects.js';
import { ProtocolError, UsageError } from '../../machines/errors.js';
import { queue } from '../../machines/queue/index.js';
import type { Choose, Configuration, Property, Protocol, Topology } from '../../machines/protocol.js';
import { everyCombination } from './corruptions.js';
import { explore, type ExploreOptions } from './explore.js';
import { completeGraph } from './fixtures.js';
import { toy, type ToyInput } from './toys.fixtures.js';

type Context = ToyInput & { readonly noted: any };

/** A chart of one state that runs `actions` for the event `go`. */
function going(actions: any, extra: { guard?: () => boolean; noted?: unknown; react?: any } = {}): Protocol {
  const chart = setup({
    types: { context: {} as Context, input: {} as ToyInput },
    actions: { ...effects(), announce: emit({ type: 'did' } as any) },
    guards: { free: extra.guard ?? (() => true) },
  }).createMachine({
    context: ({ input }: { input: ToyInput }) => ({ ...input, noted: extra.noted ?? 0 }),
    initial: 'only',
    states: { only: { on: { go: { guard: 'free', actions }, react: { actions: extra.react ?? [] } } } },
  } as any);
  return toy({ chart, commands: ['go'] });
}

const note = (value: (context: Context) => unknown) => assign({ noted: ({ context }: any) => value(context) } as any);
const ask = (protocol: Protocol, options: Partial<ExploreOptions> = {}) =>
  explore(protocol, { topology: completeGraph(2), commands: 'unlimited', ...options });

describe('a chart that breaks its contract', () => {
  test.each([
    ['a Set in its context', going(note(() => new Set([1]))), 'node n0, role "toy": context.noted is a Set'],
    ['undefined in its context', going(note(() => ({ deep: [undefined] }))), 'context.noted.deep[0] is undefined'],
    [
      'a function in a message',
      going(send(({ context }: any) => ({ to: context.peers[0], message: { type: 'm', f: () => 1 } as any }))),
      'node n0 sends "m": message.f is a function',
    ],
    [
      'a message to an unknown node',
      going(send(() => ({ to: 'n9', message: { type: 'm' } }))),
      'node n0 sends "m" to "n9", but the topology has no such node',
    ],
    [
      'a message to a port',
      going(send(() => ({ to: 1, message: { type: 'm' } }))),
      'node n0 sends "m" to 1, but the topology has no such node',
    ],
    ['a draw below 0', going(draw(() => ({ bound: 0 }))), 'node n0: its step for "go" failed: the chart draws below 0'],
    [
      'writing into its context',
      going(note((context) => ((context.peers as string[]).push('n9'), 1))),
      'its step for "go" failed',
    ],
    ['an exception', going(note(() => JSON.parse('{'))), 'node n0: its step for "go" failed:'],
    [
      'null, thrown',
      going(
        note(() => {
          throw null;
        }),
      ),
      'node n0: its step for "go" failed: null was thrown, which is not an Error',
    ],
    ['a built-in action of XState', going(log('it')), 'Charts are pure: use the effects'],
    ['an action with a side effect', going(function beep() {}), 'A chart used "beep". Charts are pure'],
    ['raising events in a loop', going(raise({ type: 'go' })), 'A step of the chart never ends'],
    [
      'a role of an unknown chart',
      { ...going([]), roles: () => [{ role: 'toy', chart: 'x', input: {} }] },
      'Unknown chart "x". The charts are toy.',
    ],
  ])('%s', (_, protocol, message) => {
    expect(() => ask(protocol)).toThrow(ProtocolError);
    expect(() => ask(protocol)).toThrow(message);
  });

  test('an impure assign', () => {
    let calls = 0;
    expect(() => ask(going(note(() => calls++ % 2)))).toThrow('node n0: two runs of the step for "go" differ');
  });

  test('an impure assign in a system with a single step', () => {
    let calls = 0;
    const commands = [{ do: 'command', name: 'go', node: 'n0', fields: {} }] as const;
    expect(() => ask(going(note(() => calls++)), { topology: completeGraph(1), commands })).toThrow(
      'node n0: two runs of the step for "go" differ',
    );
  });

  test('an impure assign that often gives the same result, in a system of few steps', () => {
    let calls = 0;
    expect(() => ask(going(note(() => (calls++ < 12 ? 0 : calls))))).toThrow('node n0: two runs of the step for "go" differ');
  });

  test('an impure guard', () => {
    let calls = 0;
    const guard = () => calls++ % 3 === 0;
    expect(() =>
      ask(
        going(
          note(() => 1),
          { guard },
        ),
      ),
    ).toThrow('two runs of the step');
  });

  test('reactions that trigger each other in a loop', () => {
    const protocol: Protocol = {
      ...going('announce', { react: 'announce' }),
      reactions: () => [{ on: 'did', event: { type: 'react' }, after: 0 }],
    };
    expect(() => ask(protocol)).toThrow('Reactions without delay trigger each other in an infinite loop');
  });

  test('a newcomer that several nodes announce', () => {
    const protocol: Protocol = { ...going('announce'), newcomer: () => 'n7' };
    expect(() => ask(protocol)).toThrow('Nodes n1 and n0 both announce "n7". Add "n7" to the topology to check it.');
  });
});

describe('an infinite state space', () => {
  const counting = going(note(({ noted }) => noted + 1));

  test('a growing context is reported with the last state', () => {
    const found = ask(counting, { bounds: { states: 2000 } });
    expect(found.verdict).toBe('unknown');
    expect(found.stopped).toMatch(
      /^more than 2000 states\. New local states or messages keep appearing, so the system may be infinite: 6\d states of node n\d, the last \{"toy":.*"noted":6\d/,
    );
  });

  test('the search stops by itself if a single node grows', () => {
    const found = ask(counting, { topology: completeGraph(1), bounds: { parts: 3000 } });
    expect(found.stopped).toMatch(/^more than 3000 different local states and messages\. New .*"noted":\d+/);
  });

  test('accumulating messages are stopped by the given bound', () => {
    const flooding = going(send(({ context }: any) => ({ to: context.peers[0], message: { type: 'm' } })));
    expect(ask(flooding, { bounds: { states: 500 } })).toMatchObject({ verdict: 'unknown', stopped: 'more than 500 states' });
    expect(ask(flooding, { bounds: { depth: 3 } })).toMatchObject({
      verdict: 'unknown',
      stopped: 'states deeper than 3 transitions',
      depth: 3,
      states: 10,
    });
    expect(ask(flooding, { bounds: { megabytes: 1 } })).toMatchObject({ verdict: 'unknown', stopped: 'more than 1 megabytes' });
  });

  test('the search stops by the clock of the host', () => {
    const flooding = going(send(({ context }: any) => ({ to: context.peers[0], message: { type: 'm' } })));
    let at = 0;
    const now = () => (at += 400);
    expect(ask(flooding, { bounds: { seconds: 2 }, now })).toMatchObject({ verdict: 'unknown', stopped: 'more than 2 seconds' });
    expect(() => ask(flooding, { bounds: { seconds: 2 } })).toThrow('bounds.seconds requires a clock');
  });

  test('after a bound, "always" and a "sometimes" without a witness are undecided', () => {
    const kinds = (holds: boolean): Property[] => [
      { name: 'a', description: '', kind: 'always', holds: () => true },
      { name: 's', description: '', kind: 'sometimes', holds: () => holds },
    ];
    const flooding = going(send(({ context }: any) => ({ to: context.peers[0], message: { type: 'm' } })));
    const judged = (holds: boolean) =>
      ask(flooding, { bounds: { states: 9 }, properties: kinds(holds) }).properties.map((p) => p.holds);
    expect(judged(false)).toEqual([null, null]);
    expect(judged(true)).toEqual([null, true]);
  });
});

describe('a property that throws', () => {
  test.each(['always', 'sometimes', 'closed', 'converges', 'eventually'] as const)('%s', (kind) => {
    const broken = {
      name: 'broken',
      description: '',
      kind,
      within: 1,
      when: () => true,
      holds: () => JSON.parse('{'),
    } as Property;
    expect(() => ask(going([]), { properties: [broken] })).toThrow('property "broken" failed: ');
  });
});

describe('a corruption with too many results', () => {
  const corrupt = { do: 'corrupt', nodes: ['n0', 'n1', 'n2'] } as const;
  const request = { do: 'command', name: 'request', node: 'n0', fields: {} } as const;
  const topology: Topology = {
    nodes: corrupt.nodes,
    links: [
      ['n0', 'n1', 1],
      ['n1', 'n2', 1],
    ],
  };

  test('at the start: a bound stops the search before any step', () => {
    const found = explore(queue, { topology, commands: [corrupt], bounds: { states: 5000 }, properties: [] });
    expect(found).toMatchObject({ verdict: 'unknown', transitions: 0, stopped: 'more than 5000 states' });
  });

  test('later: rejected', () => {
    const wrong = () => explore(queue, { topology, commands: [request, corrupt] });
    expect(wrong).toThrow('the corruption after the first event, at n0, n1, n2 has more than 100000 possible results');
  });

  test('of one node: rejected', () => {
    const { node, channel } = queue.corruption!;
    const oneOf = (choose: Choose) => (choose(1e9), () => 0);
    const wild: typeof queue = {
      ...queue,
      corruption: { node: (id, instance, choose) => node(id, instance, oneOf(choose)), channel },
    };
    const wrong = () => explore(wild, { topology, commands: [corrupt] });
    expect(wrong).toThrow('the corruption of node n0 has more than 100000 possible results');
  });
});

describe('an invalid property', () => {
  test.each<[string, object, string]>([
    [
      'of an unknown kind',
      { kind: 'allways', holds: () => true },
      'Property "p" has the unknown kind "allways". Use one of: always',
    ],
    ['that returns undefined', { kind: 'always', holds: () => {} }, 'property "p" failed: "holds" returned undefined'],
    ['that returns a promise', { kind: 'closed', holds: async () => false }, 'property "p" failed: "holds" returned a promise'],
    [
      'whose condition returns a number',
      { kind: 'eventually', when: () => 0, holds: () => true },
      'property "p" failed: "when" returned 0',
    ],
    [
      'that throws',
      { kind: 'always', holds: (c: Configuration) => c.nodes.get('n9')!['toy'] === undefined },
      'property "p" failed: Cannot read properties of undefined',
    ],
  ])('%s', (_, property, message) => {
    const properties = [{ name: 'p', description: '', ...property } as Property];
    expect(() => ask(going([]), { properties })).toThrow(ProtocolError);
    expect(() => ask(going([]), { properties })).toThrow(message);
  });
});

describe('vacuous properties are reported', () => {
  const base = { name: 'p', description: '' };
  const here: Property = { ...base, kind: 'always', holds: (c) => c.nodes.get('n0')!['toy']!.value !== 'gone' };
  test.each<[string, Property, readonly string[]]>([
    ['a property that reads the state is not vacuous', here, []],
    ['which nodes there are is not a state', { ...base, kind: 'always', holds: (c) => c.nodes.has('n0') }, ['p']],
    ['a constant', { ...base, kind: 'always', holds: () => true }, ['p']],
    ['"eventually" whose condition never holds', { ...base, kind: 'eventually', when: () => false, holds: () => false }, ['p']],
    ['"closed" that never holds', { ...base, kind: 'closed', holds: (c) => c.nodes.size > 9 }, ['p']],
  ])('%s', (_, property, vacuous) => {
    expect(ask(going([]), { properties: [property] })).toMatchObject({ verdict: 'valid', vacuous });
  });
});

describe('an invalid question', () => {
  const wrong = (options: Partial<ExploreOptions>) => () => ask(directory, options);

  test.each([
    [
      'an unknown command',
      { commands: { unlimited: ['fetch'] } },
      'has no command "fetch" without fields. Use one of: request, release.',
    ],
    [
      'an unknown command in a script',
      { commands: [{ do: 'command', name: 'fetch', node: 'n0', fields: {} }] },
      'events[0]: protocol directory has no command "fetch"',
    ],
    [
      'a command in the form of a file',
      { commands: [{ do: 'request', node: 'n0' } as never] },
      /^events\[0\] does "request"\. Use one of: cut, .*\. A command is \{ do: 'command', name: 'request', node, fields: \{\} \}\.$/,
    ],
    ['a word that is not an event', { commands: [{ kind: 'command' } as never] }, 'events[0] does undefined'],
    [
      'an unknown node',
      { commands: [{ do: 'command', name: 'request', node: 'x', fields: {} }] },
      'events[0] names "x", but the topology has no such node',
    ],
    [
      'a link of a routed protocol',
      { commands: [{ do: 'cut', link: ['n0', 'n1'] }] },
      'events[0]: directory routes its messages, so links have no effect.',
    ],
    ['no first state', { initials: [] }, 'initials is an empty list'],
    ['an unknown option value', { options: { policy: 'best' } }, 'options.policy is "best"'],
    ['a topology that is not connected', { topology: { nodes: ['a', 'b'], links: [] } }, 'not connected'],
    ['a link to an unknown node', { topology: { nodes: ['a'], links: [['a', 'b', 1]] } }, '"b"'],
  ] as [string, Partial<ExploreOptions>, string][])('%s', (_, options, message) => {
    expect(wrong(options)).toThrow(UsageError);
    expect(wrong(options)).toThrow(message);
  });

  test.each([
    ['at the start', { commands: [{ do: 'corrupt', nodes: ['n0'] }] }],
    [
      'later',
      {
        commands: [
          { do: 'command', name: 'request', node: 'n0', fields: {} },
          { do: 'corrupt', nodes: ['n0'] },
        ],
      },
    ],
    ['of the first states', { corrupt: ['n0'] }],
  ] as [string, Partial<ExploreOptions>][])('a corruption of a protocol without one: %s', (_, options) => {
    const { corruption: _corruption, ...withoutCorruption } = directory;
    const ask = () => explore(withoutCorruption, { topology: completeGraph(2), ...options });
    expect(ask).toThrow(UsageError);
    expect(ask).toThrow(/protocol directory does not define a corruption\. Add "corruption" to its checks\./i);
  });
});

test('many nodes with one start each give one first state', () => {
  const choices = Array.from({ length: 20_000 }, (_, i) => [i]);
  expect([...everyCombination(choices)].map((chosen) => chosen.at(-1))).toEqual([19_999]);
  expect([...everyCombination([[1, 2], [3], [4, 5]])]).toEqual([
    [1, 3, 4],
    [1, 3, 5],
    [2, 3, 4],
    [2, 3, 5],
  ]);
  expect([...everyCombination([[1], []])]).toEqual([]);
  expect([...everyCombination([])]).toEqual([[]]);
});
