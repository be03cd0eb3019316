/** Compositions: parts that do not notice each other, stacks, exact numbers of states, and mistakes that are noticed. */
import { describe, expect, test, vi } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { explore } from '../../test/explore/explore.js';
import { mutant } from '../../test/explore/mutants.fixture.js';
import { checkScenario } from '../../test/explore/scenario.js';
import { graphsOf } from '../../test/paths/graph.js';
import { systemWalks } from '../../test/system/tours.js';
import { directory } from '../directory/index.js';
import { election } from '../election/index.js';
import { UsageError } from '../errors.js';
import { exclusion } from '../exclusion/index.js';
import { link } from '../link/index.js';
import type { Protocol } from '../protocol.js';
import { queue } from '../queue/index.js';
import { compose, type ComposeOptions } from './index.js';
import { Part } from './parts.js';

const scenarioOf = (protocol: Protocol, scenario: object) =>
  parseScenario({ protocol: protocol.name, ...scenario }, { [protocol.name]: protocol });
const run = (protocol: Protocol, scenario: object) => new Simulation(scenarioOf(protocol, scenario)).run();
const check = (protocol: Protocol, scenario: object) => checkScenario(scenarioOf(protocol, scenario));
const path = (n: number) => ({ topology: { kind: 'path', n } });

describe('side by side', () => {
  test('the messages of a part are read once, however often a property asks for them', () => {
    const part = new Part('a', directory);
    const read = vi.spyOn(part, 'flights');
    const own = part.configuration(new Simulation(scenarioOf(compose({ a: directory, b: queue }), path(2))).configuration);
    expect(own.flights).toBe(own.flights);
    expect(read).toHaveBeenCalledOnce();
  });

  const both = compose({ tree: directory, line: queue });

  test('messages, commands, summaries and properties stay separate despite equal names', () => {
    const events = ['n1', 'n2', 'n3'].flatMap((node) => [
      { at: 0, node, do: 'tree.request' },
      { at: 1, node, do: 'line.request' },
    ]);
    const report = run(both, { ...path(4), options: { tree: { hold: 1 } }, events });
    expect(report.verdict).toBe('valid');
    const alone = (protocol: Protocol, part: string, options: object) =>
      run(protocol, {
        ...path(4),
        options,
        events: events.filter((event) => event.do.startsWith(part)).map((event) => ({ ...event, do: 'request' })),
      });
    const [tree, line] = [alone(directory, 'tree', { hold: 1 }), alone(queue, 'line', {})];
    const { tree: treeSummary, line: lineSummary } = report.summary as any;
    expect(treeSummary).toEqual(tree.summary);
    expect(lineSummary.order).toEqual(line.summary['order']);
    expect(report.messages.byType).toMatchObject({
      'tree.find': tree.messages.byType['find'],
      'line.find': line.messages.byType['find'],
    });
    const names = (part: string, { properties }: typeof tree) => properties.map(({ name }) => `${part}: ${name}`);
    expect(report.properties.map(({ name }) => name).toSorted()).toEqual(
      [...names('tree', tree), ...names('line', line)].toSorted(),
    );
  });

  test('one protocol under two names is two tokens, and the states are the product', () => {
    const pair = compose({ x: directory, y: directory });
    // From n0 to n1, and from n1 to n0: the same number of states by symmetry, and no order between the two.
    const [there, back] = [{ hold: 1 }, { hold: 1, root: 'n1' }];
    const { states, verdict } = check(directory, { ...path(2), options: there, events: [{ at: 0, node: 'n1', do: 'request' }] });
    const events = [
      { at: 0, node: 'n1', do: 'x.request' },
      { at: 0, node: 'n0', do: 'y.request' },
    ];
    const two = check(pair, { ...path(2), options: { x: there, y: back }, events });
    expect([verdict, two.verdict]).toEqual(['valid', 'valid']);
    expect(states).toBe(5);
    expect(two.states).toBe(25);
  });

  test('a run with corruption converges in the part that promises it', () => {
    const lines = compose({ first: queue, second: queue });
    const options = { tau: 2 };
    const events = [{ at: 5, do: 'corrupt', nodes: ['n0', 'n1', 'n2', 'n3'] }];
    const report = run(lines, { ...path(4), options: { first: options, second: options }, events });
    expect(report.verdict).toBe('valid');
    expect(report.properties.filter(({ kind }) => kind === 'converges').length).toBeGreaterThan(1);
  });

  test('two elections both receive link.up and link.down', () => {
    const two = compose({ a: election, b: election });
    const report = run(two, {
      topology: { kind: 'ring', n: 4 },
      events: [
        { at: 5, do: 'cut', link: ['n0', 'n1'] },
        { at: 9, do: 'cut', link: ['n2', 'n3'] },
      ],
    });
    expect(report.verdict).toBe('valid');
    const { a, b } = report.summary as any;
    expect(a).toEqual(b);
    expect(new Set(Object.values(a.leaders)).size).toBe(2);
  });

  test('compositions nest, and walk', () => {
    const nested = compose({ outer: compose({ x: directory, y: directory }), z: directory }, { name: 'nested' });
    const report = run(nested, {
      ...path(3),
      events: [
        { at: 0, node: 'n2', do: 'outer.x.request' },
        { at: 0, node: 'n1', do: 'z.request' },
      ],
    });
    expect(report).toMatchObject({ verdict: 'valid', summary: { outer: { x: { holder: 'n2' } }, z: { holder: 'n1' } } });
    expect(systemWalks(compose({ x: directory, y: directory })).walks.length).toBeGreaterThan(0);
  });
});

/** Each new leader takes a place in the queue. */
const officeWith = (options: Partial<ComposeOptions> = {}) =>
  compose(
    { lead: election, line: queue },
    {
      name: 'office',
      stack: [{ on: 'lead.leader', do: 'line.request', when: ({ leader }, node) => leader === node }],
      ...options,
    },
  );

/** Every token that is requested twice: the second request waits until the first one is released. */
const relay = compose(
  { first: directory, second: directory },
  { name: 'relay', stack: [{ on: 'first.granted', do: 'second.request' }] },
);

describe('stacked', () => {
  const asked = (...nodes: string[]) => nodes.map((node) => ({ at: 0, node, do: 'first.request' }));
  const options = { first: { hold: 1 }, second: { hold: 5 } };

  test('a notice of one part is a command of the other, in the same step', () => {
    const { verdict, summary } = run(relay, { ...path(3), options, events: asked('n1', 'n2') });
    expect(verdict).toBe('valid');
    expect((summary['second'] as any).served).toEqual((summary['first'] as any).served);
  });

  test('a command waits in the stack until its chart accepts it', () => {
    const { verdict, summary } = run(relay, {
      ...path(2),
      options: { first: { hold: 1 }, second: { hold: 9 } },
      events: asked('n1', 'n1', 'n1'),
    });
    expect(verdict).toBe('valid');
    expect((summary['second'] as any).served).toEqual(['n1', 'n1', 'n1']);
  });

  test('every interleaving, with the exact number of states', () => {
    const report = check(relay, { ...path(2), options, events: asked('n1', 'n1') });
    expect(report).toMatchObject({ verdict: 'valid', states: 27 });
    expect(report.properties).toContainEqual(
      expect.objectContaining({ name: 'every second.request of the stack is taken', holds: true }),
    );
  });

  test('a new leader takes a place in the queue', () => {
    const events = [
      { at: 20, do: 'cut', link: ['n0', 'n1'] },
      { at: 25, do: 'cut', link: ['n1', 'n2'] },
    ];
    const options = { line: { tree: 'stabilizing' }, lead: { leader: 'n1' } };
    const scenario = { topology: { kind: 'ring', n: 4 }, options, events, until: { at: 120 } };
    const { verdict, summary } = run(officeWith(), scenario);
    expect(verdict).toBe('valid');
    expect((summary['lead'] as any).leaders).toEqual({ n0: 'n2', n1: 'n1', n2: 'n2', n3: 'n2' });
    expect((summary['line'] as any).order.map(([requester]: readonly string[]) => requester)).toEqual(['n1', 'n2']);
  });

  test('generated tests cover the chart of the stack', () => {
    const { vertices, isComplete } = graphsOf(relay, 40).find(({ chart }) => chart === 'stack')!;
    expect(isComplete).toBe(true);
    expect(new Set(vertices.map(({ value }) => value))).toEqual(new Set(['idle', 'armed', 'due']));
  });

  test('a stack that always has commands may take each of them', () => {
    const topology = { nodes: ['n0', 'n1'], links: [['n0', 'n1', 1]] } as const;
    const commands = { unlimited: [{ command: 'first.request', node: 'n0' }] };
    const { properties } = explore(relay, { topology, options, commands, bounds: { depth: 12 } });
    expect(properties.filter(({ holds }) => holds === false)).toEqual([]);
  });

  test.each([
    [asked('n1'), 1, 'every second.request of the stack is taken'],
    [asked('n1', 'n1'), 2, 'every second.request of the stack is taken, also behind another'],
  ])('after %j, a stack that forgets its timer with %i commands is noticed', (events, number, name) => {
    const forgets = ({ context }: any) => context.queue.length === number;
    const stack = mutant(relay.charts['stack']!, ({ armed }: any) => {
      armed.on.timer = [{ guard: forgets, target: 'armed' }, { target: 'due' }];
    });
    const { properties } = check({ ...relay, charts: { ...relay.charts, stack } }, { ...path(2), options, events });
    expect(properties.filter(({ holds }) => holds === false).map((property) => property.name)).toEqual([name]);
  });

  test('a property of several parts is judged', () => {
    const both = officeWith({
      properties: () => [
        {
          name: 'no queue ends at the leader',
          description: 'Violated at the start, where both are the first node.',
          kind: 'always',
          holds: ({ nodes }) => {
            const { 'lead.election': leader, 'line.pointer': pointer } = nodes.get('n0')!;
            return leader!.value !== 'leader' || pointer!.value !== 'self';
          },
        },
      ],
    });
    const report = run(both, { ...path(2), until: { at: 20 } });
    expect(report.properties).toContainEqual(expect.objectContaining({ name: 'no queue ends at the leader', holds: false }));
  });
});

describe('bad input names the thing, the place and the fix', () => {
  const refused: readonly [string, () => unknown, string | RegExp][] = [
    ['a list of parts', () => compose([directory, directory] as never), /Two parts of one protocol need two names/],
    ['a protocol as the parts', () => compose(directory as never, queue as never), /compose needs an object of parts by name/],
    ['options that are null', () => compose({ a: directory, b: queue }, null as never), 'compose("a+b"): the options are null. Pass an object with name, stack, properties'],
    ['a number as name', () => compose({ a: directory, b: queue }, { name: 7 } as never), /name is not a text/],
    ['an empty name', () => compose({ a: directory, b: queue }, { name: '' }), /name is not a text/],
    ['a list of properties', () => compose({ a: directory, b: queue }, { properties: [] } as never), /properties is not a function/],
    ['a command without its fields', () => compose({ a: directory, b: link }, { stack: [{ on: 'a.granted', do: 'b.post' }] }), 'compose("a+b"): stack[0].do is "b.post", which needs peer and body. Return them from fields'],
    ['no part', () => compose({}), /compose\(""\): no parts are given/],
    ['a core', () => compose({ a: {} as Protocol }), 'compose("a"): the composition and its part have the same name "a". Rename one of them'],
    ['no protocol', () => compose({ a: {} as Protocol }, { name: 'x' }), /part "a" is not a protocol. Pass what defineProtocol or compose returns/],
    ['a reserved name', () => compose({ link: directory, b: queue }), /a part cannot be named "link"/],
    ['a dot', () => compose({ 'a.b': directory, b: queue }), /a part cannot be named "a.b"/],
    ['its own name', () => compose({ a: directory, b: queue }, { name: 'a' }), /the composition and its part have the same name "a"/],
    ['the name of a protocol', () => compose({ a: directory, b: queue }, { name: 'directory' }), 'compose("directory"): part "a" is the protocol "directory", as the composition is called. Pass another name'],
    ['a rule twice', () => compose({ a: directory, b: queue }, { stack: [{ on: 'a.granted', do: 'b.request' }, { on: 'a.granted', do: 'b.request' }] }), 'compose("a+b"): stack[1] repeats stack[0], so a.granted would issue b.request twice. Remove one of them'],
    ['ports and names', () => compose({ a: directory, b: exclusion }), /part "b" has anonymous nodes, and part "a" needs their names/],
    ['an unknown option', () => compose({ a: directory, b: queue }, { stak: [] } as never), /options.stak is not known. The options are name, stack, properties/],
    ['an unknown notice', () => compose({ a: directory, b: queue }, { stack: [{ on: 'a.grantd', do: 'b.request' }] }), 'compose("a+b"): stack[0].on is "a.grantd", and "grantd" is not a notice of directory. Its notices: granted, released'],
    ['an unknown command', () => compose({ a: directory, b: queue }, { stack: [{ on: 'a.granted', do: 'b.ask' }] }), /stack\[0\].do is "b.ask", and "ask" is not a command of queue. Its commands: request/],
    ['an unknown part', () => compose({ a: directory, b: queue }, { stack: [{ on: 'c.granted', do: 'b.request' }] }), /stack\[0\].on is "c.granted", which begins with no part/],
    ['a circle', () => compose({ a: directory, b: queue }, { stack: [{ on: 'a.granted', do: 'b.request' }, { on: 'b.queued', do: 'a.request' }] }), /stack contains a cycle: a → b → a/],
    ['itself', () => compose({ a: directory }, { name: 'x', stack: [{ on: 'a.granted', do: 'a.request' }] }), /stack contains a cycle: a → a/],
    ['a nested stack', () => compose({ a: relay, b: queue }), /part "a" is a composition with a stack/],
  ]; // prettier-ignore

  test.each(refused)('%s', (_, build, message) => {
    expect(build).toThrow(UsageError);
    expect(build).toThrow(message);
  });

  test.each([
    [{ peer: 7, body: 1 }, 'peer for b.post is 7 after a.granted at n1. Return the id of a node'],
    [{ peer: 'n0' }, 'body for b.post is undefined after a.granted at n1. Return an integer'],
  ])('fields %j', (fields, message) => {
    const posting = compose({ a: directory, b: link }, { stack: [{ on: 'a.granted', do: 'b.post', fields: () => fields }] });
    const events = [{ at: 0, node: 'n1', do: 'a.request' }];
    expect(() => run(posting, { ...path(2), events, until: { at: 9 } })).toThrow(`stack[0].fields: the ${message}`);
  });

  test('ports that differ', () => {
    const ports = (port: number) => ({ ports: [['n0', port, 'n1', 1]] });
    const two = (options: object) => () => scenarioOf(compose({ a: exclusion, b: exclusion }), { ...path(2), options });
    expect(two({ b: ports(3) })).toThrow('options.a.ports and options.b.ports differ');
    expect(two({ a: ports(3), b: ports(3) })().options).toBeDefined();
  });

  test('options of a part', () => {
    const both = compose({ tree: directory, line: queue });
    const withOptions = (options: object) => () => scenarioOf(both, { ...path(3), options });
    expect(withOptions({ tre: {} })).toThrow('Unknown part options.tre. The parts are tree, line.');
    expect(withOptions({ tree: { policy: 'arow' } })).toThrow(/options\.tree\.policy/);
    expect(withOptions({ tree: { hld: 1 } })).toThrow('Unknown option options.tree.hld. The options are policy,');
    expect(withOptions({ tree: 7 })).toThrow('options.tree is 7. Use an object of options of directory.');
  });

  test('a cut link, where one part is routed and another works on links', () => {
    const cut = { at: 0, do: 'cut', link: ['n0', 'n1'] };
    const both = compose({ tree: directory, line: queue });
    expect(() => scenarioOf(both, { ...path(3), events: [cut] })).toThrow(
      'links of tree+line cannot change, because one of its parts is routed',
    );
  });

  test('a command that the stack issues is not a command of scenarios', () => {
    expect(() => scenarioOf(relay, { ...path(2), events: [{ at: 0, node: 'n0', do: 'second.request' }] })).toThrow(
      /second.request/,
    );
  });
});
