/** Explains why a part of a machine was not covered, and which sample would cover it. */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { isObject } from '../../machines/checks.js';
import { configOf, DONE, ruleEventName, ROUTE, rulesOf, statesOf, type Rule } from '../charts/config.js';
import { kindOf, type Item } from '../coverage/items.js';
import { findReason } from '../coverage/report.js';
import { guardName } from '../mutants/render.js';
import { isPlainName } from './names.js';
import { implementationsOf } from './references.js';
import type { Subject } from './subject.js';

/** The reason why an item is not covered, with a remedy if there is one. */
export function whyMissing(subject: Subject, chart: string, item: Item, counts: ReadonlyMap<Item, number>): string {
  if (subject.unwritten.has(`${chart}: ${item}`)) return unwritten(item);
  return replacedBy(subject, chart, item) ?? `${whyNot(item, counts)}${cureFor(subject, chart, item)}`;
}

function whyNot(item: Item, counts: ReadonlyMap<Item, number>): string {
  const kind: string = kindOf(item);
  if (kind === 'action') return 'no transition that performs it was taken';
  if (kind === 'outcome') return `the service never had this result${cureForOutcome(item)}`;
  return findReason(item, counts);
}

/** The sample for a result of a service, by its item: `outcome socket sends socket.closed`. */
function cureForOutcome(item: Item): string {
  const [, service, what] = /^outcome (.*) (done|fails|next|sends)\b/s.exec(item) ?? [];
  return service === undefined ? '' : `; add a sample to ${at('services', service)}.${what}`;
}

const unwritten = (item: Item): string =>
  `it has no implementation, so XState performs nothing. Add one, provide: { actions: { ${item.slice('action '.length)}: () => {} } }, or a reason to reasons`;

/** The place of an option: `events.PAY`, `events["socket.open"]`. */
const at = (option: string, name: string): string =>
  isPlainName(name) ? `${option}.${name}` : `${option}[${JSON.stringify(name)}]`;

/** The transition or option that XState takes instead of a transition in `on`, which is then never taken. */
function replacedBy({ originals }: Subject, chart: string, item: Item): string | undefined {
  const machine = originals.get(chart);
  const rules = machine && kindOf(item) === 'transition' ? [...rulesOf(configOf(machine))] : [];
  const rule = rules.find(({ id }) => item === `transition ${id}`);
  if (!rule || !rule.event.startsWith('xstate.') || rule.route !== undefined) return undefined;
  const node = nodeOf(machine!, rule.state);
  if (rule.event === ROUTE && node === machine!.root && rules.some(({ route }) => route !== undefined))
    return 'the routes of the states replace it';
  const name = ruleEventName(node, rule.event);
  return name === rule.event ? undefined : `XState takes "${name}" of the same state instead: remove one of them`;
}

const nodeOf = ({ root }: AnyStateMachine, state: string): AnyStateNode =>
  state.startsWith('(') ? root : state.split('.').reduce((node, key) => node.states[key]!, root);

/** The sample that it needs, and its place. */
function cureFor(subject: Subject, chart: string, item: Item): string {
  const [, kind, name, outcome] = /^(state|guard|transition|event) (.*?)(?: is (true|false))?$/s.exec(item) ?? [];
  const machine = subject.originals.get(chart);
  if (kind === undefined || !machine) return '';
  if (kind === 'state') return cureForState(machine, name!);
  const rule = [...rulesOf(configOf(machine))].find(({ id }) => id === name);
  if (kind === 'guard' && rule && drawsIn(rule.choice.guard, machine))
    return `; ${guardName(rule.choice.guard)} reads chance or the clock, and no tried value decided it so: replace it, provide: { guards: { … } }`;
  if (kind === 'guard' && rule && reads(machine, rule.choice.guard) === 'nothing') return constant(rule);
  const type = kind === 'event' ? name! : name!.replace(/^.*?: /s, '').replace(/ #\d+$/, '');
  if (chart !== subject.name)
    return `; external events for child machines need samples: add one to ${at(at('children', chart), type)} if there are any`;
  if (subject.within.has(type))
    return `; the chart, its children or its services send ${type} themselves: add a sample to ${at('events', type)}, {} without a payload, if it is also external`;
  if (!rule)
    return isGuarded(machine, type) ? `; add a sample to ${at('events', type)} for which a guard of its transitions is true` : '';
  return rule.event === DONE && kind === 'transition'
    ? whyEndless(nodeOf(machine, rule.state))
    : cureForRule(subject, rule, kind, outcome);
}

const isGuarded = (machine: AnyStateMachine, type: string): boolean =>
  [...rulesOf(configOf(machine))].some(({ event, choice }) => event === type && choice.guard !== undefined);

/** Why a state never ends: only a final state directly in it, or in each of its regions, ends it. */
function whyEndless(node: AnyStateNode): string {
  const inner = Object.values(node.states);
  if (node.type === 'parallel') return inner.map(whyEndless).find((why) => why !== '') ?? '';
  if (inner.some(({ type }) => type === 'final')) return '';
  const name = (one: AnyStateNode) => one.path.join('.');
  const deep = finalsIn(node).find(({ parent }) => !parent!.config.onDone);
  const why = deep ? `${name(deep)} is final, and ${name(deep.parent!)} has no onDone` : 'it has no final state';
  return `; ${name(node)} never ends: ${why}`;
}

const finalsIn = (node: AnyStateNode): readonly AnyStateNode[] =>
  Object.values(node.states).flatMap((one) => (one.type === 'final' ? [one] : finalsIn(one)));

function cureForState(machine: AnyStateMachine, name: string): string {
  const config = [...statesOf(configOf(machine))].find(([state]) => state === name)?.[1];
  return config?.route && !config.id ? '; it has a route and no id, which XState ignores: add an id' : '';
}

const constant = ({ choice }: Rule): string =>
  `; ${guardName(choice.guard)} reads neither context nor event, so samples have no effect: remove the guard, replace it, provide: { guards: { … } }, or add a reason to reasons`;

/** External events without samples. */
const bareEvents = ({ original, tests, within }: Subject): string[] =>
  original.events.filter((type) => !type.startsWith('xstate.') && !(type in (tests.events ?? {})) && !within.has(type));

type Seen = 'nothing' | 'context' | 'more';

/** The values that a guard reads, according to its text. */
export function reads(original: AnyStateMachine, guard: unknown): Seen {
  const { type, params } = isObject(guard) ? guard : {};
  const name = type ?? guard;
  const does = typeof name === 'string' ? original.implementations.guards[name] : name;
  if (typeof does !== 'function' || typeof params === 'function') return 'more';
  const joined: unknown = Reflect.get(does, 'guards');
  if (Array.isArray(joined)) {
    const seen = joined.map((one) => reads(original, one));
    return seen.includes('more') ? 'more' : seen.includes('context') ? 'context' : 'nothing';
  }
  if (drawsIn(does, original)) return 'more';
  // XState's own guards test states.
  return 'check' in does ? 'more' : namesUsed(Function.prototype.toString.call(does));
}

/** True if the text of a guard reads chance or the clock. */
function drawsIn(guard: unknown, machine: AnyStateMachine): boolean {
  const does = typeof guard === 'string' ? implementationsOf(machine).guards[guard] : guard;
  return typeof does === 'function' && /\bMath\.random\b|\bDate\b|\bperformance\b|\bcrypto\b/.test(String(does));
}

/** The parts of a function's first parameter that its text names, for `({ context, event }) => …`, `(args) => …` and `function (…) {…}`. */
function namesUsed(text: string): Seen {
  const [head, first, single] = /^(?:async\s+)?(?:function\b[^(]*|[\w$]+\s*(?=\())?\(\s*(?:\{([^{}()=]*)\}|([\w$]+))?/.exec(
    text,
  ) ?? [''];
  if (head === '') return 'more';
  const body = text.slice(head.length);
  const uses = (word: string) => new RegExp(String.raw`(?<![\w$.])${word.replaceAll('$', String.raw`\$`)}(?![\w$])`).test(body);
  if (single) return uses(single) ? 'more' : 'nothing';
  if (/^\s*[^\s),]/.test(body)) return 'more';
  const parts = (first ?? '').split(',').map((part) => part.trim().split(/\s*:\s*/));
  const used = parts.flatMap(([key, as]) => (key && uses(as ?? key) ? [key] : []));
  return used.length === 0 ? 'nothing' : used.every((key) => key === 'context') ? 'context' : 'more';
}

const SERVICE: Readonly<Record<string, string>> = { done: 'done', error: 'fails', snapshot: 'next' };

/** The actor and the kind of result of an event: of `charge done`, and of XState's name for it. */
function sourceOf(event: string): { readonly source: string; readonly what: string } | null {
  const [, source, what] = /^(.*) (done|error|snapshot)$/s.exec(event) ?? [];
  if (source !== undefined) return { source, what: SERVICE[what!]! };
  const [, ended, of] = /^xstate\.(?:(done|error)\.actor|snapshot)\.([^*]+)$/s.exec(event) ?? [];
  return of === undefined ? null : { source: of, what: SERVICE[ended ?? 'snapshot']! };
}

function cureForRule(
  subject: Subject,
  { event, isOutside, choice, route }: Rule,
  kind: string,
  outcome: string | undefined,
): string {
  const source = sourceOf(event);
  const place = source ? `${at('services', source.source)}.${source.what}` : at('events', event);
  const isBrought = isOutside || source !== null;
  if (kind === 'transition') {
    if (route !== undefined) return `; add to ${place} the sample {"to":"${route}"}`;
    return source ? `; add a sample to ${place}, or let a child machine end: ${at('children', source.source)}` : '';
  }
  const needs = `for which ${guardName(choice.guard)} is ${outcome}`;
  if (route !== undefined)
    return `; XState evaluates it only for a route to ${route}: add samples to ${place}, or to events that lead to contexts, ${needs}`;
  if (isBrought && reads(subject.original, choice.guard) === 'context') {
    const bare = bareEvents(subject).filter((type) => type !== event);
    const without = bare.length === 0 ? '' : ` (${bare.join(', ')} ${bare.length === 1 ? 'has' : 'have'} none)`;
    const { context } = subject.original.config;
    const byStart = typeof context === 'function' && /\binput\b/.test(String(context)) ? ', or another input to starts' : '';
    return `; it reads only the context: add samples to the events that lead to one ${needs}${without}${byStart}`;
  }
  return isBrought ? `; add a sample to ${place} ${needs}` : `; it needs a context ${needs}: add samples that lead there`;
}
