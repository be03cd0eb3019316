/** Checks a protocol's description before it runs. An error names the protocol, the wrong member and the fix. */
import type { AnyStateNode } from 'xstate';
import { isObject } from './checks.js';
import { UsageError } from './errors.js';
import type { Checks, Core, CoreDescription, Property, RoleStart, View } from './protocol.js';

/** Throws an error about a member of a protocol. */
export type Complain = (member: string, problem: string) => never;

export function complaintsOf(description: unknown): Complain {
  if (!isObject(description)) {
    throw new UsageError('The description of a protocol must be an object: { name, charts, network, messages, commands }.');
  }
  const { name } = description;
  if (typeof name !== 'string' || name === '') {
    throw new UsageError(`The name of a protocol is ${show(name)}. Use a string: scenarios refer to it.`);
  }
  return (member, problem) => {
    throw new UsageError(`Protocol ${name}: ${member} ${problem}`);
  };
}

export const show = (value: unknown): string =>
  typeof value === 'function' ? 'a function' : value === undefined ? 'missing' : (JSON.stringify(value) ?? String(value));

type Kind = 'function' | 'object' | 'string' | 'boolean' | 'list';

const words: Readonly<Record<Kind, string>> = {
  function: 'a function',
  object: 'an object',
  string: 'a string',
  boolean: 'true or false',
  list: 'a list',
};

const isOfKind = (value: unknown, kind: Kind): boolean =>
  kind === 'list' ? Array.isArray(value) : kind === 'object' ? isObject(value) : typeof value === kind;

/** Members of an object with their kinds. Required ones end in `!`. */
type Members = Readonly<Record<string, Kind | `${Kind}!`>>;

function requireMembers(part: unknown, members: Members, where: string, complain: Complain): void {
  if (!isObject(part)) complain(where, `is ${show(part)}. Use an object with ${Object.keys(members).join(', ')}.`);
  for (const key of Object.keys(part)) {
    if (!Object.hasOwn(members, key))
      complain(inside(where, key), `is unknown. The members are ${Object.keys(members).join(', ')}.`);
  }
  for (const [key, wanted] of Object.entries(members)) {
    const kind = wanted.replace('!', '') as Kind;
    const value = part[key];
    if (value === undefined && !wanted.endsWith('!')) continue;
    if (!isOfKind(value, kind)) complain(inside(where, key), `is ${show(value)}. Use ${words[kind]}.`);
  }
}

const inside = (where: string, key: string): string =>
  ['the core', 'checks', 'the view'].includes(where) ? key : `${where}.${key}`;

function requireOneOf(value: unknown, choices: readonly unknown[], where: string, complain: Complain): void {
  if (!choices.includes(value)) complain(where, `is ${show(value)}. Choose ${choices.map(show).join(' or ')}.`);
}

const CORE: Members = {
  name: 'string!',
  charts: 'object!',
  network: 'object!',
  messages: 'object',
  commands: 'object',
  input: 'function',
  roles: 'function',
  reload: 'function',
  route: 'function',
  options: 'function',
  accepts: 'function',
  reactions: 'function',
  ports: 'function',
  draws: 'function',
  wiring: 'object',
  newcomer: 'function',
  notices: 'list',
};

export function validateCore(core: CoreDescription, complain: Complain): void {
  requireMembers(core, CORE, 'the core', complain);
  validateCharts(core, complain);
  const { network, wiring, messages, accepts } = core;
  const flags = { time: 'boolean', isLossy: 'boolean', isOpen: 'boolean', keepsLinks: 'boolean' } as const;
  const needs = { reach: 'string!', addressing: 'string', order: 'string', ...flags } as const;
  requireMembers(network, needs, 'network', complain);
  requireOneOf(network.reach, ['routed', 'links'], 'network.reach', complain);
  requireOneOf(network.addressing ?? 'names', ['names', 'ports'], 'network.addressing', complain);
  requireOneOf(network.order ?? 'unordered', ['fifo', 'unordered'], 'network.order', complain);
  const wires = {
    listener: 'function',
    label: 'function',
    carrier: 'function',
    isInner: 'function',
    takers: 'function',
  } as const;
  if (wiring) requireMembers(wiring, wires, 'wiring', complain);
  if (!messages && !accepts) complain('messages', 'is missing. List the fields of each type of message, or use {} for none.');
  validateMessages(core, complain);
  validateCommands(core, complain);
}

function validateCharts({ charts, input, roles, route }: CoreDescription, complain: Complain): void {
  const names = Object.keys(charts);
  if (names.length === 0) complain('charts', 'is empty. Add at least one XState machine: { name: machine }.');
  for (const name of names) {
    const isMachine = isObject(charts[name]) && 'root' in charts[name] && 'implementations' in charts[name];
    if (!isMachine) complain(`charts.${name}`, 'is not an XState machine. Use the result of setup(…).createMachine(…).');
  }
  if (input && roles)
    complain('input', 'cannot be combined with roles. Use input for a node with one role, and roles for any number.');
  if (roles && !route) complain('route', 'is missing. With roles, it must return the role that receives an event.');
  if (!roles && names.length > 1) {
    complain('roles', `is missing. With several charts (${names.join(', ')}), it must return those that a node starts with.`);
  }
}

const takenBelow = (state: AnyStateNode): readonly string[] => [
  ...state.ownEvents,
  ...Object.values<AnyStateNode>(state.states).flatMap(takenBelow),
];

/** Events for which some chart has a transition; `undefined` if a chart accepts any event. */
function eventsOf({ charts }: CoreDescription): readonly string[] | undefined {
  const known = [...new Set(Object.values(charts).flatMap(({ root }) => takenBelow(root)))].toSorted();
  return known.some((type) => type.includes('*')) ? undefined : known;
}

function validateMessages(core: CoreDescription, complain: Complain): void {
  const known = eventsOf(core);
  for (const [type, shape] of Object.entries(core.messages ?? {})) {
    if (known?.includes(type) === false)
      complain(`messages.${type}`, `is not an event of any chart. The events are ${known.join(', ')}.`);
    if (!isObject(shape)) complain(`messages.${type}`, `is ${show(shape)}. Use an object with a check for each field.`);
    for (const [field, check] of Object.entries(shape)) {
      if (typeof check !== 'function')
        complain(`messages.${type}.${field}`, `is ${show(check)}. Use a check, for example isInteger.`);
      if (field === 'type') complain(`messages.${type}.type`, 'is the type of the message itself. Omit it.');
    }
  }
}

const COMMAND: Members = { fields: 'list', event: 'function', waits: 'boolean', completedBy: 'list', refusal: 'function' };

function validateCommands(core: CoreDescription, complain: Complain): void {
  const known = eventsOf(core);
  for (const [name, command] of Object.entries(core.commands ?? {})) {
    const where = `commands.${name}`;
    requireMembers(command, COMMAND, where, complain);
    if (!command.event && known?.includes(name) === false) {
      complain(
        where,
        `is not an event of any chart and has no event function. Add event, or rename the command to one of ${known.join(', ')}.`,
      );
    }
    for (const type of command.completedBy ?? []) {
      if (typeof type !== 'string') complain(`${where}.completedBy`, `contains ${show(type)}. List the types of notifications.`);
    }
    for (const [i, field] of (command.fields ?? []).entries()) {
      const at = `${where}.fields[${i}]`;
      if (!isObject(field) || typeof field['name'] !== 'string') complain(at, `is ${show(field)}. Use { name, type }.`);
      requireOneOf(field['type'], ['integer', 'node'], `${at}.type`, complain);
    }
  }
}

const CHECKS: Members = {
  properties: 'function',
  corruption: 'object',
  atRest: 'function',
  mayFire: 'function',
  canonical: 'function',
  times: 'function',
  samples: 'object',
  systems: 'list',
};

export function validateChecks(checks: Checks, { charts }: Core, complain: Complain): void {
  requireMembers(checks, CHECKS, 'checks', complain);
  const { corruption, samples = {} } = checks;
  if (corruption)
    requireMembers(corruption, { isSurvived: 'boolean', node: 'function!', channel: 'function!' }, 'corruption', complain);
  for (const [chart, list] of Object.entries(samples)) {
    if (!Object.hasOwn(charts, chart)) {
      complain(`samples.${chart}`, `does not name a chart. The charts are ${Object.keys(charts).join(', ')}.`);
    }
    if (!Array.isArray(list)) complain(`samples.${chart}`, `is ${show(list)}. Use a list of { input, events }.`);
    for (const [i, sample] of list.entries()) {
      if (!isObject(sample) || typeof sample['events'] !== 'function')
        complain(`samples.${chart}[${i}]`, 'has no function events. Use { input, events(context) }.');
    }
  }
}

export const validateView = (view: View, complain: Complain): void =>
  requireMembers(view, { paper: 'string', observe: 'function', overlay: 'function' }, 'the view', complain);

const KINDS: Readonly<Record<Property['kind'], readonly string[]>> = {
  always: ['holds'],
  sometimes: ['holds'],
  eventually: ['when', 'holds'],
  closed: ['holds'],
  converges: ['holds'],
};

export function validProperties<O>(properties: readonly Property<O>[], complain: Complain): readonly Property<O>[] {
  if (!Array.isArray(properties)) complain('properties', `returned ${show(properties)}. Return a list.`);
  for (const [i, property] of properties.entries()) {
    const where = typeof property?.name === 'string' ? `property "${property.name}"` : `properties[${i}]`;
    if (!isObject(property) || typeof property.name !== 'string') complain(where, 'has no name. Add one.');
    requireOneOf(property.kind, Object.keys(KINDS), `${where}: kind`, complain);
    for (const key of KINDS[property.kind as Property['kind']]) {
      if (typeof property[key] !== 'function')
        complain(where, `has no function ${key}. A property of kind ${property.kind} needs it.`);
    }
    if (property.kind === 'converges' && typeof property.within !== 'number') {
      complain(where, `has within ${show(property.within)}. Use the number of ticks from the last fault to a legal state.`);
    }
  }
  return properties;
}

/** Checks the initial roles of a node, each with a chart of the protocol. */
export function validStarts(
  starts: unknown,
  { charts }: Pick<Core, 'charts'>,
  where: string,
  complain: Complain,
): readonly RoleStart[] {
  if (!Array.isArray(starts)) complain(where, `returned ${show(starts)}. Return a list of { role, chart, input }.`);
  const known = Object.keys(charts);
  const roles = new Set<unknown>();
  const listed: readonly unknown[] = starts;
  for (const [i, start] of listed.entries()) {
    const at = `${where}[${i}]`;
    if (!isObject(start) || typeof start['role'] !== 'string') complain(at, `is ${show(start)}. Use { role, chart, input }.`);
    const { role, chart } = start;
    if (!known.some((name) => name === chart))
      complain(at, `has the chart ${show(chart)}. Choose ${known.map(show).join(' or ')}.`);
    if (roles.has(role)) complain(at, `repeats the role ${show(role)}. Give each role its own name.`);
    roles.add(role);
  }
  return starts;
}
