import { describe, expect, test } from 'vitest';
import { UsageError } from '../../machines/errors.js';
import { protocols } from '../../machines/index.js';
import { known, parse } from './parse.fixture.js';
import { parseScenario } from './parse.js';

describe('rejected with one line: the thing, its place and the fix', () => {
  const event = (fields: Record<string, unknown>) => ({
    protocol: 'ported',
    events: [{ at: 0, node: 'n0', do: 'lock' }, fields],
  });

  test.each<[Record<string, unknown>, string]>([
    [{ protocol: undefined }, 'protocol is missing. It must be one of directory, silent, ported'],
    [
      { protocol: 'directroy' },
      'protocol is "directroy", which is unknown. Did you mean "directory"? Known: directory, silent, ported',
    ],
    [{ protocol: 'toString' }, 'protocol is "toString", which is unknown'],
    [{ topology: undefined }, 'topology is missing'],
    [{ netwrok: {} }, 'netwrok is an unknown key. Did you mean "network"? Known: protocol, options'],
    [{ options: [] }, 'options must be an object, but is a list of 0'],
    [{ options: null }, 'options must be an object, but is null'],
    [{ options: { policy: 'arow' } }, 'options.policy is "arow"'],
    [{ network: { latency: -1 } }, 'network.latency must be a number of ticks, 0 to 10000000000000, but is -1'],
    [{ network: { latency: NaN } }, 'network.latency must be a number of ticks, 0 to 10000000000000, but is NaN'],
    [
      { network: { latency: 'wait' } },
      'network.latency must be a number of ticks, {"min", "max"}, {"exponential"} or "weight", but is "wait"',
    ],
    [{ network: { latency: null } }, 'network.latency must be an object, but is null'],
    [{ network: { latency: { min: 1 } } }, 'network.latency.max is missing. It must be an integer, 1 to 10000000000000'],
    [{ network: { latency: { min: 5, max: 4 } } }, 'network.latency.max must be an integer, 5 to 10000000000000, but is 4'],
    [{ network: { latency: { min: -1, max: 4 } } }, 'network.latency.min must be an integer, 0 to 10000000000000, but is -1'],
    [{ network: { latency: { min: 0.5, max: 4 } } }, 'network.latency.min must be an integer, 0 to 10000000000000, but is 0.5'],
    [{ network: { latency: { exponential: 3, min: 1 } } }, 'network.latency.min is an unknown key. Known: exponential'],
    [{ network: { latency: { mean: 3 } } }, 'network.latency.mean is an unknown key. Did you mean "min"?'],
    [{ network: { loss: 1.5 } }, 'network.loss must be a chance, 0 to 1, but is 1.5'],
    [{ network: { duplicate: -0.1 } }, 'network.duplicate must be a chance, 0 to 1, but is -0.1'],
    [{ network: { reorder: '0' } }, 'network.reorder must be a chance, 0 to 1, but is "0"'],
    [{ network: { order: 'lifo' } }, 'network.order is "lifo", which is unknown. Did you mean "fifo"? Known: fifo, unordered'],
    [{ network: { losss: 0 } }, 'network.losss is an unknown key. Did you mean "loss"?'],
    [{ seed: 'x' }, 'seed must be an integer, but is "x"'],
    [{ seed: 0.5 }, 'seed must be an integer, but is 0.5'],
    [
      { until: {} },
      'until does not define the end of the run. Use {"idle": true} to end it when nothing more can happen, or {"at": 100} to end it at tick 100.',
    ],
    [
      { until: { idle: false } },
      'until does not define the end of the run. Use {"idle": true} to end it when nothing more can happen, or {"at": 100} to end it at tick 100.',
    ],
    [{ until: { idle: true, at: 3 } }, 'until has both idle and at. Omit one of them.'],
    [{ until: { at: -1 } }, 'until.at must be a number of ticks, 0 to 10000000000000, but is -1'],
    [
      { workload: { sequential: ['n0', 'n7'] } },
      'workload.sequential[1]: "n7" is not a node of the topology. Did you mean "n0"? Known: n0, n1',
    ],
    [{ workload: { sequential: 'n0' } }, 'workload.sequential must be a list of nodes, but is "n0"'],
    [{ workload: {} }, 'workload.concurrent is missing. It must be an integer, at least 1'],
    [{ workload: { concurrent: 0, requests: 1 } }, 'workload.concurrent must be an integer, at least 1, but is 0'],
    [{ workload: { concurrent: 1 } }, 'workload.requests is missing'],
    [{ workload: { concurrent: 1, sequential: [] } }, 'workload has sequential and concurrent. Omit one of them.'],
    [{ workload: { command: 'grab', sequential: [] } }, 'workload.command is "grab", which is unknown. Known: request, release'],
    [{ protocol: 'silent', workload: { sequential: [] } }, 'workload: protocol silent has no commands to issue. Omit workload.'],
    [
      { protocol: 'ported', workload: { command: 'take', sequential: [] } },
      'workload.command: take needs amount and friend. List it under events instead.',
    ],
    [{ events: {} }, 'events must be a list of events, but is an object'],
    [event([] as never), 'events[1] must be an object, but is a list of 0'],
    [event({ at: 0 }), 'events[1].do is missing. It must be one of lock, take, lend, cut'],
    [
      event({ at: 0, do: 'lokc', node: 'n0' }),
      'events[1].do: "lokc" is neither a command of protocol ported nor an event of the network. Did you mean "lock"? Known: lock, take, lend, cut',
    ],
    [
      event({ at: 0, do: 'toString', node: 'n0' }),
      'events[1].do: "toString" is neither a command of protocol ported nor an event of the network',
    ],
    [event({ do: 'lock', node: 'n0' }), 'events[1].at is missing. It must be a number of ticks, 0 to 10000000000000'],
    [event({ at: -1, do: 'lock', node: 'n0' }), 'events[1].at must be a number of ticks, 0 to 10000000000000, but is -1'],
    ...[1e308, 1e13 + 1].flatMap((late): [Record<string, unknown>, string][] => [
      [
        event({ at: late, do: 'lock', node: 'n0' }),
        `events[1].at must be a number of ticks, 0 to 10000000000000, but is ${late}`,
      ],
      [
        event({ at: 0, do: 'slow', channel: ['n0', 'n1'], by: late }),
        'events[1].by must be a number of ticks, 0 to 10000000000000',
      ],
      [event({ at: 0, do: 'join', link: ['n0', 'n2'], weight: late }), 'events[1].weight must be a weight, 0 to 10000000000000'],
      [{ until: { at: late } }, 'until.at must be a number of ticks, 0 to 10000000000000'],
      [{ network: { latency: late } }, 'network.latency must be a number of ticks, 0 to 10000000000000'],
      [
        { network: { latency: { exponential: late } } },
        'network.latency.exponential must be a mean in ticks, 0 to 10000000000000',
      ],
      [{ network: { latency: { min: 1, max: late } } }, 'network.latency.max must be an integer, 1 to 10000000000000'],
      [{ options: { hold: late } }, 'options.hold is ' + late + '. Use an integer between 0 and 10000000000000'],
    ]),
    [event({ at: 0, do: 'lock' }), 'events[1].node is missing'],
    [event({ at: 0, do: 'lock', node: 'zz' }), 'events[1].node: "zz" is not a node of the topology'],
    [event({ at: 0, do: 'lock', node: 'n0', amount: 1 }), 'events[1].amount is an unknown key. Known: at, do, node'],
    [event({ at: 0, do: 'take', node: 'n0', friend: 'n1' }), 'events[1].amount is missing. It must be an integer'],
    [event({ at: 0, do: 'take', node: 'n0', amount: 1.5, friend: 'n1' }), 'events[1].amount must be an integer, but is 1.5'],
    [event({ at: 0, do: 'take', node: 'n0', amount: 1, friend: 'zz' }), 'events[1].friend: "zz" is not a node'],
    [event({ at: 0, do: 'cut' }), 'events[1].link is missing. It must be a list of two nodes'],
    [event({ at: 0, do: 'cut', link: ['n0'] }), 'events[1].link must be a list of two nodes, but is a list of 1'],
    [event({ at: 0, do: 'cut', link: ['n0', 'n0'] }), 'events[1].link names "n0" twice'],
    [event({ at: 0, do: 'cut', link: ['n0', 'zz'] }), 'events[1].link[1]: "zz" is not a node'],
    [
      event({ at: 0, do: 'cut', link: ['n0', 'n2'] }),
      'events[1]: no link connects "n0" and "n2", so cut is not possible. Add it to the topology or join it',
    ],
    [
      event({ at: 0, do: 'down', channel: ['n0', 'n2'] }),
      'events[1]: no link connects "n0" and "n2", so down is not possible. Add it to the topology or join it first.',
    ],
    [
      event({ at: 0, do: 'clog', channel: ['n0', 'n2'] }),
      'events[1]: no link connects "n0" and "n2", so clog is not possible. Add it to the topology or join it first.',
    ],
    [event({ at: 0, do: 'down', link: ['n0', 'n1'] }), 'events[1].link is an unknown key. Known: at, do, channel'],
    [
      event({ at: 0, do: 'join', link: ['n0', 'n2'], weight: -1 }),
      'events[1].weight must be a weight, 0 to 10000000000000, but is -1',
    ],
    [event({ at: 0, do: 'join', link: ['n0', 'n2'], ports: [1] }), 'events[1].ports must be a list of two port numbers'],
    [
      event({ at: 0, do: 'join', link: ['n0', 'n2'], ports: [0, 1] }),
      'events[1].ports[0] must be an integer, at least 1, but is 0',
    ],
    [event({ at: 0, do: 'join', link: ['n0', 'n2'], ports: 1 }), 'events[1].ports must be a list of two port numbers, but is 1'],
    [event({ at: 0, do: 'join', link: ['n0'] }), 'events[1].link must be a list of two nodes'],
    [
      event({ at: 0, do: 'unclog', channel: ['n0', 'n2'] }),
      'events[1]: no link connects "n0" and "n2", so unclog is not possible. Add it to the topology or join it first.',
    ],
    [
      event({ at: 0, do: 'slow', channel: ['n0', 'n2'], by: 1 }),
      'events[1]: no link connects "n0" and "n2", so slow is not possible. Add it to the topology or join it first.',
    ],
    [
      event({ at: 0, do: 'slow', channel: ['n0', 'n1'] }),
      'events[1].by is missing. It must be a number of ticks, 0 to 10000000000000',
    ],
    [event({ at: 0, do: 'slow', by: 1 }), 'events[1].channel is missing. It must be a list of two nodes'],
    [event({ at: 0, do: 'up' }), 'events[1].channel is missing. It must be a list of two nodes'],
    [event({ at: 0, do: 'drop' }), 'events[1].message is missing. It must be an integer, at least 0'],
    [event({ at: 0, do: 'hold', message: -1 }), 'events[1].message must be an integer, at least 0, but is -1'],
    [event({ at: 0, do: 'crash' }), 'events[1].node is missing. It must be the name of a node'],
    [event({ at: 0, do: 'crash', node: 7 }), 'events[1].node must be the name of a node, but is 7'],
    [
      event({ at: 0, do: 'reload', node: 'n0' }),
      'events[1].do: protocol ported defines no reload. Use restart: the node then continues with its old state.',
    ],
    [
      event({ at: 0, do: 'lend', node: 'n0', amount: 10 }),
      'events[1].do: lend is not possible here: nobody has as many; lend at most 9',
    ],
    [event({ at: 0, do: 'lend', node: 'n0', amount: 0 }), 'events[1].amount must be an integer, at least 1, but is 0'],
    [event({ at: 0, do: 'lend', node: 'n0', amount: 1, to: 'zz' }), 'events[1].to: "zz" is not a node of the topology'],
    [
      { topology: { kind: 'ring', n: 12 }, events: [{ at: 0, do: 'crash', node: 'n12' }] },
      'events[0].node: "n12" is not a node of the topology. Did you mean "n1"? Known: n0, n1, n2',
    ],
    [
      { topology: { kind: 'ring', n: 13 }, events: [{ at: 0, do: 'crash', node: 'n13' }] },
      'events[0].node: "n13" is not a node of the topology. Name one of its 13 nodes',
    ],
    [event({ at: 0, do: 'corrupt', node: 'zz' }), 'events[1].node: "zz" is not a node'],
    [event({ at: 0, do: 'corrupt', nodes: 'n0' }), 'events[1].nodes must be a list of nodes, but is "n0"'],
    [event({ at: 0, do: 'corrupt', node: 'n0', nodes: [] }), 'events[1] has both node and nodes. Omit one of them.'],
    [event({ at: 0, do: 'corrupt', nodes: ['zz'] }), 'events[1].nodes[0]: "zz" is not a node'],
    [event({ at: 0, do: 'crash', nodes: ['n0'] }), 'events[1].nodes is an unknown key. Did you mean "node"?'],
    [
      { events: [{ at: 0, do: 'join', link: ['n0', 'n2'], ports: [1, 1] }] },
      'events[0].ports: the nodes of protocol directory know each other by name and have no ports. Omit it.',
    ],
    [
      { protocol: 'silent', events: [{ at: 0, do: 'corrupt' }] },
      'events[0].do: protocol silent does not define a corruption. Add "corruption" to its checks.',
    ],
  ])('%j', (scenario, complaint) => {
    expect(() => parse(scenario)).toThrow(UsageError);
    expect(() => parse(scenario)).toThrow(complaint);
    expect(() => parse(scenario)).toThrow(/^[^\n]{1,300}$/);
  });

  test('a scenario that is not an object, or is missing', () => {
    for (const json of [3, null, [], 'x'])
      expect(() => parseScenario(json, known)).toThrow(/^The scenario must be an object, but is /);
    expect(() => parseScenario(undefined, known)).toThrow(/^The scenario is missing. It must be an object\.$/);
  });

  test('a routed protocol needs a connected topology, another one accepts any', () => {
    const topology = { nodes: ['a', 'b', 'c'], links: [['a', 'b']] };
    expect(() => parse({ topology })).toThrow(
      'topology is not connected: no path leads from "a" to "c". Add links or remove nodes, because protocol directory sends from any node to any other.',
    );
    expect(parse({ protocol: 'silent', topology }).graph.distance('a', 'c')).toBe(Infinity);
  });

  test('long words are cut short', () => {
    expect(() => parse({ ['x'.repeat(5000)]: 1 })).toThrow(/^[^\n]{1,300}$/);
    expect(() => parse({ events: [{ at: 0, do: 'y'.repeat(5000) }] })).toThrow(/^[^\n]{1,300}$/);
  });
});

test('a use that lasts is refused without latency, unless the rules defer', () => {
  const of = (options: object) => () =>
    parseScenario({ protocol: 'exclusion', topology: { kind: 'path', n: 3 }, network: { latency: 0 }, options }, protocols);
  expect(of({ hold: 2 })).toThrow('options.hold is 2, and with a latency of 0 a waiting node would repeat its request forever');
  expect(of({ hold: null })).toThrow('options.hold is null, and with a latency of 0');
  for (const options of [{}, { hold: 2, rules: 'deferred' }]) expect(of(options)).not.toThrow();
});

test('a protocol under another name is refused', () => {
  expect(() => parseScenario({ protocol: 'tree', topology: { kind: 'path', n: 2 } }, { tree: protocols['directory']! })).toThrow(
    new UsageError('parseScenario got the protocol "directory" as "tree". Pass it as { "directory": … }'),
  );
});

describe('an option that no clock and no draw can bear', () => {
  const path = { kind: 'path', n: 3 };
  test.each([
    ['directory', { hold: 1e14 }, 'options.hold is 100000000000000. Use an integer between 0 and 10000000000000'],
    ['exclusion', { priorities: 1e308 }, 'options.priorities is 1e+308. Use an integer between 2 and 4503599627370496'],
    ['link', { beat: 1e14 }, 'options.beat is 100000000000000. Use an integer between 1 and 10000000000000'],
    ['locks', { patience: 1e14 }, 'options.patience is 100000000000000. Use an integer between 1 and 10000000000000'],
    ['tabs', { beat: 1e14 }, 'options.beat is 100000000000000. Use an integer between 1 and 10000000000000'],
    [
      'queue',
      { tau: 1e13 },
      '. Use a number of round trips from 2, so that an observer returns before the next one starts, to at most 10000000000000 ticks.',
    ],
  ])('%s: %j', (protocol, options, complaint) => {
    expect(() => parseScenario({ protocol, topology: path, options }, protocols)).toThrow(complaint);
  });
});
