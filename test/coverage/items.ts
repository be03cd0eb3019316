/**
 * The items of a chart that tests can cover: its states, transitions, guards both ways, and the events with transitions. Types of sent and
 * received messages are items, too, but only runs show them.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import {
  configOf,
  ruleEventName,
  isExternalEvent,
  nameOfTaken,
  rulesOf,
  stateName,
  statesOf,
  type Rule,
} from '../charts/config.js';
import { entriesOf, recordBy } from '../../machines/checks.js';

export const coverageKinds = ['state', 'transition', 'guard', 'event', 'sent', 'received'] as const;
export type CoverageKind = (typeof coverageKinds)[number];

/** The kinds of items that only machines have. */
type MachineOnly = 'action' | 'outcome' | 'configuration' | 'configurations';

/** One thing to cover, as `kind name`: `state idle`, `transition idle: find #2`, `guard idle: find #2 is false`, `event find`, `sent token`. */
export type Item = `${CoverageKind | MachineOnly} ${string}`;

/** A covered item, with the name of its chart. */
export type Noted = `${string}: ${Item}`;

/** The item without the name of its chart. */
export const itemOf = (noted: Noted, chart: string): Item => noted.slice(chart.length + 2) as Item;

/** The entries of a record whose keys are items. */
export const itemCounts = (items: Readonly<Record<Item, number>>): [Item, number][] => entriesOf(items);

export const kindOf = (item: string): string => item.slice(0, item.indexOf(' '));

/** The shares of covered items, for each of these kinds. */
export function sharesOf<K extends string>(kinds: readonly K[], items: Iterable<readonly [Item, number]>) {
  const all = [...items];
  const share = (kind: K) => {
    const counts = all.flatMap(([item, count]) => (kindOf(item) === kind ? [count] : []));
    return { covered: counts.filter((count) => count > 0).length, of: counts.length };
  };
  return recordBy(kinds, share);
}

/** True for kinds of items whose total number is known only from runs. */
export const isOpen = (item: Item): boolean => kindOf(item) === 'sent' || kindOf(item) === 'received';

export const guardItem = (transition: string, outcome: boolean): Item => `guard ${transition} is ${outcome}`;

export function itemsOf(machine: AnyStateMachine): readonly Item[] {
  const config = configOf(machine);
  const rules = [...rulesOf(config)];
  const states = [...statesOf(config)].slice(1).map(([name]): Item => `state ${name}`);
  const guarded = rules.filter(({ choice }) => choice.guard !== undefined);
  const events = new Set(rules.filter(({ isOutside }) => isOutside).map(({ event }) => event));
  return [
    ...states,
    ...rules.map(({ id }): Item => `transition ${id}`),
    ...guarded.flatMap((rule) => [guardItem(rule.id, true), ...(isDecided(rule, machine) ? [] : [guardItem(rule.id, false)])]),
    ...[...events].map((event): Item => `event ${event}`),
  ];
}

/** True for the guard of a route that reads only the target of the event: XState evaluates it for one target, so it has one result. */
function isDecided({ route, choice: { guard } }: Rule, { implementations }: AnyStateMachine): boolean {
  if (route === undefined) return false;
  const does = typeof guard === 'string' ? implementations.guards[guard] : guard;
  const body = typeof does === 'function' ? /^\(\{\s*event\s*\}\)(.*)$/s.exec(String(does))?.[1] : undefined;
  return body !== undefined && !/\bevent\b(?!\.to\b)/.test(body);
}

/** Items of each transition, cached: a search takes each of them many times. */
const asked = new WeakMap<AnyStateMachine, Map<string, readonly Item[]>>();

/** The items of a taken transition: itself, its event, the states that it leaves and those that it enters. */
export function itemsTaken(machine: AnyStateMachine, source: string, eventType: string, index: number): readonly Item[] {
  const ofMachine = asked.get(machine) ?? new Map<string, readonly Item[]>();
  asked.set(machine, ofMachine);
  const key = JSON.stringify([source, eventType, index]);
  const items = ofMachine.get(key) ?? itemsOfTransition(machine.getStateNodeById(source), eventType, index);
  ofMachine.set(key, items);
  return items;
}

function itemsOfTransition(node: AnyStateNode, eventType: string, index: number): readonly Item[] {
  const event = ruleEventName(node, eventType);
  const choices = (eventType === '' ? node.always : node.transitions.get(eventType)) ?? [];
  const entered = (choices[index]?.target ?? []).flatMap(initialStates);
  return [
    `transition ${nameOfTaken(node, eventType, index)}`,
    ...(event === eventType && isExternalEvent(event) ? [`event ${event}` as const] : []),
    ...statesAround([node, ...entered]),
  ];
}

/** The states that are active when the chart starts. */
export const itemsAtStart = (machine: AnyStateMachine): readonly Item[] => statesAround(initialStates(machine.root));

/** A state and its initial inner states. */
function initialStates(node: AnyStateNode): AnyStateNode[] {
  if (node.type === 'parallel') return [node, ...Object.values(node.states).flatMap(initialStates)];
  return [node, ...(node.initial?.target ?? []).flatMap(initialStates)];
}

function statesAround(nodes: readonly AnyStateNode[]): Item[] {
  const names = new Set<Item>();
  for (const { path } of nodes) {
    for (let depth = 1; depth <= path.length; depth++) names.add(`state ${stateName(path.slice(0, depth))}`);
  }
  return [...names];
}
