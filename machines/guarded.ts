/** Wraps a protocol description's functions so that their results are checked immediately. An error names the protocol and the function. */
import type { AnyStateMachine } from 'xstate';
import { isObject } from './checks.js';
import { ProtocolError, UsageError, thrownText } from './errors.js';
import type { Checks, Command, Core, Observer, View } from './protocol.js';
import { show, type Complain } from './validate.js';

type Any = (...args: never[]) => unknown;

interface Guards {
  readonly name: string;
  readonly complain: Complain;
}

/** Wraps a function: checks its result, and adds the names of the protocol and the function to its errors. */
function guarded<F extends Any>({ name, complain }: Guards, member: string, given: F, fits: Fits, wanted: string): F {
  return function (this: unknown, ...args: never[]): unknown {
    let value: unknown;
    try {
      value = given.apply(this, args);
    } catch (error) {
      if (error instanceof UsageError || error instanceof ProtocolError) throw error;
      throw new ProtocolError(`Protocol ${name}: ${member} failed: ${thrownText(error)}`, { cause: error });
    }
    if (!fits(value)) complain(member, `returned ${value instanceof Promise ? 'a promise' : show(value)}. Return ${wanted}.`);
    return value;
  } as F;
}

type Fits = (value: unknown) => boolean;

const isAny: Fits = () => true;
const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isTruth: Fits = (value) => typeof value === 'boolean';
const orNothing =
  (fits: Fits): Fits =>
  (value) =>
    value === undefined || value === null || fits(value);
const listOf =
  (fits: Fits): Fits =>
  (value) =>
    Array.isArray(value) && value.every(fits);
const isMessage: Fits = (value) => isObject(value) && typeof value['type'] === 'string';
const isReaction: Fits = (value) =>
  isObject(value) && isText(value['on']) && isMessage(value['event']) && isNumber(value['after']) && value['after'] >= 0;
const isPort: Fits = (value) => isNumber(value) && Number.isSafeInteger(value) && value >= 1;
const isPorted: Fits = (value) =>
  Array.isArray(value) && value.length === 4 && isText(value[0]) && isPort(value[1]) && isText(value[2]) && isPort(value[3]);
const isDraws: Fits = (value) => isObject(value) && Object.values(value).every(listOf(Number.isSafeInteger));
const isObserver: Fits = (value) =>
  isObject(value) && ['record', 'summary', 'meters'].every((key) => typeof value[key] === 'function');

const TRUTH = 'true or false';
const ROLE = 'the name of a role, or undefined';

/** The core with its functions guarded. Roles are checked by `validStarts`. */
export function guardedCore<C extends Core>(core: C, complain: Complain, starts: string): C {
  const of: Guards = { name: core.name, complain };
  const { ports, draws, wiring, newcomer } = core;
  return {
    ...core,
    options: guarded(of, 'options', core.options, isAny, 'the options'),
    roles: guarded(of, starts, core.roles, isAny, 'roles'),
    ...(core.reload && { reload: guarded(of, 'reload', core.reload, isAny, 'roles') }),
    route: guarded(of, 'route', core.route, isText, 'the name of a role'),
    accepts: guarded(of, 'accepts', core.accepts, isTruth, TRUTH),
    reactions: guarded(
      of,
      'reactions',
      core.reactions,
      listOf(isReaction),
      'a list of { on, event, after }, with after in ticks',
    ),
    ...(ports && { ports: guarded(of, 'ports', ports, listOf(isPorted), 'a list of [node, port, node, port]') }),
    ...(draws && { draws: guarded(of, 'draws', draws, isDraws, 'a list of integers for each node') }),
    ...(newcomer && { newcomer: guarded(of, 'newcomer', newcomer, orNothing(isText), 'the name of a node, or undefined') }),
    ...(wiring && { wiring: guardedWiring(of, wiring) }),
    commands: Object.fromEntries(
      Object.entries<Command>(core.commands).map(([name, command]) => [name, guardedCommand(of, name, command)]),
    ),
  };
}

function guardedCommand(of: Guards, name: string, command: Command): Command {
  const at = `commands.${name}`;
  const { refusal } = command;
  return {
    ...command,
    event: guarded(of, `${at}.event`, command.event, isMessage, 'an event, { type, … }'),
    ...(refusal && { refusal: guarded(of, `${at}.refusal`, refusal, orNothing(isText), 'the reason as a text, or null') }),
  };
}

function guardedWiring(of: Guards, wiring: NonNullable<Core['wiring']>): NonNullable<Core['wiring']> {
  const { listener, label, carrier, isInner, takers } = wiring;
  return {
    ...wiring,
    ...(listener && { listener: guarded(of, 'wiring.listener', listener, orNothing(isText), ROLE) }),
    ...(label && { label: guarded(of, 'wiring.label', label, orNothing(isObject), 'the fields, or undefined') }),
    ...(carrier && { carrier: guarded(of, 'wiring.carrier', carrier, orNothing(isText), ROLE) }),
    ...(isInner && { isInner: guarded(of, 'wiring.isInner', isInner, isTruth, TRUTH) }),
    ...(takers && { takers: guarded(of, 'wiring.takers', takers, listOf(isText), 'a list of roles') }),
  };
}

/** The checks with their functions guarded. Properties are checked by `validProperties`, and their results where they are judged. */
export function guardedChecks<O>(checks: Checks<O>, { name, charts }: Core, complain: Complain): Checks<O> {
  const of: Guards = { name, complain };
  const { properties, corruption, atRest, mayFire, canonical, times } = checks;
  const isState = stateIn(charts);
  return {
    ...checks,
    ...(properties && { properties: guarded(of, 'properties', properties, isAny, 'a list') }),
    ...(atRest && { atRest: guarded(of, 'atRest', atRest, isTruth, TRUTH) }),
    ...(mayFire && { mayFire: guarded(of, 'mayFire', mayFire, isTruth, TRUTH) }),
    ...(canonical && { canonical: guarded(of, 'canonical', canonical, isObject, 'the roles of the node') }),
    ...(times && { times: guarded(of, 'times', times, orNothing(isObject), '{ kinds, node, message }') }),
    ...(corruption && {
      corruption: {
        ...corruption,
        node: guarded(of, 'corruption.node', corruption.node, isState, '{ roles, timers } with states of the charts'),
        channel: guarded(of, 'corruption.channel', corruption.channel, listOf(isMessage), 'a list of messages'),
      },
    }),
  };
}

/** Recognizes a state of a node. Each value of a chart is resolved once. */
function stateIn(charts: Readonly<Record<string, AnyStateMachine>>): Fits {
  const known = new Map<string, boolean>();
  const isRole: Fits = (role) => {
    if (!isObject(role)) return false;
    const { chart, value, context } = role;
    if (typeof chart !== 'string' || !Object.hasOwn(charts, chart)) return false;
    const key = `${chart} ${JSON.stringify(value)}`;
    if (!known.has(key)) known.set(key, isValueOf(charts[chart]!, value, context));
    return known.get(key)!;
  };
  return (state) =>
    isObject(state) && isObject(state['roles']) && Object.values(state['roles']).every(isRole) && Array.isArray(state['timers']);
}

function isValueOf(chart: AnyStateMachine, value: unknown, context: unknown): boolean {
  try {
    chart.resolveState({ value: value as never, context });
    return true;
  } catch {
    return false;
  }
}

export function guardedView<O>(view: View<O>, name: string, complain: Complain): View<O> {
  const of: Guards = { name, complain };
  const { observe, overlay } = view;
  return {
    ...view,
    ...(observe && { observe: guarded(of, 'observe', observe as () => Observer, isObserver, '{ record, summary, meters }') }),
    ...(overlay && { overlay: marked(guarded(of, 'overlay', overlay, orNothing(isObject), 'an object of marks')) }),
  };
}

/** A picture that cannot be drawn ends no run: the node shows the error. */
const marked =
  <F extends NonNullable<View['overlay']>>(overlay: F): NonNullable<View['overlay']> =>
  (...args) => {
    try {
      return overlay(...args);
    } catch (error) {
      return { badge: thrownText(error), tone: 'wrong' };
    }
  };
