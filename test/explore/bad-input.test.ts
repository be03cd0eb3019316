/** What is wrong with a chart, a property or a question is named with its place; never a hang, never a wrong `valid`. */
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
import { toy, type ToyInput } from './toys.js';

type Context = ToyInput & { readonly noted: any };

/** A chart of one state that does `actions` when it is asked to go. */
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
      'a message to nobody',
      going(send(() => ({ to: 'n9', message: { type: 'm' } }))),
      'node n0 sends "m" to "n9", which is no node of the topology',
    ],
    ['a message to a port', going(send(() => ({ to: 1, message: { type: 'm' } }))), 'node n0 sends "m" to 1, which is no node'],
    ['a draw below nothing', going(draw(() => ({ bound: 0 }))), 'node n0: its step for "go" failed: it draws below 0'],
    [
      'writing into its context',
      going(note((context) => ((context.peers as string[]).push('n9'), 1))),
      'its step for "go" failed',
    ],
    ['an exception', going(note(() => JSON.parse('{'))), 'node n0: its step for "go" failed'],
    [
      'null, thrown',
      going(
        note(() => {
          throw null;
        }),
      ),
      'node n0: its step for "go" failed: null was thrown, which is no Error',
    ],
    ['an action of XState', going(log('it')), 'charts are pure, use the effects'],
    ['an action that does something by itself', going(function beep() {}), 'a chart used "beep": charts are pure'],
    ['raising without end', going(raise({ type: 'go' })), 'the chart goes on by itself without end'],
    ['a role of no chart', { ...going([]), roles: () => [{ role: 'toy', chart: 'x', input: {} }] }, 'no chart "x" among toy'],
  ])('%s', (_, protocol, message) => {
    expect(() => ask(protocol)).toThrow(ProtocolError);
    expect(() => ask(protocol)).toThrow(message);
  });

  test('an impure assign', () => {
    let calls = 0;
    expect(() => ask(going(note(() => calls++ % 2)))).toThrow('node n0: two runs of the same step for "go" differ');
  });

  test('an impure assign in the only step that there is, which no other comes between', () => {
    let calls = 0;
    const commands = [{ do: 'command', name: 'go', node: 'n0', fields: {} }] as const;
    expect(() => ask(going(note(() => calls++)), { topology: completeGraph(1), commands })).toThrow(
      'node n0: two runs of the same step for "go" differ',
    );
  });

  test('an impure assign that says the same three times, in a system of few steps', () => {
    let calls = 0;
    expect(() => ask(going(note(() => (calls++ < 12 ? 0 : calls))))).toThrow(
      'node n0: two runs of the same step for "go" differ',
    );
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
    ).toThrow('two runs of the same');
  });

  test('reactions that answer each other without end', () => {
    const protocol: Protocol = {
      ...going('announce', { react: 'announce' }),
      reactions: () => [{ on: 'did', event: { type: 'react' }, after: 0 }],
    };
    expect(() => ask(protocol)).toThrow('reactions without delay answer each other without end');
  });

  test('a newcomer that several nodes bring in', () => {
    const protocol: Protocol = { ...going('announce'), newcomer: () => 'n7' };
    expect(() => ask(protocol)).toThrow('node n1 brings in "n7" as n0 does; to be checked, "n7" must stand in the topology');
  });
});

describe('a state space without end', () => {
  const counting = going(note(({ noted }) => noted + 1));

  test('a context that grows: named, with the last state', () => {
    const found = ask(counting, { bounds: { states: 2000 } });
    expect(found.verdict).toBe('unknown');
    expect(found.stopped).toMatch(
      /^more than 2000 states; new local states or messages keep appearing, perhaps without end: 6\d states of node n\d, the last \{"toy":.*"noted":6\d/,
    );
  });

  test('stopped by itself where one node grows alone', () => {
    const found = ask(counting, { topology: completeGraph(1), bounds: { parts: 3000 } });
    expect(found.stopped).toMatch(/^more than 3000 different local states and messages; new .*"noted":\d+/);
  });

  test('messages that pile up: stopped by the bound given', () => {
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

  test('by the clock, which the host brings', () => {
    const flooding = going(send(({ context }: any) => ({ to: context.peers[0], message: { type: 'm' } })));
    let at = 0;
    const now = () => (at += 400);
    expect(ask(flooding, { bounds: { seconds: 2 }, now })).toMatchObject({ verdict: 'unknown', stopped: 'more than 2 seconds' });
    expect(() => ask(flooding, { bounds: { seconds: 2 } })).toThrow('bounds.seconds needs a clock');
  });

  test('what was not seen is not judged: an unwitnessed "sometimes" stays open, an "always" too', () => {
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

describe('a corruption that leaves more than can be gone through', () => {
  const corrupt = { do: 'corrupt', nodes: ['n0', 'n1', 'n2'] } as const;
  const request = { do: 'command', name: 'request', node: 'n0', fields: {} } as const;
  const topology: Topology = {
    nodes: corrupt.nodes,
    links: [
      ['n0', 'n1', 1],
      ['n1', 'n2', 1],
    ],
  };

  test('first: a bound ends it before anything happens', () => {
    const found = explore(queue, { topology, commands: [corrupt], bounds: { states: 5000 }, properties: [] });
    expect(found).toMatchObject({ verdict: 'unknown', transitions: 0, stopped: 'more than 5000 states' });
  });

  test('on the way: refused', () => {
    const wrong = () => explore(queue, { topology, commands: [request, corrupt] });
    expect(wrong).toThrow('a corruption that does not stand first, at n0, n1, n2: it can fall in more than 100000 ways');
  });

  test('of one node: refused', () => {
    const { node, channel } = queue.corruption!;
    const oneOf = (choose: Choose) => (choose(1e9), () => 0);
    const wild: Protocol = {
      ...queue,
      corruption: { node: (id, instance, choose) => node(id, instance, oneOf(choose)), channel },
    };
    const wrong = () => explore(wild, { topology, commands: [corrupt] });
    expect(wrong).toThrow('node n0: its corruption: it can fall in more than 100000 ways');
  });
});

describe('a property that is none', () => {
  test.each<[string, object, string]>([
    [
      'of a kind that is not there',
      { kind: 'allways', holds: () => true },
      'property "p" has kind "allways"; the kinds are always',
    ],
    ['that says nothing', { kind: 'always', holds: () => {} }, 'property "p" failed: "holds" gives undefined'],
    ['that says it later', { kind: 'closed', holds: async () => false }, 'property "p" failed: "holds" gives a promise'],
    ['that is asked at 0', { kind: 'eventually', when: () => 0, holds: () => true }, 'property "p" failed: "when" gives 0'],
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

describe('a property that nothing can violate is reported as vacuous', () => {
  const base = { name: 'p', description: '' };
  const here: Property = { ...base, kind: 'always', holds: (c) => c.nodes.get('n0') !== undefined };
  test.each<[string, Property, readonly string[]]>([
    ['it looks at the state', here, []],
    ['it says the same of every state', { ...base, kind: 'always', holds: () => true }, ['p']],
    ['what is promised is never asked', { ...base, kind: 'eventually', when: () => false, holds: () => false }, ['p']],
    ['what is closed never holds', { ...base, kind: 'closed', holds: (c) => c.nodes.size > 9 }, ['p']],
  ])('%s', (_, property, vacuous) => {
    expect(ask(going([]), { properties: [property] })).toMatchObject({ verdict: 'valid', vacuous });
  });
});

describe('a question that makes no sense', () => {
  const wrong = (options: Partial<ExploreOptions>) => () => ask(directory, options);

  test.each([
    [
      'a command that is not there',
      { commands: { unlimited: ['fetch'] } },
      'has no command "fetch" without fields; it has request, release',
    ],
    [
      'one in a script',
      { commands: [{ do: 'command', name: 'fetch', node: 'n0', fields: {} }] },
      'events[0]: protocol directory has no command "fetch"',
    ],
    [
      'a node that is not there',
      { commands: [{ do: 'command', name: 'request', node: 'x', fields: {} }] },
      'events[0] names "x", which is no node',
    ],
    [
      'a link of a routed protocol',
      { commands: [{ do: 'cut', link: ['n0', 'n1'] }] },
      'events[0]: links do not matter to directory',
    ],
    ['no start', { initials: [] }, 'initials is an empty list'],
    ['an option that is not there', { options: { policy: 'best' } }, 'options.policy is "best"'],
    ['a topology in two parts', { topology: { nodes: ['a', 'b'], links: [] } }, 'not connected'],
    ['a link to nowhere', { topology: { nodes: ['a'], links: [['a', 'b', 1]] } }, '"b"'],
  ] as [string, Partial<ExploreOptions>, string][])('%s', (_, options, message) => {
    expect(wrong(options)).toThrow(UsageError);
    expect(wrong(options)).toThrow(message);
  });

  test.each([
    ['first', { commands: [{ do: 'corrupt', nodes: ['n0'] }] }],
    [
      'on the way',
      {
        commands: [
          { do: 'command', name: 'request', node: 'n0', fields: {} },
          { do: 'corrupt', nodes: ['n0'] },
        ],
      },
    ],
    ['of every kind', { corrupt: ['n0'] }],
  ] as [string, Partial<ExploreOptions>][])('a corruption of a protocol without: %s', (_, options) => {
    const { corruption: _corruption, ...withoutCorruption } = directory;
    const ask = () => explore(withoutCorruption, { topology: completeGraph(2), ...options });
    expect(ask).toThrow(UsageError);
    expect(ask).toThrow('protocol directory has no corrupt states; give its checks a corruption');
  });
});

test('many nodes, each with one start, are one first state', () => {
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
