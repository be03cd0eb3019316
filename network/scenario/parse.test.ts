import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { protocols } from '../../machines/index.js';
import { known, parse, ported } from './parse.fixture.js';
import { parseScenario } from './parse.js';
import { parseText } from './text.js';

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
    const { graph } = parse({});
    expect(graph.distance('n0', 'n2')).toBe(2);
    expect(['n3', 'stranger'].map((node) => graph.rank(node))).toEqual([3, -1]);
  });
});

describe('given values are kept', () => {
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
      { at: 7, do: 'unclog', channel: ['n0', 'n1'] },
      { at: 7, do: 'unclog', channel: ['n0', 'n1'] },
    ],
    [
      { at: 7, do: 'slow', channel: ['n0', 'n1'], by: 2.5 },
      { at: 7, do: 'slow', channel: ['n0', 'n1'], by: 2.5 },
    ],
    ...['drop', 'duplicate', 'hold', 'deliver'].map((word): [unknown, unknown] => [
      { at: 7, do: word, message: 0 },
      { at: 7, do: word, message: 0 },
    ]),
    [
      { at: 8, node: 'n1', do: 'lend', amount: 9 },
      { at: 8, do: 'command', name: 'lend', node: 'n1', fields: { amount: 9 } },
    ],
    [
      { at: 8, node: 'n1', do: 'lend', amount: 1, to: 'n0' },
      { at: 8, do: 'command', name: 'lend', node: 'n1', fields: { amount: 1, to: 'n0' } },
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

  test('a node restarts if its protocol defines its roles', () => {
    const events = [{ at: 8, do: 'reload', node: 'n1' }];
    expect(parseScenario({ protocol: 'locks', topology: { kind: 'complete', n: 3 }, events }, protocols).events).toEqual(events);
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

const folder = new URL('../../../shared/vectors/', import.meta.url);

test.skipIf(!existsSync(folder))('sample vectors of known protocols are read (skipped without ../shared/vectors)', () => {
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
});
