/** The pages about scenarios match the parser: they contain every key, event and kind, all of them exist, and the examples are valid. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../machines/errors.js';
import { protocols } from '../../machines/index.js';
import { Simulation } from '../simulation.js';
import { topologyKinds } from '../topology/kinds.js';
import { movingKinds } from '../topology/moving.js';
import { verbKeys } from './events.js';
import { parseScenario } from './parse.js';
import { scenarioSchema } from './schema.js';

const textOf = (name: string) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
const page = `${textOf('scenarios')}\n${textOf('scenarios-reference')}`;
const sections = new Map(page.split(/^## /m).map((text) => [/^.*/.exec(text)![0], text]));

/** Text between backticks. */
const codesIn = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
/** The rows of tables, without those that head them. */
const rowsIn = (text: string): string[][] =>
  [...text.matchAll(/(?<!\n\n)^\| (.*) \|$/gm)].map(([, row]) => row!.split(' | ')).filter(([first]) => first!.startsWith('`'));
const examplesIn = (name: string): unknown[] =>
  codesIn(sections.get(name)!).flatMap((code) => (code.startsWith('{ ') ? [JSON.parse(code)] : []));

/** Every key of an object, and every allowed word. */
function wordsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, const: word, enum: words = [] } = schema as { properties?: object; const?: unknown; enum?: unknown[] };
  const own = [...Object.keys(properties), word, ...words].filter((each) => typeof each === 'string');
  return [...own, ...Object.values(schema).flatMap(wordsOf)];
}

const files = () => '1 2\n2 3';
const read = (fields: Record<string, unknown>) =>
  parseScenario({ protocol: 'directory', topology: { kind: 'ring', n: 4 }, ...fields }, protocols, files);

/** The error message of the parser, or `null`. */
function complaint(take: () => unknown): string | null {
  try {
    take();
    return null;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.message;
  }
}

/** The options of a protocol, as it names them where one is not known. */
const optionsOf = (protocol: string): string[] =>
  /The options are (.*)\.$/.exec(complaint(() => read({ protocol, options: { unknownOption: 1 } }))!)![1]!.split(', ');

test('it names every key, verb, kind and command of the schema, and every option', () => {
  const words = new Set([...wordsOf(scenarioSchema(protocols)), ...Object.keys(protocols).flatMap(optionsOf)]);
  const named = new Set(codesIn(page.replaceAll(/^```[^]*?^```/gm, '')).map((code) => code.replaceAll('"', '')));
  expect([...words].filter((word) => !named.has(word))).toEqual([]);
  expect(words.size).toBeGreaterThan(100);
});

describe('the rows of its tables are those of the parser', () => {
  const table = (name: string, column: number) =>
    Object.fromEntries(
      rowsIn(sections.get(name)!).flatMap((row) => codesIn(row[0]!).map((key) => [key, codesIn(row[column] ?? '')])),
    );

  test('verbs, with the keys of each', () => {
    const rows = table('Events', 1);
    const verbs = Object.keys(rows).filter((word) => !(word in protocols) && !word.startsWith('{'));
    expect(verbs.sort()).toEqual(Object.keys(verbKeys).sort());
    for (const verb of verbs) expect([verb, rows[verb]!.toSorted()]).toEqual([verb, verbKeys[verb]!.toSorted()]);
  });

  test('kinds, with the parameters of each', () => {
    const rows = table('Topology', 1);
    const kinds = Object.entries({ ...topologyKinds, ...movingKinds }).map(
      ([kind, { parameters }]) => [kind, parameters] as const,
    );
    const notified = Object.keys(rows).filter((kind) => !kind.startsWith('{'));
    expect(notified.sort()).toEqual(kinds.map(([kind]) => kind).sort());
    for (const [kind, parameters] of kinds)
      expect(rows[kind]!.filter((word) => word in parameters)).toHaveLength(Object.keys(parameters).length);
  });

  test.each(Object.keys(protocols))('%s: its options and its commands', (name) => {
    expect(table('Options', 1)[name]).toEqual(optionsOf(name));
    const commands = Object.entries(protocols[name]!.commands);
    const words = commands.flatMap(([word, { fields = [] }]) => [word, ...fields.map((field) => field.name)]);
    expect(new Set(table('Events', 1)[name])).toEqual(new Set(words));
  });
});

describe('its examples are read', () => {
  const blocks = [...page.matchAll(/^```json\n([^]*?)^```/gm)].map(([, text]) => JSON.parse(text!));
  const isRead = (examples: readonly Record<string, unknown>[], least: number) => {
    for (const example of examples) expect([example, complaint(() => read(example))]).toEqual([example, null]);
    expect(examples.length).toBeGreaterThanOrEqual(least);
  };

  test('whole files, which run as well', () => {
    isRead(blocks, 1);
    for (const json of blocks) expect(new Simulation(read(json)).run().verdict).toBe('valid');
  });
  test('networks', () =>
    isRead(
      examplesIn('Network').map((network) => ({ network })),
      4,
    ));
  test('workloads', () =>
    isRead(
      examplesIn('Workload').map((workload) => ({ workload })),
      3,
    ));
  test('ends', () =>
    isRead(
      examplesIn('Until').map((until) => ({ until })),
      2,
    ));
  test('topologies', () => {
    // A list of contacts has three words a line.
    const text = (name: string) => (name.endsWith('.tij') ? '0 a b' : name.endsWith('.gml') ? 'graph [ node [ id 1 ] ]' : 'a b');
    const given = examplesIn('Topology').map((topology) => ({ protocol: 'election', topology }));
    for (const json of given) expect([json, complaint(() => parseScenario(json, protocols, text))]).toEqual([json, null]);
    expect(given.length).toBeGreaterThanOrEqual(5);
  });

  test('events, by the protocols that can do them', () => {
    const takers = (event: unknown) =>
      Object.keys(protocols).filter((protocol) => {
        const options = protocol === 'controller' ? { M: 5, W: 1 } : {};
        return complaint(() => read({ protocol, events: [event], options })) === null;
      });
    const events = examplesIn('Events') as { do: string; ports?: unknown }[];
    for (const event of events) expect([event, takers(event).length > 0]).toEqual([event, true]);
    expect(takers(events.find(({ ports }) => ports))).toEqual(['exclusion']);
    expect(takers(events.find((event) => event.do === 'reload'))).toEqual(['locks']);
  });
});

test.each(rowsIn(sections.get('Fix a rejected file')!))('%s is refused with %s', (fields = '', answer = '') => {
  const [reported = ''] = codesIn(answer);
  const message = complaint(() => read(JSON.parse(codesIn(fields)[0]!)));
  expect(answer.endsWith('…') ? message?.slice(0, reported.length) : message).toBe(reported);
});
