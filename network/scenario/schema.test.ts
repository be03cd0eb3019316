/** The published schema and the parser accept the same files, as far as a schema can check them. */
import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { Compile } from 'typebox/schema';
import { expect, test } from 'vitest';
import { UsageError } from '../../machines/errors.js';
import { protocols } from '../../machines/index.js';
import { parseScenario } from './parse.js';
import { scenarioSchema } from './schema.js';

const schema = Compile(scenarioSchema(protocols) as never);

/** The error message of the parser, or `null`. */
function complaint(json: unknown): string | null {
  try {
    parseScenario(json, protocols, () => '1 2\n2 3');
    return null;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.message;
  }
}

test('no enum of it is empty: validators refuse to read such a schema', () => {
  expect(JSON.stringify(scenarioSchema(protocols))).not.toContain('"enum":[]');
});

/** Errors that a schema cannot find because they depend on the rest of the file or on the protocol. */
const BEYOND =
  /^(options\b|Unknown option |.*(is not a node of|no link connects|is not connected|names ".*" twice|is not possible here|needs .* List it|has no ports|does not define a corruption|must list one weight for each link|has both node and nodes|there are two links|too many links|too long to compute|of the topology|has no commands|repeats|is not a link|links\[\d+\]))|^events\[\d\]\.do: |^until must|max must be|^(topology\.kind|protocol) is .*, which is unknown|radius must be a number, [\d.e-]+ to 2/;

const base = [
  {
    protocol: 'directory',
    topology: { kind: 'ring', n: 4 },
    workload: { concurrent: 2, requests: 4 },
    seed: 3,
    until: { at: 9 },
  },
  {
    protocol: 'directory',
    topology: { kind: 'ring', n: 3, weights: [1, 2, 3] },
    workload: { command: 'request', sequential: ['n0'] },
  },
  {
    protocol: 'queue',
    topology: { nodes: ['a', 'b'], links: [['a', 'b', 2]] },
    network: { latency: { min: 1, max: 3 }, order: 'fifo', loss: 0.1, duplicate: 0, reorder: 1 },
    events: [
      { at: 0, node: 'a', do: 'request' },
      { at: 1, do: 'corrupt', nodes: ['a'] },
      { at: 1, do: 'corrupt', node: 'a' },
      { at: 2, do: 'cut', link: ['a', 'b'] },
      { at: 3, do: 'join', link: ['a', 'b'], weight: 2 },
      { at: 4, do: 'down', channel: ['a', 'b'] },
      { at: 4, do: 'slow', channel: ['a', 'b'], by: 3 },
      { at: 5, do: 'crash', node: 'a' },
      { at: 6, do: 'drop', message: 0 },
    ],
    until: { idle: true },
  },
  {
    protocol: 'exclusion',
    topology: { kind: 'path', n: 2 },
    network: { latency: { exponential: 2 } },
    events: [
      { at: 0, node: 'n0', do: 'lock' },
      { at: 3, do: 'join', link: ['n0', 'n1'], ports: [2, 2] },
    ],
  },
  { protocol: 'election', topology: { kind: 'churn', n: 3, steps: 2, birth: 0.5, death: 0.5 }, network: { latency: 'weight' } },
  { protocol: 'election', topology: { kind: 'geometric', n: 3, radius: 0.9, seed: 2 }, $schema: './scenario.schema.json' },
  {
    protocol: 'controller',
    topology: { kind: 'tree', n: 3, arity: 2 },
    options: { M: 5, W: 1 },
    events: [{ at: 0, node: 'n1', do: 'take', amount: 2 }],
  },
  { protocol: 'directory', topology: { kind: 'torus', rows: 3, columns: 3 }, network: { latency: 2 } },
  { protocol: 'directory', topology: { kind: 'geant' } },
];

test('both accept every example and every base of this test', () => {
  const folder = new URL('../../examples/scenarios/', import.meta.url);
  const examples = readdirSync(folder).map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
  for (const json of [...base, ...examples]) {
    expect(complaint(json)).toBe(null);
    expect([JSON.stringify(json), schema.Check(json)]).toEqual([JSON.stringify(json), true]);
  }
});

/** Every place in a file: the path of keys to it. */
function placesIn(json: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof json !== 'object' || json === null) return [path];
  return [path, ...Object.entries(json).flatMap(([key, value]) => placesIn(value, [...path, key]))];
}

/** The file with one change: another value, a missing value, or an unknown key. */
function changed(json: unknown, path: readonly string[], change: unknown): unknown {
  const copy = structuredClone({ root: json }) as Record<string, any>;
  const way = ['root', ...path];
  const last = way.pop()!;
  const holder = way.reduce((at, key) => at[key], copy) as Record<string, unknown>;
  if (change === 'remove' && Array.isArray(holder)) holder.splice(Number(last), 1);
  else if (change === 'remove') delete holder[last];
  else if (change === 'extra') Object.assign(holder[last] as object, { somethingElse: 1 });
  else holder[last] = change;
  return copy['root'];
}

test('both reject a file with one mistake, unless a schema cannot detect it', () => {
  const change = fc.constantFrom<unknown>('remove', 'extra', null, true, 0, 1, -1, 2, 1.5, 'x', '', [], {}, ['n0'], { at: 1 });
  const one = fc.constantFrom(...base).chain((json) => fc.tuple(fc.constant(json), fc.constantFrom(...placesIn(json)), change));
  let refused = 0;
  fc.assert(
    fc.property(one, ([json, path, what]) => {
      const at = path.reduce((place: any, key) => place[key], json);
      fc.pre(what !== 'remove' || path.length > 0);
      fc.pre(what !== 'extra' || (typeof at === 'object' && at !== null && !Array.isArray(at)));
      const given = changed(json, path, what);
      const reported = complaint(given);
      const isTaken = schema.Check(given);
      const where = `${JSON.stringify(given)}\n${reported ?? 'taken by the parser'}`;
      if (reported === null) expect([where, isTaken]).toEqual([where, true]);
      else if (!BEYOND.test(reported)) expect([where, isTaken]).toEqual([where, false]);
      if (!isTaken) refused++;
    }),
    { numRuns: 2000, seed: 1 },
  );
  expect(refused).toBeGreaterThan(500);
});
