/** Nodes that go right after they have announced something: every protocol keeps its promises, and a property that forgets with them is found. */
import { describe, expect, test } from 'vitest';
import { controller } from '../../machines/controller/index.js';
import { protocols } from '../../machines/index.js';
import type { Property, Protocol } from '../../machines/protocol.js';
import { checkScenario } from '../explore/scenario.js';
import { systemsOf } from '../system/systems.js';
import { brokenIn } from './broken.js';
import { acceptedBy, departuresIn, withoutTimes } from './departures.js';

const NONE = new Set<string>();
/** Systems are small; their departures are many. The deep test searches all of them, and more states. */
const STATES_MAX = 100;
const SEARCHED = 2;

/** The controller counts nodes that have stopped as failures, and none of its systems stops one. */
const stops = ({ name }: Protocol) => (name === 'controller' ? true : undefined);

const departuresOf = (protocol: Protocol) =>
  systemsOf(protocol)
    .filter(({ violates }) => violates === undefined)
    .map(({ json }) => [...departuresIn(protocol, json, stops(protocol))]);

describe.each(Object.values(protocols).map((protocol) => [protocol.name, protocol] as const))('%s', (_, protocol) => {
  test('keeps its promises in runs, and in the first states of every interleaving', { timeout: 120_000 }, () => {
    for (const departures of departuresOf(protocol)) {
      for (const json of departures)
        expect({ json, broken: brokenIn(acceptedBy(protocol, json)!, NONE) }).toEqual({ json, broken: null });
      for (const json of withoutTimes(departures).slice(0, SEARCHED))
        expect(checkScenario(acceptedBy(protocol, json)!, { bounds: { states: STATES_MAX } }).verdict).not.toBe('invalid');
    }
  });
});

test('leaves, cuts and crashes are tried where they are stood', () => {
  const tried = (protocol: Protocol) =>
    new Set(
      departuresOf(protocol)
        .flat()
        .flatMap(({ events }) =>
          (events as { at: number; do: string }[]).filter(({ at }) => at % 1 > 0).map((event) => event.do),
        ),
    );
  expect(tried(controller)).toEqual(new Set(['leave', 'cut', 'join', 'crash', 'down']));
  expect(tried(protocols['locks']!)).toEqual(new Set(['cut', 'join', 'crash', 'down']));
  expect(tried(protocols['tabs']!)).toEqual(new Set(['leave', 'crash', 'restart']));
  // Ends of a link restart by their own command: a process that stops stays down.
  expect(tried(protocols['link']!)).toEqual(new Set(['leave', 'restart', 'cut', 'join', 'crash']));
  expect(tried(protocols['election']!)).toEqual(new Set(['cut', 'join']));
  expect(tried(protocols['directory']!)).toEqual(new Set());
});

/** As the property once was: rejections are counted at the nodes that still take part. */
const forgetful: Property = {
  name: 'the signal means a reject',
  kind: 'always',
  description: '',
  holds: ({ nodes, flights }) =>
    flights.length > 0 ||
    nodes.get('n0')!['R.delivery']!.value !== 'signaled' ||
    [...nodes.values()].some((view) => view['R.request']?.value === 'exhausted'),
};

test('a departure refutes a property that counts rejections at present nodes', () => {
  const mistaken = { ...controller, properties: () => [forgetful] };
  const broken = departuresOf(mistaken)
    .flat()
    .flatMap((json) => brokenIn(acceptedBy(mistaken, json)!, NONE)?.property ?? []);
  expect(broken).toContain('the signal means a reject');
  const own = systemsOf(mistaken).flatMap(({ scenario }) => brokenIn(scenario, NONE)?.property ?? []);
  expect(own).toEqual([]);
});
