/** Every numeric option of every protocol at its largest value: allowed values are computed exactly, larger ones are rejected. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import { systemsOf } from '../test/system/systems.js';
import { UsageError } from './errors.js';
import { protocols } from './index.js';
import type { Protocol } from './protocol.js';

type Json = Readonly<Record<string, unknown>>;

/** Numbers at which an integer and its successor, or the sum of two, are not distinguished. */
const TOO_LARGE = [2 ** 52 + 1, Number.MAX_SAFE_INTEGER, 2 ** 60, 1e300];

const refusalOf = (protocol: Protocol, json: Json): string | null => {
  try {
    parseScenario(json as never, { [protocol.name]: protocol });
    return null;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
};

/** The options of a protocol, as listed in its error about an unknown one. */
function optionsOf(protocol: Protocol): readonly string[] {
  const json = { protocol: protocol.name, topology: { kind: 'path', n: 3 }, options: { unknownOption: 1 } };
  const listed = /The options are (.*)\.$/.exec(refusalOf(protocol, json) ?? '')?.[1];
  return listed?.split(', ') ?? [];
}

const lists = ['radii', 'separations'];
const valueOf = (key: string, value: number) => (lists.includes(key) ? [value] : value);

const all = Object.values(protocols).flatMap((protocol) => optionsOf(protocol).map((key) => [protocol, key] as const));

/** The largest value that the refusal names. */
function boundOf(protocol: Protocol, key: string): number | undefined {
  const { json } = systemsOf(protocol)[0]!;
  const options = { ...(json['options'] as Json), [key]: valueOf(key, TOO_LARGE[1]!) };
  const reported = refusalOf(protocol, { ...json, options });
  const bound = /between \d+ and (\d+)\.$|to at most (\d+) ticks\.$/.exec(reported ?? '');
  return bound ? Number(bound[1] ?? bound[2]) : undefined;
}

const numeric = all.flatMap(([protocol, key]) => {
  const bound = boundOf(protocol, key);
  return bound === undefined ? [] : [{ protocol, key, bound, name: `${protocol.name}: ${key}, at most ${bound}` }];
});

test('there are numeric options of all kinds', () => {
  const keys = numeric.map(({ protocol, key }) => `${protocol.name} ${key}`);
  expect(keys).toEqual(
    expect.arrayContaining([
      'controller M',
      'controller W',
      'controller U',
      'directory hold',
      'directory together',
      'election radii',
      'exclusion priorities',
      'link session',
      'link window',
      'locks floor',
      'locks storage',
      'queue tau',
      'tabs patience',
    ]),
  );
});

test.each(all.map(([protocol, key]) => ({ protocol, key, name: `${protocol.name}: ${key}` })))(
  '$name: a number that is too large is refused with the name of the option',
  ({ protocol, key }) => {
    const { json } = systemsOf(protocol)[0]!;
    for (const value of TOO_LARGE) {
      const options = { ...(json['options'] as Json), [key]: valueOf(key, value) };
      expect(refusalOf(protocol, { ...json, options })).toContain(`options.${key}`);
    }
  },
);

/** Other options that must be as large for the option to make sense. */
const required = (key: string, bound: number): Json =>
  key === 'W' ? { M: bound } : key === 'separations' ? { radii: [bound] } : {};

describe.each(numeric)('$name', ({ protocol, key, bound }) => {
  const systems = systemsOf(protocol).filter(({ violates }) => violates === undefined);

  test('at its largest value every system keeps its promises', () => {
    let runs = 0;
    for (const { json } of systems) {
      const value = key === 'tau' ? bound / 2 : bound;
      const scenario = {
        ...json,
        options: { ...(json['options'] as Json), ...required(key, bound), [key]: valueOf(key, value) },
      };
      if (refusalOf(protocol, scenario) !== null) continue;
      const simulation = new Simulation(parseScenario(scenario as never, { [protocol.name]: protocol }), { host: 'snapshots' });
      simulation.start();
      for (let steps = 0; steps < 2000 && simulation.advance(); steps++);
      simulation.stop();
      const { properties } = simulation.finish();
      expect(properties.filter(({ kind, holds }) => kind === 'always' && holds === false)).toEqual([]);
      runs++;
    }
    expect(runs).toBeGreaterThan(0);
  });
});

test.each(['naive', 'bins', 'basic', 'main', 'modified', 'adaptive'])('conservation of 2 ** 52 permits: %s', (kind) => {
  const M = 2 ** 52;
  const workload = { concurrent: 1, requests: 90 };
  const json = { protocol: 'controller', topology: { kind: 'path', n: 3 }, options: { kind, M, W: M }, workload };
  expect(new Simulation(parseScenario(json, protocols), { host: 'snapshots' }).run().verdict).toBe('valid');
  const more = { ...json, options: { kind, M: Number.MAX_SAFE_INTEGER, W: 0 } };
  expect(() => parseScenario(more, protocols)).toThrow(
    /options\.M is 9007199254740991\. Use an integer between 0 and 4503599627370496/,
  );
});
