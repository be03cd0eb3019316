/**
 * What the paths of a machine cover, and everything that they do not by name, with the reason and the sample that it would take.
 *
 * Counted are states, transitions, guards both ways, events, named actions, and what invoked services come to and send, of the machine and of each
 * child machine that ran. Counts of several runs add up: they are plain JSON.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import { rulesOf, configOf, type Rule } from '../charts/config.js';
import { kindOf, type Item } from '../coverage/items.js';
import { findReason } from '../coverage/report.js';
import { guardName } from '../mutants/render.js';
import type { MachineGraph } from './graph.js';
import type { Noted } from './rig.js';
import type { Subject } from './subject.js';

export const machineKinds = ['state', 'transition', 'guard', 'event', 'action', 'outcome'] as const;
export type MachineKind = (typeof machineKinds)[number];

/** How often each thing there is was covered, by chart. */
export type MachineCounts = Readonly<Record<string, Readonly<Record<Item, number>>>>;

export interface MachineMissing {
  readonly chart: string;
  readonly item: Item;
  readonly reason: string;
  /** Whether the tests themselves say that it cannot be covered. */
  readonly isExplained: boolean;
}

export interface MachineCoverage {
  readonly charts: Readonly<Record<string, Readonly<Record<MachineKind, { readonly covered: number; readonly of: number }>>>>;
  /** State values of the machine that were seen, of those that its chart could have: with parallel regions, their combinations. */
  readonly configurations: { readonly covered: number; readonly of: number };
  readonly missing: readonly MachineMissing[];
  /** Reasons given for what was covered. */
  readonly refuted: readonly string[];
  /** Kinds that reach the threshold given for them: what they miss is reported, and fails nothing. */
  readonly sufficient: readonly MachineKind[];
  readonly isComplete: boolean;
}

export function countsOf(subject: Subject, graph: MachineGraph): MachineCounts {
  const counts = new Map([...subject.charts].map(([chart, items]) => [chart, new Map(items.map((item) => [item, 0]))]));
  const count = (items: ReadonlySet<unknown>): void => {
    for (const noted of items as ReadonlySet<Noted>) {
      const chart = [...counts.keys()].find((name) => noted.startsWith(`${name}: `))!;
      const item = noted.slice(chart.length + 2) as Item;
      const of = counts.get(chart)!;
      of.set(item, (of.get(item) ?? 0) + 1);
    }
  };
  count(graph.items);
  for (const { value } of graph.vertices) count(new Set([`${subject.name}: configuration ${JSON.stringify(value)}`]));
  for (const { edges } of graph.vertices) for (const { items } of edges?.values() ?? []) count(items);
  return Object.fromEntries([...counts].map(([chart, items]) => [chart, Object.fromEntries(items)]));
}

/**
 * The sum of several runs' counts.
 *
 * @public
 */
export function mergeCounts(...all: readonly MachineCounts[]): MachineCounts {
  const sum: Record<string, Record<Item, number>> = {};
  for (const counts of all)
    for (const [chart, items] of Object.entries(counts))
      for (const [item, count] of Object.entries(items) as [Item, number][]) {
        const of = (sum[chart] ??= {});
        of[item] = (of[item] ?? 0) + count;
      }
  return sum;
}

/**
 * Throws a `UsageError` for counts of another machine under the same id, or of this one before its states or transitions were changed: their
 * sum would say nothing.
 */
export function refuseOtherCounts(machine: string, own: MachineCounts, others: readonly MachineCounts[]): void {
  const isFixed = (item: string) => /^(state|transition) /.test(item);
  for (const other of others) {
    if (!(machine in other))
      throw new UsageError(
        `counts that are given are of ${Object.keys(other).join(', ') || 'nothing'}, and not of ${machine}; give each machine a file of its own`,
      );
    for (const chart of Object.keys(own).filter((name) => name in other)) {
      const [here, there] = [own[chart]!, other[chart]!].map((items) => Object.keys(items).filter(isFixed));
      const odd = here!.find((item) => !there!.includes(item)) ?? there!.find((item) => !here!.includes(item));
      if (odd !== undefined)
        throw new UsageError(
          `counts of ${chart} that are given are of another machine, or of an older one: ${odd} is only in ${here!.includes(odd) ? 'this one' : 'theirs'}. Give each machine an id and a file of its own, or begin the file anew`,
        );
    }
  }
}

export function coverageOfMachine(subject: Subject, counts: MachineCounts): MachineCoverage {
  const reasons = subject.tests.reasons ?? {};
  const missing = Object.entries(counts).flatMap(([chart, items]) => {
    const all = new Map(Object.entries(items) as [Item, number][]);
    return [...all].flatMap(([item, count]) => {
      if (count > 0) return [];
      const given = reasons[item] ?? reasons[`${chart}: ${item}`];
      const reason =
        given ??
        (subject.unwritten.has(`${chart}: ${item}` as Noted)
          ? unwritten(item)
          : `${whyNot(item, all)}${cureFor(subject, chart, item)}`);
      return [{ chart, item, reason, isExplained: given !== undefined }];
    });
  });
  const configurations = {
    covered: Object.entries(counts[subject.name]!).filter(([item, count]) => item.startsWith('configuration ') && count > 0)
      .length,
    of: configurationsOf(subject.original.root),
  };
  const threshold = subject.tests.thresholds?.configuration ?? 0;
  if (configurations.covered * 100 < threshold * configurations.of)
    missing.push({
      chart: subject.name,
      item: `configurations ${configurations.covered} of ${configurations.of}` as Item,
      reason: `thresholds.configuration asks for ${threshold} %`,
      isExplained: false,
    });
  const covered = Object.entries(counts).flatMap(([chart, items]) =>
    Object.entries(items).flatMap(([item, count]) => (count > 0 ? [item, `${chart}: ${item}`] : [])),
  );
  const refuted = Object.keys(reasons).filter((reason) => covered.includes(reason));
  const charts = Object.fromEntries(Object.entries(counts).map(([chart, items]) => [chart, shares(items)]));
  const sufficient = machineKinds.filter((kind) => {
    const threshold = subject.tests.thresholds?.[kind];
    return threshold !== undefined && Object.values(charts).every((of) => of[kind].covered * 100 >= threshold * of[kind].of);
  });
  const fails = ({ item, isExplained }: MachineMissing) => !isExplained && !sufficient.includes(kindOf(item) as MachineKind);
  return {
    charts,
    configurations,
    missing,
    refuted,
    sufficient,
    isComplete: refuted.length === 0 && !missing.some(fails),
  };
}

/** How many values a state can have, as far as its shape tells. */
function configurationsOf({ type, states }: AnyStateNode): number {
  const inner = Object.values(states).filter((one) => one.type !== 'history');
  if (type === 'parallel') return inner.reduce((product, one) => product * configurationsOf(one), 1);
  return inner.length === 0 ? 1 : inner.reduce((sum, one) => sum + configurationsOf(one), 0);
}

function shares(items: Readonly<Record<Item, number>>) {
  const share = (kind: MachineKind) => {
    const all = (Object.entries(items) as [Item, number][]).filter(([item]) => (kindOf(item) as string) === kind);
    return { covered: all.filter(([, count]) => count > 0).length, of: all.length };
  };
  return Object.fromEntries(machineKinds.map((kind) => [kind, share(kind)])) as Record<MachineKind, ReturnType<typeof share>>;
}

function whyNot(item: Item, counts: ReadonlyMap<Item, number>): string {
  const kind = kindOf(item) as string;
  if (kind === 'action') return 'no transition that performs it was taken';
  if (kind === 'outcome') return 'the service never came to it, or its samples leave it out';
  return findReason(item, counts);
}

const unwritten = (item: Item): string =>
  `it has no implementation, and XState performs nothing in its place; give one by provide: { actions: { ${item.slice('action '.length)}: () => {} } }, or say in reasons why not`;

/** Which sample it would need, and where to give it. */
function cureFor(subject: Subject, chart: string, item: Item): string {
  const [, kind, name, outcome] = /^(guard|transition|event) (.*?)(?: is (true|false))?$/s.exec(item) ?? [];
  if (kind === undefined) return '';
  const rule = [...rulesOf(configOf(subject.original))].find(({ id }) => id === name);
  const type = kind === 'event' ? name! : name!.replace(/^.*?: /s, '').replace(/ #\d+$/, '');
  if (chart !== subject.name)
    return `; the world sends a child machine what children name: give children.${chart}.${type} a sample if it does`;
  if (subject.within.has(type))
    return `; the chart, its children or its services send ${type} themselves: give events.${type} a sample, {} for a bare one, if the world does, too`;
  return rule ? cureForRule(subject, rule, kind, outcome) : '';
}

/** What the world sends, and has no samples. */
const bareEvents = ({ original, tests, within }: Subject): string[] =>
  original.events.filter((type) => !(type in (tests.events ?? {})) && !within.has(type));

/** As far as its text tells: it takes the context out of what it is given, and nothing else. */
function looksAtContextAlone(original: AnyStateMachine, guard: unknown): boolean {
  const name = isObject(guard) ? guard['type'] : guard;
  const does = typeof name === 'string' ? original.implementations.guards[name] : name;
  if (typeof does !== 'function') return false;
  const joined: unknown = Reflect.get(does, 'guards');
  if (Array.isArray(joined)) return joined.every((one) => looksAtContextAlone(original, one));
  return /^(function\b[^(]*)?\(\s*\{\s*context\b[^.,}]*,?\s*\}/.test(Function.prototype.toString.call(does));
}

const FROM_SERVICE = { done: 'done', error: 'fails', snapshot: 'next' } as const;

function cureForRule(subject: Subject, { event, isOutside, choice }: Rule, kind: string, outcome: string | undefined): string {
  const [, source, what] = /^(.*) (done|error|snapshot)$/.exec(event) ?? [];
  const place = source === undefined ? `events.${event}` : `services.${source}.${FROM_SERVICE[what as 'done']}`;
  const isBrought = isOutside || source !== undefined;
  if (kind === 'transition')
    return source === undefined ? '' : `; give ${place} a sample, or let a child machine end: children.${source}`;
  const needs = `for which ${guardName(choice.guard)} is ${outcome}`;
  if (isBrought && looksAtContextAlone(subject.original, choice.guard)) {
    const bare = bareEvents(subject).filter((type) => type !== event);
    const without = bare.length === 0 ? '' : ` (${bare.join(', ')} ${bare.length === 1 ? 'has' : 'have'} none)`;
    return `; it looks at the context alone: give samples to the events that lead to one ${needs}${without}`;
  }
  return isBrought ? `; give ${place} a sample ${needs}` : `; it takes a context ${needs}: give the samples that lead there`;
}
