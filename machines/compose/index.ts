/**
 * Composition: several protocols on the nodes of one network, next to each other or stacked.
 *
 * The parts keep their charts as they are. Every name of a part (role, chart, message, command, notice, property) begins with the part's name
 * and a dot, or a colon for properties, so nothing of two parts is ever confused. A stack issues commands of one part by the notices of another
 * of the same node (stack.ts).
 *
 * Network: it is routed if one of the parts needs routes. Links do not fail then, and a scenario that cuts one is refused. If all parts
 * work on links, each of them receives both. It is FIFO if one of the parts needs that.
 * Promises: each part keeps its own promises, because it shares no variable and no message with another one. A property that speaks of several
 * parts is given by `properties`.
 *
 * Limitations: a composition has no `reload`, and the answers to first draws (`options.…draws`) can be fixed in one part only. Anonymous parts
 * have the same ports.
 */
import { isObject } from '../checks.js';
import { UsageError } from '../errors.js';
import type { Command, Instance, NetworkGraph, NetworkNeeds, OutsideEvent, Property, Protocol, Wiring } from '../protocol.js';
import { atRestOf, canonicalOf, corruptionOf, mayFireOf, propertyOf, timesOf } from './checks.js';
import { Part, type PartsOptions } from './parts.js';
import {
  checkStack,
  complaint,
  everyCommandIsTaken,
  issuedBy,
  nextOfStack,
  partOf,
  STACK,
  stackMachine,
  stackSamples,
  type StackRule,
} from './stack.js';
import { overlayOf, PartsAccount } from './view.js';

export type { StackRule } from './stack.js';

/**
 * Options for `compose`.
 *
 * @public
 */
export interface ComposeOptions {
  /** Name of the composition in scenarios. @defaultValue the names of the parts, joined with `+` */
  readonly name?: string;
  /** Notices of one part that issue commands of another. Scenarios and applications can no longer use such a command. */
  readonly stack?: readonly StackRule[];
  /** Promises that concern several parts: roles and messages have their full names there, as in `lock.directory`. */
  properties?(instance: Instance<PartsOptions>): readonly Property<PartsOptions>[];
}

/**
 * Composes protocols on the nodes of one network. The result is simulated, checked, walked, watched and used like any protocol. A scenario
 * names commands and options by part: `"do": "lock.request"`, `"options": { "lock": { "hold": 2 } }`.
 *
 * @param parts the protocols by the names of their parts. One protocol may have several parts, with different names.
 * @returns a protocol whose nodes run all parts.
 * @throws UsageError for incompatible parts, and for a stack that names an unknown notice or command, or contains a cycle.
 * @example
 * ```ts
 * import { compose, directory } from 'xstate-quiver/machines';
 * import { parseScenario, Simulation } from 'xstate-quiver/network';
 *
 * // A node that gets the truck requests the dock.
 * const loading = compose(
 *   { truck: directory, dock: directory },
 *   { name: 'loading', stack: [{ on: 'truck.granted', do: 'dock.request' }] },
 * );
 * const events = [{ at: 0, node: 'n2', do: 'truck.request' }];
 * const json = { protocol: 'loading', topology: { kind: 'ring', n: 4 }, options: { truck: { hold: 2 } }, events };
 * console.log(new Simulation(parseScenario(json, { loading })).run().verdict);
 * ```
 * @public
 */
export function compose(parts: Readonly<Record<string, Protocol>>, options: ComposeOptions = {}): Protocol<PartsOptions> {
  const { list, stack, name } = checked(parts, options);
  const commands = commandsOf(list, stack);
  const of = (key: string): Part | undefined => partOf(list, key);
  const corruption = corruptionOf(list);
  const atRest = atRestOf(list);
  const mayFire = mayFireOf(list);
  const canonical = canonicalOf(list);
  return {
    name,
    paper: list.map(({ protocol: { paper } }) => paper).join('; '),
    network: networkOf(list),
    charts: {
      ...Object.fromEntries(
        list.flatMap((part) => Object.entries(part.protocol.charts).map(([key, chart]) => [part.outer(key), chart])),
      ),
      ...(stack.length > 0 && { [STACK]: stackMachine }),
    },
    samples: {
      ...Object.fromEntries(
        list.flatMap((part) => Object.entries(part.protocol.samples).map(([key, samples]) => [part.outer(key), samples])),
      ),
      ...(stack.length > 0 && { [STACK]: stackSamples }),
    },
    notices: list.flatMap((part) => (part.protocol.notices ?? []).map((notice) => part.outer(notice))),
    wiring: wiringOf(list, stack),
    options: (raw, graph) => optionsOf(list, raw, graph),
    roles: (node, instance) => [
      ...list.flatMap((part) =>
        part.protocol
          .roles(node, part.instance(instance))
          .map(({ role, chart, input }) => ({ role: part.outer(role), chart: part.outer(chart), input })),
      ),
      ...(stack.length > 0 ? [{ role: STACK, chart: STACK, input: undefined }] : []),
    ],
    route: (event, node) => routesOf(list, event, node)[0] ?? '',
    accepts: (message, instance) => {
      const part = isObject(message) && typeof message['type'] === 'string' ? of(message['type']) : undefined;
      return part !== undefined && part.protocol.accepts(part.innerMessage(message as never), part.instance(instance));
    },
    commands,
    reactions: (given) =>
      list.flatMap((part) =>
        part.protocol
          .reactions(given[part.name])
          .map(({ on, event, after }) => ({ on: part.outer(on), event: part.outerMessage(event), after })),
      ),
    newcomer: (notice) => {
      const part = of(notice.type);
      return part?.protocol.newcomer?.(part.innerMessage(notice));
    },
    ports: (given) => portsOf(list, given)[0] ?? [],
    draws: (given) => Object.fromEntries(list.flatMap((part) => Object.entries(part.protocol.draws?.(given[part.name]) ?? {}))),
    properties: (instance) => [
      ...list.flatMap((part) => part.protocol.properties(part.instance(instance)).map((one) => propertyOf(part, one))),
      ...everyCommandIsTaken(stack),
      ...(options.properties?.(instance) ?? []),
    ],
    ...(corruption && { corruption }),
    ...(atRest && { atRest }),
    ...(mayFire && { mayFire }),
    ...(canonical && { canonical }),
    times: (given) => timesOf(list, given),
    observe: (instance) => new PartsAccount(list, instance),
    overlay: (node, id, links, c) => overlayOf(list, node, id, links, c),
  };
}

const isProtocol = (given: unknown): given is Protocol => isObject(given) && typeof given['properties'] === 'function';

/** Events of links use these prefixes. */
const RESERVED = ['link', 'xstate'];
const KEYS = ['name', 'stack', 'properties'];

function checked(parts: unknown, options: ComposeOptions) {
  if (!isObject(parts) || isProtocol(parts))
    throw new UsageError(
      'compose needs an object of parts by name: compose({ tree: directory, line: queue }). Two parts of one protocol need two names.',
    );
  const names = Object.keys(parts);
  const joined = names.join('+');
  if (!isObject(options)) complaint(joined)(`the options are ${JSON.stringify(options)}. Pass an object with ${KEYS.join(', ')}`);
  const { name = joined, stack = [], properties } = options;
  const complain: (why: string) => never = complaint(name);
  if (names.length === 0) complain('no parts are given. Pass protocols by name, as in compose({ tree: directory, line: queue })');
  if (typeof name !== 'string' || name === '') complain('name is not a text. Pass one, or leave it out');
  if (properties !== undefined && typeof properties !== 'function')
    complain('properties is not a function. Pass a function that returns a list of properties');
  const unknown = Object.keys(options).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) complain(`options.${unknown} is not known. The options are ${KEYS.join(', ')}`);
  if (names.includes(name)) complain(`the composition and its part have the same name "${name}". Rename one of them`);
  for (const key of names) {
    if (!/^[A-Za-z][\w-]*$/.test(key) || RESERVED.includes(key))
      complain(`a part cannot be named "${key}". Use letters, digits, "-" and "_", and neither ${RESERVED.join(' nor ')}`);
    const protocol = parts[key];
    if (!isProtocol(protocol)) complain(`part "${key}" is not a protocol. Pass what defineProtocol or compose returns`);
    if (protocol.name === name)
      complain(`part "${key}" is the protocol "${name}", as the composition is called. Pass another name`);
    if (protocol.wiring?.stack) complain(`part "${key}" is a composition with a stack. Pass its parts and its rules to this one`);
  }
  const list = Object.entries(parts as Record<string, Protocol>).map(([key, protocol]) => new Part(key, protocol));
  const [anonymous, named] = ['ports', 'names'].map((kind) => list.find(({ protocol }) => protocol.network.addressing === kind));
  if (anonymous && named)
    complain(
      `part "${anonymous.name}" has anonymous nodes, and part "${named.name}" needs their names. Compose anonymous protocols with each other only`,
    );
  return { name, list, stack: checkStack(stack, list, complain) };
}

function networkOf(list: readonly Part[]): NetworkNeeds {
  const needs = list.map(({ protocol }) => protocol.network);
  const some = (is: (need: NetworkNeeds) => boolean | undefined): boolean => needs.some((need) => is(need) === true);
  const every = (is: (need: NetworkNeeds) => boolean | undefined): boolean => needs.every((need) => is(need) === true);
  return {
    reach: some(({ reach }) => reach === 'routed') ? 'routed' : 'links',
    addressing: needs[0]!.addressing,
    order: some(({ order }) => order === 'fifo') ? 'fifo' : 'unordered',
    time: some(({ time }) => time),
    ...(some(({ reach }) => reach === 'routed') &&
      some(({ reach, keepsLinks }) => reach === 'links' || keepsLinks) && { keepsLinks: true }),
    ...(every(({ isLossy }) => isLossy) && { isLossy: true }),
    ...(every(({ isOpen }) => isOpen) && { isOpen: true }),
  };
}

function optionsOf(list: readonly Part[], raw: Readonly<Record<string, unknown>>, graph: NetworkGraph): PartsOptions {
  const names = list.map(({ name }) => name);
  const unknown = Object.keys(raw).find((key) => !names.includes(key));
  if (unknown !== undefined) throw new UsageError(`Unknown part options.${unknown}. The parts are ${names.join(', ')}.`);
  const drawn = names.filter((name) => isObject(raw[name]) && 'draws' in raw[name]);
  if (drawn.length > 1)
    throw new UsageError(`options.${drawn[1]}.draws cannot be combined with options.${drawn[0]}.draws. Keep one of them.`);
  const options = Object.fromEntries(
    list.map(({ name, protocol }) => {
      const given = raw[name] ?? {};
      if (!isObject(given))
        throw new UsageError(`options.${name} is ${JSON.stringify(given)}. Use an object of options of ${protocol.name}.`);
      try {
        return [name, protocol.options(given, graph)];
      } catch (error) {
        if (error instanceof UsageError) throw new UsageError(error.message.replace(/\boptions\.(?=\w)/g, `options.${name}.`));
        throw error;
      }
    }),
  );
  if (new Set(portsOf(list, options).map((ports) => JSON.stringify(ports))).size > 1)
    throw new UsageError(
      `${names.map((name) => `options.${name}.ports`).join(' and ')} differ, and a link has one port at each end. Give all parts the same ports.`,
    );
  return options;
}

/** The ports of the links, from each part that knows them. */
const portsOf = (list: readonly Part[], options: PartsOptions) =>
  list.map(({ name, protocol }) => protocol.ports?.(options[name]) ?? []).filter(({ length }) => length > 0);

type OpenRoles = { has(role: string): boolean };

/** Roles that take an event from outside: those of the part that it names, or, for a link event, those of all parts that work on links. */
function routesOf(list: readonly Part[], event: OutsideEvent, node: OpenRoles): readonly string[] {
  const rolesOf = (part: Part, inner: OutsideEvent): readonly string[] => {
    const { wiring, route } = part.protocol;
    const own = { has: (role: string) => node.has(part.outer(role)) };
    return (wiring?.takers?.(inner, own) ?? [route(inner, own)]).map((role) => part.outer(role));
  };
  const part = partOf(list, event.type);
  if (part) return rolesOf(part, part.innerMessage(event));
  return list
    .filter(({ protocol }) => protocol.network.reach === 'links')
    .flatMap((one) => rolesOf(one, event))
    .filter((role) => node.has(role));
}

function wiringOf(list: readonly Part[], stack: readonly StackRule[]): Wiring {
  const of = (role: string): Part | undefined => partOf(list, role);
  const outer = (role: string, inner: (wiring: Wiring, role: string) => string | undefined): string | undefined => {
    const part = of(role);
    const found = part?.protocol.wiring && inner(part.protocol.wiring, part.inner(role));
    return found === undefined ? undefined : part!.outer(found);
  };
  return {
    part: (role) => {
      const part = of(role);
      return part ? part.prefix + (part.protocol.wiring?.part?.(part.inner(role)) ?? '') : '';
    },
    listener: (role) => outer(role, (wiring, inner) => wiring.listener?.(inner)),
    carrier: (role) => outer(role, (wiring, inner) => wiring.carrier?.(inner)),
    label: (role) => {
      const part = of(role);
      return part?.protocol.wiring?.label?.(part.inner(role));
    },
    isInner: (role) => {
      const part = of(role);
      return part?.protocol.wiring?.isInner?.(part.inner(role)) ?? false;
    },
    takers: (event, node) => routesOf(list, event, node),
    ...(stack.length > 0 && {
      stack: { role: STACK, issued: (notice, node) => issuedBy(stack, list, notice, node), next: nextOfStack },
    }),
  };
}

function commandsOf(list: readonly Part[], stack: readonly StackRule[]): Readonly<Record<string, Command>> {
  const entries = list.flatMap((part) =>
    Object.entries(part.protocol.commands).map(([name, command]): [string, Command] => [
      part.outer(name),
      {
        ...command,
        event: (fields) => part.outerMessage(command.event(fields)),
        completedBy: command.completedBy.map((notice) => part.outer(notice)),
        ...(command.refusal && { refusal: (options: PartsOptions, fields) => command.refusal!(options[part.name], fields) }),
      },
    ]),
  );
  return Object.fromEntries(entries.filter(([name]) => !stack.some((rule) => rule.do === name)));
}
