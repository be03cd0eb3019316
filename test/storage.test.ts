/** The stored data of a node, and its state after a restart of its process. */
import { describe, expect, test } from 'vitest';
import { protocols } from '../machines/index.js';
import { explore } from './explore/explore.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import { counter } from '../network/world/counter.fixture.js';

const topology = { nodes: ['a', 'b'], links: [['a', 'b', 1]] } as const;
const known = { ...protocols, counter };

function run(events: readonly object[]) {
  const scenario = parseScenario({ protocol: 'counter', topology, events, until: { at: 60 } }, known);
  const simulation = new Simulation(scenario);
  const notified: string[] = [];
  simulation.network.steps$.subscribe(({ at, node, event, emitted }) => {
    if (event.type.startsWith('link.')) notified.push(`${at} ${node} ${event.type}`);
    if (emitted.length > 0) notified.push(`${at} ${node} safe`);
  });
  simulation.run();
  const view = simulation.configuration.nodes.get('a')!;
  return {
    notified,
    count: view['counter']!.context.count,
    stored: view['storage']!.context.stored,
    links: view['counter']!.context.links,
  };
}
const count = (at: number) => ({ at, node: 'a', do: 'count' });
const ends = (crash: number, reload: number) => [
  { at: crash, node: 'a', do: 'crash' },
  { at: reload, node: 'a', do: 'reload' },
];

describe('in time, where a write takes three ticks', () => {
  test('stored values exist again, pending writes do not', () => {
    expect(run([count(0), ...ends(4, 10)])).toMatchObject({ count: 1, stored: { count: 1 } });
    expect(run([count(0), ...ends(2, 10)])).toMatchObject({ count: 0, stored: {} });
    expect(run([count(0), count(5), ...ends(7, 10)])).toMatchObject({ count: 1 });
  });

  test('a key stored again during its write is answered once, with its last value', () => {
    const { notified, stored } = run([count(0), count(1), count(2)]);
    expect(notified).toEqual(['6 a safe']);
    expect(stored).toEqual({ count: 3 });
  });

  test('neighbors are notified of the end before the restart, and ends of new links', () => {
    const { notified, links } = run(ends(2, 10));
    expect(notified).toEqual(['10 b link.down', '10 b link.up', '10 a link.up']);
    expect(links).toEqual(['b']);
  });

  test('a link that was cut before does not come back', () => {
    expect(run([...ends(2, 10), { at: 5, do: 'cut', link: ['a', 'b'] }]).links).toEqual([]);
  });

  test('a node that continues from its last state also continues its write', () => {
    const restart = [count(0), { at: 2, node: 'a', do: 'crash' }, { at: 9, node: 'a', do: 'restart' }];
    expect(run(restart)).toMatchObject({ count: 1, stored: { count: 1 }, notified: ['10 a safe'] });
  });
});

test('the checker can end the process between a write and its answer', () => {
  const commands = [
    { do: 'command', name: 'count', node: 'a', fields: {} },
    { do: 'crash', node: 'a' },
    { do: 'reload', node: 'a' },
  ] as const;
  /** A restarted node has no links. */
  const begins = (count: number) =>
    explore(counter, {
      topology,
      commands,
      properties: [
        {
          name: `begins with ${count}`,
          description: 'A node begins again with this count.',
          kind: 'sometimes',
          holds: (c) => {
            const { links, count: known } = c.nodes.get('a')!['counter']!.context as { links: readonly string[]; count: number };
            return links.length === 0 && known === count;
          },
        },
      ],
    }).verdict;
  expect([0, 1, 2].map(begins)).toEqual(['valid', 'valid', 'invalid']);
});

test('reload is rejected with a clear error if the protocol does not define it', () => {
  const events = [{ at: 0, node: 'a', do: 'reload' }];
  expect(() => parseScenario({ protocol: 'directory', topology, events }, protocols)).toThrow(
    'events[0].do: protocol directory defines no reload. Use restart: the node then continues with its old state.',
  );
  expect(() => explore(protocols['directory']!, { topology, commands: [{ do: 'reload', node: 'a' }] })).toThrow(
    'events[0]: protocol directory defines no reload. Use restart: the node then continues with its old state.',
  );
});
