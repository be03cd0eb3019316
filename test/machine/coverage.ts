/**
 * The coverage of a machine's paths, with a reason and a suggested sample for every uncovered item.
 *
 * The items are states, transitions, guards both ways, events, named actions, and the results and events of invoked services, of the
 * machine and of each child machine that ran. Counts of several runs add up: they are plain JSON. Uncovered items are grouped by cause:
 * items behind a transition that lacks a sample are not covered either.
 */
import type { AnyStateNode, AnyStateMachine } from 'xstate';
import { UsageError } from '../../machines/errors.js';
import { guardItem, itemCounts, itemOf, itemsTaken, kindOf, sharesOf, type Item, type Noted } from '../coverage/items.js';
import type { Cut, MachineGraph } from './graph.js';
import { whyMissing } from './hints.js';
import type { Subject } from './subject.js';
import { configOf, rulesOf, statesOf, stateName, ruleEventName, transitionName, type Rule } from '../charts/config.js';
import { nameOfAction } from './references.js';

export const machineKinds = ['state', 'transition', 'guard', 'event', 'action', 'outcome'] as const;
export type MachineKind = (typeof machineKinds)[number];

/** How often each state, transition, guard and event of each chart was covered. */
export type MachineCounts = Readonly<Record<string, Readonly<Record<Item, number>>>>;

export interface MachineMissing {
  readonly chart: string;
  readonly item: Item;
  readonly reason: string;
  /** True if the tests explain why it cannot be covered. */
  readonly isExplained: boolean;
  /** True if a complete search might cover it. */
  readonly isOpen?: boolean;
  /** Another part of the chart that is missing and that this one follows from. */
  readonly follows?: Item;
}

export interface MachineCoverage {
  readonly charts: Readonly<Record<string, Readonly<Record<MachineKind, { readonly covered: number; readonly of: number }>>>>;
  /** Seen and possible state values of the machine. With parallel regions, all combinations count. */
  readonly configurations: { readonly covered: number; readonly of: number };
  readonly missing: readonly MachineMissing[];
  /** Reasons given for what was covered. */
  readonly refuted: readonly string[];
  /** Kinds that reach the threshold given for them: what they miss is reported, and fails nothing. */
  readonly sufficient: readonly MachineKind[];
  readonly isComplete: boolean;
  /** True if a complete search might cover all missing items. */
  readonly isOpen: boolean;
}

export function countsOf(subject: Subject, graph: MachineGraph): MachineCounts {
  const counts = new Map([...subject.charts].map(([chart, items]) => [chart, new Map(items.map((item) => [item, 0]))]));
  const count = (items: Iterable<Noted>): void => {
    for (const noted of items) {
      const chart = [...counts.keys()].find((name) => noted.startsWith(`${name}: `))!;
      const of = counts.get(chart)!;
      const item = itemOf(noted, chart);
      of.set(item, (of.get(item) ?? 0) + 1);
    }
  };
  count(graph.items);
  for (const { value } of graph.vertices) count([`${subject.name}: configuration ${JSON.stringify(value)}`]);
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
      for (const [item, count] of itemCounts(items)) {
        const of = (sum[chart] ??= {});
        of[item] = (of[item] ?? 0) + count;
      }
  return sum;
}

/**
 * Throws a `UsageError` for counts of another machine with the same id, or of this one before a change of its states or transitions. The
 * sum of such counts is meaningless.
 */
export function refuseOtherCounts(machine: string, own: MachineCounts, others: readonly MachineCounts[]): void {
  const isFixed = (item: string) => /^(state|transition) /.test(item);
  for (const other of others) {
    if (!(machine in other))
      throw new UsageError(
        `The counts are of ${Object.keys(other).join(', ') || 'nothing'}, and not of ${machine}. Use a separate file for each machine.`,
      );
    for (const chart of Object.keys(own).filter((name) => name in other)) {
      const [here, there] = [own[chart]!, other[chart]!].map((items) => Object.keys(items).filter(isFixed));
      const odd = here!.find((item) => !there!.includes(item)) ?? there!.find((item) => !here!.includes(item));
      if (odd !== undefined)
        throw new UsageError(
          `The counts of ${chart} belong to another machine or to an older version: ${odd} is only in ${here!.includes(odd) ? 'the machine' : 'the counts'}. Use a unique id and a separate file for each machine, or delete the old file.`,
        );
    }
  }
}

/** @param cut why the search ended early: then a longer one may reach what is missing. */
export function coverageOfMachine(subject: Subject, counts: MachineCounts, cut: Cut | null): MachineCoverage {
  const reasons = subject.tests.reasons ?? {};
  const missing: MachineMissing[] = Object.entries(counts).flatMap(([chart, items]) => {
    const all = new Map(itemCounts(items));
    const original = subject.originals.get(chart);
    const lacking = new Set([...all].flatMap(([item, count]) => (count > 0 ? [] : [item])));
    const causes = original ? causesOf(original, lacking) : new Map<Item, Item>();
    return [...all].flatMap(([item, count]) => {
      if (count > 0) return [];
      const given = reasons[item] ?? reasons[`${chart}: ${item}`];
      const isOpen = cut !== null && !subject.unwritten.has(`${chart}: ${item}`);
      const reason =
        given ??
        (isOpen
          ? `not in the states that were searched; the search ended at limits.${cut.limit}`
          : whyMissing(subject, chart, item, all));
      const cause = causes.get(item) ?? item;
      return [
        {
          chart,
          item,
          reason,
          isExplained: given !== undefined,
          ...(isOpen && { isOpen }),
          ...(cause !== item && { follows: cause }),
        },
      ];
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
      item: `configurations ${configurations.covered} of ${configurations.of}`,
      reason: `thresholds.configuration asks for ${threshold} %`,
      isExplained: false,
      ...(cut !== null && { isOpen: true }),
    });
  const covered = Object.entries(counts).flatMap(([chart, items]) =>
    Object.entries(items).flatMap(([item, count]) => (count > 0 ? [item, `${chart}: ${item}`] : [])),
  );
  const refuted = Object.keys(reasons).filter((reason) => covered.includes(reason));
  const charts = Object.fromEntries(
    Object.entries(counts).map(([chart, items]) => [chart, sharesOf(machineKinds, itemCounts(items))]),
  );
  const sufficient = machineKinds.filter((kind) => {
    const threshold = subject.tests.thresholds?.[kind];
    return threshold !== undefined && Object.values(charts).every((of) => of[kind].covered * 100 >= threshold * of[kind].of);
  });
  const fails = ({ item, isExplained }: MachineMissing) => !isExplained && !sufficient.some((kind) => kind === kindOf(item));
  return {
    charts,
    configurations,
    missing,
    refuted,
    sufficient,
    isComplete: refuted.length === 0 && !missing.some(fails),
    isOpen: missing.filter(fails).every(({ isOpen }) => isOpen),
  };
}

/** The number of values of a state according to its shape. */
function configurationsOf({ type, states }: AnyStateNode): number {
  const inner = Object.values(states).filter((one) => one.type !== 'history');
  if (type === 'parallel') return inner.reduce((product, one) => product * configurationsOf(one), 1);
  return inner.length === 0 ? 1 : inner.reduce((sum, one) => sum + configurationsOf(one), 0);
}

/** Missing items without an explanation, one line for each cause. Items that follow from it are only counted. */
export function gapsOf({ missing }: MachineCoverage): readonly string[] {
  const open = missing.filter(({ isExplained }) => !isExplained);
  const isCause = ({ chart, follows }: MachineMissing) =>
    follows === undefined || !open.some((one) => one.chart === chart && one.item === follows);
  return open.filter(isCause).map(({ chart, item, reason }) => {
    const more = open.filter((one) => one.chart === chart && one.follows === item).length;
    return `${chart}: ${item} (${reason})${more === 0 ? '' : `, and ${more} more that ${more === 1 ? 'follows' : 'follow'} from it`}`;
  });
}

/** A missing part and what it follows from; a part that is the cause itself is left out. */
type Causes = ReadonlyMap<Item, Item>;

/** For each missing item: its first cause, or the item itself. */
function causesOf(machine: AnyStateMachine, missing: ReadonlySet<Item>): Causes {
  const before = directCauses(machine, missing);
  const causes = new Map<Item, Item>();
  for (const item of missing) {
    const seen = new Set([item]);
    let cause = item;
    for (let next; (next = before(cause).find((one) => !seen.has(one)));) seen.add((cause = next));
    causes.set(item, cause);
  }
  return causes;
}

function directCauses(machine: AnyStateMachine, missing: ReadonlySet<Item>): (item: Item) => readonly Item[] {
  const config = configOf(machine);
  const rules = new Map([...rulesOf(config)].map((rule) => [rule.id, rule]));
  const entering = transitionsInto(machine);
  const states = [...statesOf(config)];
  const isMissing = (item: Item) => missing.has(item);
  const ofRule = ({ id, state, event }: Rule): readonly Item[] => {
    const items: Item[] = [`state ${state}`, `event ${event}`, guardItem(id, true)];
    return items.filter(isMissing);
  };
  const into = (state: string): readonly Item[] => (entering.get(state) ?? []).filter(isMissing);
  const performing = (name: string): readonly Item[] => [
    ...[...rules.values()]
      .filter(({ choice }) => choice.actions?.some((action) => nameOfAction(action) === name))
      .map(({ id }): Item => `transition ${id}`),
    ...states
      .filter(([, { entry = [], exit = [] }]) => [...entry, ...exit].some((action) => nameOfAction(action) === name))
      .map(([state]): Item => `state ${state}`),
  ];
  return (item) => {
    const [, kind, name] = /^(\w+) (.*)$/s.exec(item)!;
    if (kind === 'state') return into(name!);
    if (kind === 'transition') return rules.has(name!) ? ofRule(rules.get(name!)!) : [];
    if (kind === 'guard') {
      const rule = rules.get(name!.replace(/ is (true|false)$/, ''));
      return rule ? ofRule(rule).filter((one) => !one.startsWith('guard ')) : [];
    }
    if (kind === 'event') {
      const sources = [...rules.values()].filter(({ event }) => event === name).map(({ state }): Item => `state ${state}`);
      return sources.every(isMissing) ? sources : [];
    }
    if (kind === 'action') return performing(name!).filter(isMissing);
    const invoking = states.filter(([, { invoke }]) => invoke?.some(({ id, src }) => name!.startsWith(`${id ?? String(src)} `)));
    return invoking.map(([state]): Item => `state ${state}`).filter(isMissing);
  };
}

function transitionsInto(machine: AnyStateMachine): ReadonlyMap<string, readonly Item[]> {
  const into = new Map<string, Item[]>();
  const visit = (node: AnyStateMachine['root']): void => {
    const always = (node.always ?? []).map((one, index) => ['', one, index] as const);
    const all = [...node.transitions].flatMap(([type, list]) => list.map((one, index) => [type, one, index] as const));
    for (const [type, , index] of [...all, ...always]) {
      const item: Item = `transition ${transitionName(stateName(node.path), ruleEventName(node, type), index)}`;
      for (const entered of itemsTaken(machine, node.id, type, index))
        if (entered.startsWith('state ') && entered !== `state ${stateName(node.path)}`)
          into.set(entered.slice('state '.length), [...(into.get(entered.slice('state '.length)) ?? []), item]);
    }
    for (const inner of Object.values(node.states)) visit(inner);
  };
  visit(machine.root);
  return into;
}
