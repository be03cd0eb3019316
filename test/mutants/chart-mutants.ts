/** The mutants of one chart: the chart with one small edit each, a mistake that someone could have made in writing it. */
import { type AnyStateMachine, not, type AnyStateNode } from 'xstate';
import {
  chartOf,
  configOf,
  ruleEventName,
  rulesOf,
  statesOf,
  type ChartConfig,
  type TransitionChoice,
  type Rule,
  type StateConfig,
} from '../charts/config.js';
import { diff, linesOf } from './render.js';
import { fieldsOf } from '../../machines/checks.js';

/**
 * A chart with one mistake in it, what was changed where, and the change as lines of a diff.
 *
 * @public
 */
export interface Mutant {
  readonly chart: string;
  readonly operator: Operator;
  readonly place: string;
  /** The transition whose two actions were swapped. */
  readonly swapped?: string;
  /** The reason why it is equivalent, if the chart itself shows it. */
  readonly idle?: string;
  readonly machine: AnyStateMachine;
  readonly diff: readonly string[];
}

/** A mutant may go round in circles within one step; no chart of sense takes as many microsteps. */
const MICROSTEPS_MAX = 1000;

export function mutantsOfChart(chart: string, machine: AnyStateMachine): readonly Mutant[] {
  const original = configOf(machine);
  const before = linesOf(original);
  return editsOf(machine, original).map(({ operator, place, swapped, idle, apply }) => {
    const config = configOf(machine);
    apply(config);
    const edited = chartOf({ ...config, options: { maxIterations: MICROSTEPS_MAX } }, machine);
    return {
      chart,
      operator,
      place,
      ...(swapped !== undefined && { swapped }),
      ...(idle !== undefined && { idle }),
      machine: edited,
      diff: diff(before, linesOf(config)),
    };
  });
}

/** The reason why a survivor with swapped actions is equivalent: both orders had the same result in every step. */
export const commuting = (steps: number): string | undefined =>
  steps === 0 ? undefined : `both orders do the same in every step that performs them (${steps})`;

export const nameOf = ({ operator, place }: Mutant): string => `${operator} ${place}`;

/** The edits that make mutants of a chart: each is a small mistake that someone could have made in writing it. */
const operators = [
  'drop transition',
  'retarget',
  'negate guard',
  'drop guard',
  'drop action',
  'swap actions',
  'reorder choices',
] as const;
type Operator = (typeof operators)[number];

interface Edit {
  readonly operator: Operator;
  /** The place in the chart, and the variant if there are several. */
  readonly place: string;
  /** The transition whose two actions are swapped. */
  readonly swapped?: string;
  /** The reason why the chart does the same with it, if the chart itself shows it. */
  readonly idle?: string;
  apply(config: ChartConfig): void;
}

function editsOf(machine: AnyStateMachine, config: ChartConfig): readonly Edit[] {
  const rules = [...rulesOf(config)].flatMap((rule, i) => [...editsOfRule(rule, i, machine)]);
  const states = [...statesOf(config)].flatMap(([name, state], i) => [...editsOfState(name, state, i)]);
  return [...rules, ...states];
}

function* editsOfRule({ id, index, choice, ...at }: Rule, i: number, machine: AnyStateMachine): Generator<Edit> {
  const edit = (operator: Operator, change: (rule: Rule) => void, how = ''): Edit => ({
    operator,
    place: how === '' ? id : `${id}, ${how}`,
    apply: (config) => change([...rulesOf(config)][i]!),
  });
  const stays = staysWhereItIs(at, index, choice, machine);
  const isIdle = stays && (choice.actions ?? []).length === 0 && at.choices.length === 1 && isAlone(at, machine);
  yield { ...edit('drop transition', (rule) => void rule.choices.splice(index, 1)), ...(isIdle && { idle: IDLE }) };
  // A route has no target to change: it leads to its state.
  for (const { name, target } of choice.target === undefined ? [] : otherTargets(at, index, machine)) {
    yield edit('retarget', (rule) => setTarget(rule.choice, target), `to ${name}`);
  }
  if (choice.target !== undefined)
    yield { ...edit('retarget', (rule) => setTarget(rule.choice, undefined), 'to stay'), ...(stays && { idle: STAYS }) };
  if (choice.guard !== undefined) {
    yield edit('negate guard', (rule) => void (rule.choice.guard = not(rule.choice.guard as never)));
    yield edit('drop guard', (rule) => void delete rule.choice.guard);
  }
  for (const [n] of (choice.actions ?? []).entries()) {
    yield edit('drop action', (rule) => void rule.choice.actions!.splice(n, 1), `action ${n + 1}`);
    if (n > 0 && !isUnseen(choice.actions!, n, machine))
      yield { ...edit('swap actions', (rule) => swap(rule.choice.actions!, n), `actions ${n} and ${n + 1}`), swapped: id };
  }
  if (index > 0) yield edit('reorder choices', (rule) => swap(rule.choices, index), `before #${index}`);
}

function* editsOfState(name: string, { entry, exit }: StateConfig, i: number): Generator<Edit> {
  for (const [moment, actions] of Object.entries({ entry, exit })) {
    for (const [n] of (actions ?? []).entries()) {
      yield {
        operator: 'drop action',
        place: `${name} ${moment}, action ${n + 1}`,
        apply: (config) => void [...statesOf(config)][i]![1][moment as 'entry' | 'exit']!.splice(n, 1),
      };
    }
  }
}

const STAYS = 'a state with nothing inside that leads to itself is neither left nor entered, with the target or without it';
const IDLE = `${STAYS}; nothing is done on the way, and no other state takes the event`;

type Place = Pick<Rule, 'state' | 'event'>;

const nodeOf = ({ state }: Place, machine: AnyStateMachine): AnyStateNode =>
  state.startsWith('(') ? machine.root : state.split('.').reduce((at, key) => at.states[key]!, machine.root);

function targetOf(place: Place, index: number, machine: AnyStateMachine): AnyStateNode | undefined {
  const node = nodeOf(place, machine);
  const [, definitions] =
    [['', node.always] as const, ...node.transitions].find(([type]) => ruleEventName(node, type) === place.event) ?? [];
  return definitions?.[index]?.target?.[0];
}

/** True if a transition leads from a state without inner states to itself, without entering it again. */
function staysWhereItIs(place: Place, index: number, { target, reenter }: TransitionChoice, machine: AnyStateMachine): boolean {
  const node = nodeOf(place, machine);
  if (target === undefined || reenter || Object.keys(node.states).length > 0) return false;
  return !(Array.isArray(target) && target.length > 1) && targetOf(place, index, machine) === node;
}

/** True if neither the state nor one around it has another transition for the event. */
function isAlone(place: Place, machine: AnyStateMachine): boolean {
  const node = nodeOf(place, machine);
  for (let at: AnyStateNode | undefined = node; at; at = at.parent)
    for (const type of at.transitions.keys())
      if (type.includes('*') || (at !== node && ruleEventName(at, type) === place.event)) return false;
  return true;
}

/** The brothers of the state that a transition leads to. */
function otherTargets(place: Place, index: number, machine: AnyStateMachine) {
  const target = targetOf(place, index, machine);
  const brothers = Object.values(target?.parent?.states ?? {}).filter((brother) => brother !== target);
  return brothers.map(({ id, path }) => ({ name: path.join('.'), target: `#${id}` }));
}

function setTarget(choice: TransitionChoice, target: string | undefined): void {
  if (target === undefined) delete choice.target;
  else choice.target = target;
}

function swap(list: unknown[], n: number): void {
  [list[n - 1], list[n]] = [list[n], list[n - 1]];
}

/** An effect and a notification may change places unseen: hosts perform what is emitted after all effects of the step. */
function isUnseen(actions: readonly unknown[], n: number, machine: AnyStateMachine): boolean {
  const kinds = [actions[n - 1], actions[n]].map((action) => {
    const name = typeof action === 'object' ? (action as { readonly type: string }).type : action;
    const implementation = typeof name === 'string' ? machine.implementations.actions[name] : name;
    const builtin = fieldsOf(implementation)['type'];
    if (builtin === 'xstate.emit') return 'emit';
    return typeof action === 'object' && builtin === undefined ? 'effect' : 'other';
  });
  return kinds.includes('emit') && kinds.includes('effect');
}
