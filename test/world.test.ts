/** The rules of the world: simulator and checker agree, and choices are pure. */
import { describe, expect, test } from 'vitest';
import { protocols } from '../machines/index.js';
import { explore } from './explore/explore.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import { createMetric } from '../network/topology/metric.js';
import { apply, beginWorld, enabled } from '../network/world/enabled.js';
import { fusible, NOT_FUSED, Script, type Scripted } from '../network/world/script.js';
import type { WorldFrame } from '../network/world/environment.js';
import type { World } from '../network/world/world.js';

const path2 = { nodes: ['n0', 'n1'], links: [['n0', 'n1', 1]] } as const;

function frameOf(name: string, events: readonly Scripted[], options = {}, topology: any = path2): WorldFrame {
  const protocol = protocols[name]!;
  const graph = createMetric(topology);
  const instance = { ...graph, options: protocol.options(options, graph) };
  const script = new Script(events, protocol);
  const { order } = protocol.network;
  return { protocol, instance, script, workload: undefined, budget: {}, order, fused: fusible(script), measure: createMetric };
}

const runOf = (protocol: string, events: readonly object[], options = {}) =>
  new Simulation(parseScenario({ protocol, options, topology: path2, events }, protocols));

const viewsOf = (world: World) => JSON.stringify([...world.configuration.nodes]);

describe('a reaction is an ordinary choice', () => {
  const request = (node: string) => ({ at: 0, do: 'command', name: 'request', node, fields: {} }) as const;
  const events = [
    { at: 0, node: 'n0', do: 'request' },
    { at: 0, node: 'n0', do: 'crash' },
    { at: 1, node: 'n0', do: 'restart' },
    { at: 2, node: 'n1', do: 'request' },
  ];
  const scripted: Scripted[] = [
    request('n0'),
    { at: 0, do: 'crash', node: 'n0' },
    { at: 1, do: 'restart', node: 'n0' },
    { ...request('n1'), at: 2 },
  ];

  test('a crash between a grant and its release is found by run and by checker', () => {
    const { properties } = runOf('directory', events, { hold: 0 }).run();
    expect(properties.find(({ holds }) => holds === false)?.name).toBe('every request is served');
    const found = explore(protocols['directory']!, { topology: path2, options: { hold: 0 }, commands: scripted, oneByOne: true });
    expect(found).toMatchObject({ verdict: 'invalid', counterexample: { property: 'every request is served' } });
    expect(found.counterexample!.choices).toContainEqual({ command: ['n0', 'release'] });
  });

  test('the counterexample is an ordinary run', () => {
    const { counterexample } = explore(protocols['directory']!, { topology: path2, options: { hold: 0 }, commands: scripted });
    const scenario = parseScenario({ protocol: 'directory', options: { hold: 0 }, topology: path2, events }, protocols);
    const run = new Simulation(scenario, { choices: counterexample!.choices });
    expect(run.run().summary).toMatchObject({ holder: 'n0' });
  });

  test('where no fault can fall between it is taken with its cause', () => {
    const calm = frameOf('directory', [request('n0')], { hold: 0 });
    expect([...enabled(beginWorld(calm).world)]).toEqual([{ event: 0 }]);
    expect([...enabled(apply(beginWorld(calm).world, { event: 0 }).world)]).toEqual([]);
    const open = { ...calm, fused: NOT_FUSED };
    expect([...enabled(apply(beginWorld(open).world, { event: 0 }).world)]).toEqual([{ command: ['n0', 'release'] }]);
  });
});

describe('a join brings up each direction that is down, and reports if none is', () => {
  const events = [
    { at: 5, do: 'down', channel: ['n1', 'n0'] },
    { at: 9, do: 'join', link: ['n0', 'n1'] },
  ] as const;

  test('a change of one direction notifies only its end, in run and world', () => {
    const notified: string[] = [];
    const run = runOf('election', events);
    run.network.steps$.subscribe(({ kind, node, event }) => kind === 'link' && notified.push(`${node} ${event.type}`));
    run.run();
    expect(notified).toEqual(['n1 link.down', 'n1 link.up']);
    expect([run.network.links.up('n0', 'n1'), run.network.links.up('n1', 'n0')]).toEqual([true, true]);
    const frame = frameOf('election', events as unknown as Scripted[]);
    const down = apply(beginWorld(frame).world, { notification: ['n1', 'n0'] }).world;
    expect([...enabled(down)].filter((choice) => 'notification' in choice)).toEqual([{ notification: ['n1', 'n0'] }]);
  });

  test('a link that is up already is rejected with an error', () => {
    const why: string[] = [];
    const run = runOf('election', [{ at: 9, do: 'join', link: ['n0', 'n1'] }]);
    run.network.refused$.subscribe((refusal) => why.push(refusal.why));
    run.run();
    expect(why).toEqual(['the link between n0 and n1 is up already']);
  });
});

describe('a message that the wire would reject is rejected when it is sent', () => {
  const directory = protocols['directory']!;
  const deaf = {
    ...directory,
    accepts: (message: any, instance: any) => message.type !== 'find' && directory.accepts(message, instance),
  };
  const refusal = /Node n1 sent {"type":"find".*\}, which directory does not accept from the network\. Fix/;
  const events = [{ at: 0, node: 'n1', do: 'request' }];

  test('in a run', () => {
    const scenario = parseScenario({ protocol: 'directory', topology: path2, events }, { directory: deaf });
    expect(() => new Simulation(scenario).run()).toThrow(refusal);
  });

  test('in the checker', () => {
    expect(() => explore(deaf, { topology: path2, commands: 'unlimited' })).toThrow(refusal);
  });
});

describe('commands', () => {
  const commandsOf = (protocol: string, events: readonly object[], options: object) => {
    const commands: string[] = [];
    const run = runOf(protocol, events, options);
    run.network.steps$.subscribe(({ kind, node, event }) => kind === 'command' && commands.push(`${node} ${event.type}`));
    run.run();
    return commands;
  };

  test('a command at a paused node is taken when it resumes', () => {
    const events = [
      { at: 0, do: 'pause', node: 'n1' },
      { at: 1, node: 'n1', do: 'lock' },
      { at: 9, do: 'resume', node: 'n1' },
    ];
    expect(commandsOf('exclusion', events, { hold: null })).toEqual(['n1 lock']);
  });

  test('a release does not wait behind the next request, in time and without it', () => {
    const words = ['request', 'request', 'release', 'release'];
    const events = words.map((word, at) => ({ at, node: 'n0', do: word }));
    expect(commandsOf('directory', events, { hold: null })).toEqual(['n0 request', 'n0 release', 'n0 request', 'n0 release']);
    const commands = words.map((name) => ({ do: 'command', name, node: 'n0', fields: {} }) as const);
    const asked = [0, 1].reduce(
      (world, event) => apply(world, { event }).world,
      beginWorld(frameOf('directory', commands, { hold: null })).world,
    );
    expect([...enabled(asked)]).toEqual([{ event: 2 }]);
    expect([...enabled(apply(asked, { event: 2 }).world)]).toContainEqual({ turn: 'n0' });
  });
});

test('subscribers never affect a run', () => {
  const linesOf = (listen: (run: Simulation) => void) => {
    const run = runOf(
      'exclusion',
      [
        { at: 0, node: 'n0', do: 'lock' },
        { at: 0, node: 'n1', do: 'lock' },
      ],
      { hold: 0 },
    );
    const lines: string[] = [];
    listen(run);
    run.network.steps$.subscribe((step) => lines.push(JSON.stringify(step)));
    run.run();
    return lines;
  };
  const bare = linesOf(() => {});
  expect(bare.length).toBeGreaterThan(5);
  expect(linesOf((run) => run.network.steps$.subscribe(() => void run.meters))).toEqual(bare);
});

test('apply leaves the world that it is given as it was', () => {
  const frame = frameOf('directory', [{ do: 'command', name: 'request', node: 'n1', fields: {} }], { hold: 0 });
  const { world } = beginWorld(frame);
  const before = [viewsOf(world), world.flights.size, [...enabled(world)]];
  const { world: next, happened } = apply(world, { event: 0 });
  expect(happened).toMatchObject([{ kind: 'step', step: { kind: 'command', node: 'n1', sent: [{ to: 'n0' }] } }]);
  expect(viewsOf(next)).not.toEqual(before[0]);
  expect([viewsOf(world), world.flights.size, [...enabled(world)]]).toEqual(before);
  expect(() => apply(world, { deliver: 7 })).toThrow('Choice {"deliver":7} is not possible here');
});
