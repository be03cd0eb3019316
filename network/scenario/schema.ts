/**
 * The JSON Schema of a scenario, for editors: with `$schema` in the file, they complete keys and underline errors.
 *
 * The keys of events, topologies and commands come from the tables of the parser; a test compares the rest. Only the parser can check facts
 * that depend on the rest of a file: names of nodes, existing links, and the options of a protocol.
 */
import { TICKS_MAX } from '../../machines/checks.js';
import type { Command, Protocol } from '../../machines/protocol.js';
import { backbones } from '../topology/backbones.js';
import { topologyKinds } from '../topology/kinds.js';
import { movingKinds } from '../topology/moving.js';
import { verbKeys } from './events.js';

type Schema = Readonly<Record<string, unknown>>;

const name: Schema = { type: 'string', minLength: 1 };
const ticks: Schema = { type: 'number', minimum: 0, maximum: TICKS_MAX };
const integer: Schema = { type: 'integer' };
const from = (minimum: number): Schema => ({ type: 'integer', minimum });
const wholeTicks = (minimum: number): Schema => ({ ...from(minimum), maximum: TICKS_MAX });
const chance: Schema = { type: 'number', minimum: 0, maximum: 1 };
const pairOf = (items: Schema): Schema => ({ type: 'array', items, minItems: 2, maxItems: 2 });

/** Schema of an object with only these keys; optional ones end with a question mark. */
function exactly(fields: Readonly<Record<string, Schema>>): Schema {
  const entries = Object.entries(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, schema]) => [key.replace('?', ''), schema])),
    required: entries.filter(([key]) => !key.endsWith('?')).map(([key]) => key),
    additionalProperties: false,
  };
}

/** Types of the parameters of topologies. */
const PARAMETERS: Readonly<Record<string, Schema>> = {
  n: from(1),
  rows: from(1),
  columns: from(1),
  arity: from(1),
  steps: from(1),
  every: wholeTicks(1),
  radius: { type: 'number', minimum: 0, maximum: 2 },
  speed: { type: 'number', minimum: 0, maximum: 2 },
  p: chance,
  birth: chance,
  death: chance,
  turn: chance,
  seed: integer,
};
const OPTIONAL = ['arity', 'every', 'seed', 'turn'];
/** A ring of two nodes would have the same link twice, and so would the rings of a torus. */
const SMALLEST: Readonly<Record<string, Schema>> = { ring: from(3), torus: from(3) };

function ofKind(kind: string, parameters: Readonly<Record<string, unknown>>, more: Readonly<Record<string, Schema>>): Schema {
  const fields = Object.keys(parameters).map((key) => {
    const schema = ['n', 'rows', 'columns'].includes(key) ? (SMALLEST[kind] ?? PARAMETERS[key]!) : PARAMETERS[key]!;
    return [OPTIONAL.includes(key) ? `${key}?` : key, schema] as const;
  });
  return exactly({ kind: { const: kind }, ...Object.fromEntries(fields), ...more });
}

const topology = (): Schema => ({
  anyOf: [
    ...Object.entries(topologyKinds).map(([kind, { parameters }]) =>
      ofKind(kind, parameters, { 'weights?': { type: 'array', items: ticks } }),
    ),
    ...Object.entries(movingKinds).map(([kind, { parameters }]) => ofKind(kind, parameters, {})),
    exactly({ kind: { enum: backbones } }),
    exactly({
      nodes: { type: 'array', items: name, minItems: 1, uniqueItems: true },
      links: { type: 'array', items: { type: 'array', prefixItems: [name, name, ticks], minItems: 2, maxItems: 3 } },
    }),
    exactly({ file: name }),
    exactly({ contacts: name }),
  ],
});

const network = exactly({
  'latency?': {
    anyOf: [ticks, { const: 'weight' }, exactly({ min: wholeTicks(0), max: wholeTicks(0) }), exactly({ exponential: ticks })],
  },
  'order?': { enum: ['fifo', 'unordered'] },
  'loss?': chance,
  'duplicate?': chance,
  'reorder?': chance,
});

/** Types of the keys of network events. */
const EVENT_FIELDS: Readonly<Record<string, Schema>> = {
  node: name,
  nodes: { type: 'array', items: name },
  link: pairOf(name),
  channel: pairOf(name),
  ports: pairOf(from(1)),
  weight: ticks,
  by: ticks,
  message: from(0),
};
const OPTIONAL_FIELDS = ['ports', 'weight', 'node of corrupt', 'nodes of corrupt'];

function eventOf(word: string, keys: readonly string[]): Schema {
  const isOptional = (key: string) => OPTIONAL_FIELDS.includes(key) || OPTIONAL_FIELDS.includes(`${key} of ${word}`);
  const fields = keys.map((key) => [isOptional(key) ? `${key}?` : key, EVENT_FIELDS[key]!] as const);
  return exactly({ at: ticks, do: { const: word }, ...Object.fromEntries(fields) });
}

function commandOf(word: string, { fields = [] }: Command): Schema {
  const own = fields.map(({ name: key, type, min, optional }) => [
    optional ? `${key}?` : key,
    type === 'node' ? name : min === undefined ? integer : from(min),
  ]);
  return exactly({ at: ticks, do: { const: word }, node: name, ...Object.fromEntries(own) });
}

const eventsOf = ({ commands }: Protocol): Schema => ({
  anyOf: [
    ...Object.entries(commands).map(([word, command]) => commandOf(word, command)),
    ...Object.entries(verbKeys)
      .filter(([word]) => !Object.hasOwn(commands, word))
      .map(([word, keys]) => eventOf(word, keys)),
  ],
});

/** An empty `enum` is not a valid schema, so a protocol without commands allows no command. */
const workloadOf = (commands: readonly string[] | null): Schema => {
  const ofOurs = commands?.length === 0 ? { not: {} } : { enum: commands };
  const command = { 'command?': commands === null ? name : ofOurs };
  return {
    anyOf: [
      exactly({ ...command, sequential: { type: 'array', items: name } }),
      exactly({ ...command, concurrent: from(1), requests: from(0) }),
    ],
  };
};

/** The schema does not know the commands of custom protocols. */
const anyEvent: Schema = { type: 'object', properties: { at: ticks, do: name }, required: ['at', 'do'] };

export function scenarioSchema(protocols: Readonly<Record<string, Protocol>>): Schema {
  const known = Object.keys(protocols);
  const one: Schema = { anyOf: [{ enum: known }, name] };
  const parts: Schema = { type: 'object', additionalProperties: one, minProperties: 2 };
  const fields = exactly({
    protocol: { anyOf: [one, parts] },
    topology: topology(),
    'options?': { type: 'object' },
    'network?': network,
    'events?': { type: 'array', items: anyEvent },
    'workload?': workloadOf(null),
    'seed?': integer,
    'until?': { anyOf: [exactly({ idle: { const: true } }), exactly({ at: ticks })] },
    '$schema?': name,
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A scenario of Quiver',
    ...fields,
    allOf: known.map((protocol) => ({
      if: { properties: { protocol: { const: protocol } }, required: ['protocol'] },
      // oxlint-disable-next-line unicorn/no-thenable -- the schema's own keyword
      then: {
        properties: {
          events: { items: eventsOf(protocols[protocol]!) },
          workload: workloadOf(Object.keys(protocols[protocol]!.commands)),
        },
      },
    })),
  };
}
