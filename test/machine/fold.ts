/** Groups the parts of a machine that tests did not cover by cause: the parts behind a transition that lacks a sample are missing too. */
import type { AnyStateMachine } from 'xstate';
import { configOf, rulesOf, statesOf, stateName, ruleEventName, transitionName, type Rule } from '../charts/config.js';
import { guardItem, itemsTaken, type Item } from '../coverage/items.js';
import { nameOfAction } from './references.js';

/** A missing part and what it follows from; a part that is the cause itself is left out. */
export type Causes = ReadonlyMap<Item, Item>;

/** For each missing item: its first cause, or the item itself. */
export function causesOf(machine: AnyStateMachine, missing: ReadonlySet<Item>): Causes {
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

/** The transitions that enter each state. */
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
