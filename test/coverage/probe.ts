/**
 * A chart under observation: the same chart, with guards that report their results, sends that report their types, and transitions that the
 * kernel reports.
 *
 * XState reports the transition taken, but not the guards that refused before. Each guard is therefore combined with two constant guards
 * that record it. The behavior of the chart does not change.
 */
import { and, or, type AnyStateMachine } from 'xstate';
import type { Send } from '../../machines/effects.js';
import { onTransition } from '../../network/world/kernel.js';
import { chartOf, configOf, rulesOf, statesOf, type StateConfig } from '../charts/config.js';
import { guardItem, itemsTaken, type Item } from './items.js';

type Noted = (item: Item) => void;

export function observed(machine: AnyStateMachine, noted: Noted): AnyStateMachine {
  const config = configOf(machine);
  observeGuards(config, noted);
  for (const { choice } of rulesOf(config))
    if (choice.actions) choice.actions = choice.actions.map((action) => observedSend(action, noted));
  for (const [, state] of statesOf(config)) {
    if (state.entry) state.entry = state.entry.map((action) => observedSend(action, noted));
    if (state.exit) state.exit = state.exit.map((action) => observedSend(action, noted));
  }
  return chartOf(config, machine);
}

/** Changes the guards of a config so that each reports whether it was true or false. */
export function observeGuards(config: StateConfig, noted: Noted): void {
  const note = (item: Item, answer: boolean) => () => {
    noted(item);
    return answer;
  };
  for (const { id, choice } of rulesOf(config)) {
    if (choice.guard === undefined) continue;
    const isTrue = and([choice.guard as never, note(guardItem(id, true), true)]);
    choice.guard = or([isTrue, note(guardItem(id, false), false)]);
  }
}

interface SendAction {
  readonly type: 'send';
  readonly params: (args: unknown) => Send;
}

const isSend = (action: unknown): action is SendAction =>
  typeof action === 'object' && action !== null && 'type' in action && action.type === 'send';

/** Makes a send report the type of its message, if it has a target. */
function observedSend(action: unknown, noted: Noted): unknown {
  if (!isSend(action)) return action;
  const params: SendAction['params'] = (args) => {
    const sent = action.params(args);
    if (!Array.isArray(sent.to) || sent.to.length > 0) noted(`sent ${sent.message.type}`);
    return sent;
  };
  return { ...action, params };
}

/** Reports the items that the kernel's transitions of these charts cover, until the returned function is called. */
export function listen(charts: ReadonlyMap<AnyStateMachine, Noted>): () => void {
  return onTransition(({ machine, source, eventType, index, event }) => {
    const noted = charts.get(machine);
    // The step into the first state has no transition of the config behind it.
    if (!noted || index < 0) return;
    itemsTaken(machine, source, eventType, index).forEach(noted);
    if ('from' in event && eventType !== '') noted(`received ${event.type}`);
  });
}
