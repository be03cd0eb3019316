/** Prints a chart with one line for each state and transition, so that two charts can be compared. */
import { rulesOf, statesOf, type TransitionChoice, type StateConfig } from '../charts/config.js';
import { fieldsOf } from '../../machines/checks.js';

export function linesOf(config: StateConfig): string[] {
  const rules = [...rulesOf(config)];
  return [...statesOf(config)].flatMap(([name, { initial, entry, exit }]) => [
    [
      name,
      ...(initial === undefined ? [] : [`begins in ${initial}`]),
      ...(entry ? [`on entry ${namesOf(entry)}`] : []),
      ...(exit ? [`on exit ${namesOf(exit)}`] : []),
    ].join(', '),
    ...rules.filter(({ state }) => state === name).map(({ event, choice }) => `  ${event}${describeChoice(choice)}`),
  ]);
}

/** The lines in which two charts differ, as a diff. Equal lines around them are left out, except for the state that contains them. */
export function diff(before: readonly string[], after: readonly string[]): string[] {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const state = before.slice(0, start + 1).findLast((line) => !line.startsWith(' ')) ?? '';
  const removed = before.slice(start, before.length - end).map((line) => `- ${line}`);
  const added = after.slice(start, after.length - end).map((line) => `+ ${line}`);
  return [...(before[start] === state ? [] : [`  ${state}`]), ...removed, ...added];
}

export function describeChoice({ guard, target, actions }: TransitionChoice): string {
  const targets = target === undefined ? [] : [target].flat();
  return [
    guard === undefined ? '' : ` [${guardName(guard)}]`,
    targets.length === 0 ? '' : ` → ${targets.join(', ')}`,
    actions && actions.length > 0 ? ` / ${namesOf(actions)}` : '',
  ].join('');
}

const namesOf = (actions: readonly unknown[]): string => actions.map(actionName).join(', ');

function actionName(action: unknown): string {
  if (typeof action === 'string') return action;
  const { type, name, params } = fieldsOf(action);
  if (typeof action === 'function') return String(name || type || 'a function');
  return `${String(type)}(${String(fieldsOf(params)['name'] ?? '')})`;
}

/** A guard in a sentence: an inline one has only the name of its key. */
export function describeGuard(guard: unknown): string {
  const name = guardName(guard);
  return name === 'guard' ? 'the guard' : `guard ${name}`;
}

export function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  const { type, name, guards } = fieldsOf(guard);
  if (Array.isArray(guards)) return `${String(name)} ${guards.map(guardName).join(' ')}`;
  return String(name || type || 'a function');
}
