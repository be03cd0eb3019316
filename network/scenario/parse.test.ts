import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { UsageError } from '../../machines/errors.js';
import { protocols } from '../../machines/index.js';
import type { Command, Protocol } from '../../machines/protocol.js';
import { nearest } from './nearest.js';
import { parseScenario, parseText } from './parse.js';

/** The directory, with what other kinds of protocols have: ports, corruption, commands with fields. */
const take: Command = {
  fields: [
    { name: 'amount', type: 'integer' },
    { name: 'friend', type: 'node' },
  ],
  event: (fields) => ({ type: 'take', ...fields }),
  waits: false,
  completedBy: [],
};
const variant = (changes: Partial<Protocol>): Protocol => ({ ...directory, ...changes, options: () => ({}) });
const known: Record<string, Protocol> = {
  directory,
  silent: variant({ name: 'silent', commands: {}, network: { ...directory.network, reach: 'links', order: 'fifo' } }),
  ported: variant({
    name: 'ported',
    commands: { lock: directory.commands['request']!, take },
    network: { reach: 'links', addressing: 'ports', order: 'unordered', time: false },
    corruption: { node: () => ({ roles: {}, timers: [] }), channel: () => [] },
  }),
};

const ring = { kind: 'ring', n: 4 };
const parse = (scenario: Record<string, unknown>) => parseScenario({ protocol: 'directory', topology: ring, ...scenario }, known);
const ported = (event: unknown, topology: unknown = ring) => parse({ protocol: 'ported', topology, events: [event] }).events[0];

describe('defaults', () => {
  test('everything but protocol and topology may be left out', () => {
    const { network, events, workload, seed, until, contacts, options } = parse({});
    expect(network).toEqual({ latency: 1, order: 'unordered', loss: 0, duplicate: 0, reorder: 0 });
    expect({ events, workload, seed, until, contacts }).toEqual({
      events: [],
      workload: undefined,
      seed: 1,
      until: { idle: true },
      contacts: [],
    });
    expect(options).toMatchObject({ policy: 'arrow', root: 'n0' });
  });

  test('the order of channels is the protocol’s own', () => {
    expect(parse({ protocol: 'silent' }).network.order).toBe('fifo');
    expect(parse({ protocol: 'silent', network: { order: 'unordered' } }).network.order).toBe('unordered');
  });

  test('the place knows distances and the order of nodes', () => {
    const { place } = parse({});
    expect(place.distance('n0', 'n2')).toBe(2);
    expect(['n3', 'stranger'].map((node) => place.rank(node))).toEqual([3, -1]);
  });
});

describe('what is given is kept', () => {
  test.each([[0], [2.5], ['weight'], [{ min: 1, max: 9 }], [{ min: 3, max: 3 }], [{ exponential: 4.5 }]])(
    'latency %j',
    (latency) => {
      expect(parse({ network: { latency } }).network.latency).toEqual(latency);
    },
  );

  test.each([
    [{ sequential: ['n3', 'n0'] }, { command: 'request', sequential: ['n3', 'n0'] }],
    [
      { concurrent: 4, requests: 1000 },
      { command: 'request', concurrent: 4, requests: 1000 },
    ],
    [
      { concurrent: 1, requests: 0, command: 'release' },
      { command: 'release', concurrent: 1, requests: 0 },
    ],
  ])('workload %j', (workload, read) => {
    expect(parse({ workload }).workload).toEqual(read);
  });

  test.each([[{ at: 0 }], [{ at: 12.5 }], [{ idle: true }]])('until %j', (until) => {
    expect(parse({ until }).until).toEqual(until);
  });

  test.each<[unknown, unknown]>([
    [
      { at: 0, node: 'n1', do: 'lock' },
      { at: 0, do: 'command', name: 'lock', node: 'n1', fields: {} },
    ],
    [
      { at: 2, node: 'n1', do: 'take', amount: -3, friend: 'n2' },
      { at: 2, do: 'command', name: 'take', node: 'n1', fields: { amount: -3, friend: 'n2' } },
    ],
    [
      { at: 5, do: 'cut', link: ['n1', 'n0'] },
      { at: 5, do: 'cut', link: ['n1', 'n0'] },
    ],
    [
      { at: 9, do: 'join', link: ['n0', 'n2'] },
      { at: 9, do: 'join', link: ['n0', 'n2'], weight: 1 },
    ],
    [
      { at: 9, do: 'join', link: ['n0', 'n2'], weight: 2.5, ports: [1, 3] },
      { at: 9, do: 'join', link: ['n0', 'n2'], weight: 2.5, ports: [1, 3] },
    ],
    [
      { at: 7, do: 'down', channel: ['n0', 'n1'] },
      { at: 7, do: 'down', channel: ['n0', 'n1'] },
    ],
    [
      { at: 7, do: 'up', channel: ['n0', 'n2'] },
      { at: 7, do: 'up', channel: ['n0', 'n2'] },
    ],
    [
      { at: 7, do: 'clog', channel: ['n0', 'n1'] },
      { at: 7, do: 'clog', channel: ['n0', 'n1'] },
    ],
    [
      { at: 8, do: 'corrupt', nodes: ['n1'] },
      { at: 8, do: 'corrupt', nodes: ['n1'] },
    ],
    [
      { at: 8, do: 'corrupt', node: 'n1' },
      { at: 8, do: 'corrupt', nodes: ['n1'] },
    ],
    [
      { at: 8, do: 'corrupt' },
      { at: 8, do: 'corrupt', nodes: ['n0', 'n1', 'n2', 'n3'] },
    ],
    [
      { at: 8, do: 'crash', node: 'n1' },
      { at: 8, do: 'crash', node: 'n1' },
    ],
    [
      { at: 8, do: 'restart', node: 'n1' },
      { at: 8, do: 'restart', node: 'n1' },
    ],
    [
      { at: 8, do: 'pause', node: 'n1' },
      { at: 8, do: 'pause', node: 'n1' },
    ],
    [
      { at: 8, do: 'resume', node: 'n1' },
      { at: 8, do: 'resume', node: 'n1' },
    ],
  ])('event %j', (event, read) => {
    expect(ported(event)).toEqual(read);
  });

  test('events keep the order of the file', () => {
    const events = [9, 3, 3, 0].map((at, i) => ({ at, node: `n${i}`, do: 'request' }));
    expect(parse({ events }).events.map(({ at }) => at)).toEqual([9, 3, 3, 0]);
  });

  test('a link that an event brings may be cut, and one of a contact list too', () => {
    const link = ['n0', 'n2'];
    const channel = link;
    expect(
      parse({
        events: [
          { at: 1, do: 'join', link },
          { at: 2, do: 'cut', link },
        ],
      }).events,
    ).toHaveLength(2);
    expect(
      parse({
        events: [
          { at: 1, do: 'up', channel },
          { at: 2, do: 'down', channel },
        ],
      }).events,
    ).toHaveLength(2);
    const meeting = { protocol: 'ported', topology: { contacts: 'x.tij' }, events: [{ at: 30, do: 'cut', link: ['7', '3'] }] };
    expect(parseScenario(meeting, known, () => '20 3 7').contacts).toEqual([{ at: 20, i: '3', j: '7' }]);
  });

  test('a routed protocol has a channel between any two nodes to clog', () => {
    expect(parse({ events: [{ at: 1, do: 'clog', channel: ['n0', 'n2'] }] }).events).toHaveLength(1);
  });
});

describe('refused with one line that names thing, place and cure', () => {
  const event = (fields: Record<string, unknown>) => ({
    protocol: 'ported',
    events: [{ at: 0, node: 'n0', do: 'lock' }, fields],
  });

  test.each<[Record<string, unknown>, string]>([
    [{ protocol: undefined }, 'protocol is missing; it must be one of directory, silent, ported'],
    [{ protocol: 'directroy' }, 'protocol is not known: "directroy"; did you mean "directory"? Known: directory, silent, ported'],
    [{ protocol: 'toString' }, 'protocol is not known: "toString"'],
    [{ topology: undefined }, 'topology is missing'],
    [{ netwrok: {} }, 'netwrok is not a known key; did you mean "network"? Known: protocol, options'],
    [{ options: [] }, 'options must be an object, but is a list of 0'],
    [{ options: null }, 'options must be an object, but is null'],
    [{ options: { policy: 'arow' } }, 'options.policy is "arow"'],
    [{ network: { latency: -1 } }, 'network.latency must be a number of ticks, at least 0, but is -1'],
    [{ network: { latency: NaN } }, 'network.latency must be a number of ticks, at least 0, but is NaN'],
    [
      { network: { latency: 'wait' } },
      'network.latency must be a number of ticks, {"min", "max"}, {"exponential"} or "weight", but is "wait"',
    ],
    [{ network: { latency: null } }, 'network.latency must be an object, but is null'],
    [{ network: { latency: { min: 1 } } }, 'network.latency.max is missing; it must be an integer, at least 1'],
    [{ network: { latency: { min: 5, max: 4 } } }, 'network.latency.max must be an integer, at least 5, but is 4'],
    [{ network: { latency: { min: -1, max: 4 } } }, 'network.latency.min must be an integer, at least 0, but is -1'],
    [{ network: { latency: { min: 0.5, max: 4 } } }, 'network.latency.min must be an integer, at least 0, but is 0.5'],
    [{ network: { latency: { exponential: 3, min: 1 } } }, 'network.latency.min is not a known key; known: exponential'],
    [{ network: { latency: { mean: 3 } } }, 'network.latency.mean is not a known key; did you mean "min"?'],
    [{ network: { loss: 1.5 } }, 'network.loss must be a chance, 0 to 1, but is 1.5'],
    [{ network: { duplicate: -0.1 } }, 'network.duplicate must be a chance, 0 to 1, but is -0.1'],
    [{ network: { reorder: '0' } }, 'network.reorder must be a chance, 0 to 1, but is "0"'],
    [{ network: { order: 'lifo' } }, 'network.order is not known: "lifo"; did you mean "fifo"? Known: fifo, unordered'],
    [{ network: { losss: 0 } }, 'network.losss is not a known key; did you mean "loss"?'],
    [{ seed: 'x' }, 'seed must be an integer, but is "x"'],
    [{ seed: 0.5 }, 'seed must be an integer, but is 0.5'],
    [{ until: {} }, 'until must be {"idle": true} or {"at": ticks}'],
    [{ until: { idle: false } }, 'until must be {"idle": true} or {"at": ticks}'],
    [{ until: { idle: true, at: 3 } }, 'until has both idle and at'],
    [{ until: { at: -1 } }, 'until.at must be a number of ticks, at least 0, but is -1'],
    [
      { workload: { sequential: ['n0', 'n7'] } },
      'workload.sequential[1]: "n7" is no node of the topology; did you mean "n0"? Known: n0, n1',
    ],
    [{ workload: { sequential: 'n0' } }, 'workload.sequential must be a list of nodes, but is "n0"'],
    [{ workload: {} }, 'workload.concurrent is missing; it must be an integer, at least 1'],
    [{ workload: { concurrent: 0, requests: 1 } }, 'workload.concurrent must be an integer, at least 1, but is 0'],
    [{ workload: { concurrent: 1 } }, 'workload.requests is missing'],
    [{ workload: { concurrent: 1, sequential: [] } }, 'workload has sequential and concurrent; choose one'],
    [{ workload: { command: 'grab', sequential: [] } }, 'workload.command is not known: "grab"; known: request, release'],
    [{ protocol: 'silent', workload: { sequential: [] } }, 'workload: protocol silent has no commands to issue'],
    [
      { protocol: 'ported', workload: { command: 'take', sequential: [] } },
      'workload.command: take needs amount and friend; list it under events',
    ],
    [{ events: {} }, 'events must be a list of events, but is an object'],
    [event([] as never), 'events[1] must be an object, but is a list of 0'],
    [event({ at: 0 }), 'events[1].do is missing; it must be one of lock, take, cut'],
    [
      event({ at: 0, do: 'lokc', node: 'n0' }),
      'events[1].do: "lokc" is nothing that protocol ported can do; did you mean "lock"? Known: lock, take, cut',
    ],
    [event({ at: 0, do: 'toString', node: 'n0' }), 'events[1].do: "toString" is nothing that protocol ported can do'],
    [event({ do: 'lock', node: 'n0' }), 'events[1].at is missing; it must be a number of ticks, at least 0'],
    [event({ at: -1, do: 'lock', node: 'n0' }), 'events[1].at must be a number of ticks, at least 0, but is -1'],
    [event({ at: 0, do: 'lock' }), 'events[1].node is missing'],
    [event({ at: 0, do: 'lock', node: 'zz' }), 'events[1].node: "zz" is no node of the topology'],
    [event({ at: 0, do: 'lock', node: 'n0', amount: 1 }), 'events[1].amount is not a known key; known: at, do, node'],
    [event({ at: 0, do: 'take', node: 'n0', friend: 'n1' }), 'events[1].amount is missing; it must be an integer'],
    [event({ at: 0, do: 'take', node: 'n0', amount: 1.5, friend: 'n1' }), 'events[1].amount must be an integer, but is 1.5'],
    [event({ at: 0, do: 'take', node: 'n0', amount: 1, friend: 'zz' }), 'events[1].friend: "zz" is no node'],
    [event({ at: 0, do: 'cut' }), 'events[1].link is missing; it must be a list of two nodes'],
    [event({ at: 0, do: 'cut', link: ['n0'] }), 'events[1].link must be a list of two nodes, but is a list of 1'],
    [event({ at: 0, do: 'cut', link: ['n0', 'n0'] }), 'events[1].link names "n0" twice'],
    [event({ at: 0, do: 'cut', link: ['n0', 'zz'] }), 'events[1].link[1]: "zz" is no node'],
    [
      event({ at: 0, do: 'cut', link: ['n0', 'n2'] }),
      'events[1]: there is no link between "n0" and "n2" to cut; add it to the topology or join it',
    ],
    [event({ at: 0, do: 'down', channel: ['n0', 'n2'] }), 'events[1]: there is no link between "n0" and "n2" to down'],
    [event({ at: 0, do: 'clog', channel: ['n0', 'n2'] }), 'events[1]: there is no link between "n0" and "n2" to clog'],
    [event({ at: 0, do: 'down', link: ['n0', 'n1'] }), 'events[1].link is not a known key; known: at, do, channel'],
    [event({ at: 0, do: 'join', link: ['n0', 'n2'], weight: -1 }), 'events[1].weight must be a weight, at least 0, but is -1'],
    [event({ at: 0, do: 'join', link: ['n0', 'n2'], ports: [1] }), 'events[1].ports must be a list of two port numbers'],
    [
      event({ at: 0, do: 'join', link: ['n0', 'n2'], ports: [0, 1] }),
      'events[1].ports[0] must be an integer, at least 1, but is 0',
    ],
    [event({ at: 0, do: 'corrupt', node: 'n0', nodes: [] }), 'events[1] has both node and nodes'],
    [event({ at: 0, do: 'corrupt', nodes: ['zz'] }), 'events[1].nodes[0]: "zz" is no node'],
    [event({ at: 0, do: 'crash', nodes: ['n0'] }), 'events[1].nodes is not a known key; did you mean "node"?'],
    [{ events: [{ at: 0, do: 'join', link: ['n0', 'n2'], ports: [1, 1] }] }, 'events[0].ports: protocol directory has no ports'],
    [
      { protocol: 'silent', events: [{ at: 0, do: 'corrupt' }] },
      'events[0].do: protocol silent promises nothing after corruption',
    ],
  ])('%j', (scenario, complaint) => {
    expect(() => parse(scenario)).toThrow(UsageError);
    expect(() => parse(scenario)).toThrow(complaint);
    expect(() => parse(scenario)).toThrow(/^[^\n]{1,300}$/);
  });

  test('a scenario that is no object', () => {
    for (const json of [3, null, [], 'x'])
      expect(() => parseScenario(json, known)).toThrow(/^a scenario must be an object, but is /);
  });

  test('a protocol that routes asks for a connected topology, one that does not takes any', () => {
    const topology = { nodes: ['a', 'b', 'c'], links: [['a', 'b']] };
    expect(() => parse({ topology })).toThrow(
      'topology is not connected: no path from "a" to "c"; protocol directory sends from any node',
    );
    expect(parse({ protocol: 'silent', topology }).place.distance('a', 'c')).toBe(Infinity);
  });

  test('long words are cut short', () => {
    expect(() => parse({ ['x'.repeat(5000)]: 1 })).toThrow(/^[^\n]{1,300}$/);
    expect(() => parse({ events: [{ at: 0, do: 'y'.repeat(5000) }] })).toThrow(/^[^\n]{1,300}$/);
  });
});

describe('nearest', () => {
  test.each([
    ['latncy', ['latency', 'loss'], 'latency'],
    ['LOSS', ['latency', 'loss'], 'loss'],
    ['banana', ['latency', 'loss'], undefined],
    ['b', ['n'], undefined],
    ['', ['n'], undefined],
    ['n1', ['n10', 'n1', 'n2'], 'n1'],
  ])('%s among %j is %s', (word, choices, expected) => {
    expect(nearest(word, choices)).toBe(expected);
  });
});

const folder = new URL('../../../shared/vectors/', import.meta.url);

test.skipIf(!existsSync(folder))(
  'every sample vector of a protocol that is here is read (skipped where ../shared/vectors is not there)',
  () => {
    let read = 0;
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.ndjson'))) {
      for (const line of readFileSync(new URL(file, folder), 'utf8').split('\n').filter(Boolean)) {
        const { scenario } = parseText(line) as { scenario: { protocol: string; events?: unknown[] } };
        if (!(scenario.protocol in protocols)) continue;
        expect(parseScenario(scenario, protocols).events).toHaveLength(scenario.events?.length ?? 0);
        read++;
      }
    }
    expect(read).toBeGreaterThanOrEqual(4);
  },
);
