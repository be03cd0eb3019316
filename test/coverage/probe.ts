/**
 * A chart under observation: the same chart, whose guards tell how they were decided, and whose transitions the kernel reports.
 *
 * XState tells which transition was taken but not which guards said no on the way, so each guard is put between two that always say
 * the same and take a note; what the chart does is not changed by it.
 */
import { and, or, type AnyStateMachine } from 'xstate';
import { onTransition } from '../../network/kernel.js';
import { chartOf, configOf, rulesOf } from '../charts/config.js';
import { guardItem, itemsTaken, type Item } from './items.js';

type Noted = (item: Item) => void;

export function observed(machine: AnyStateMachine, noted: Noted): AnyStateMachine {
  const note = (item: Item, answer: boolean) => () => {
    noted(item);
    return answer;
  };
  const config = configOf(machine);
  for (const { id, choice } of rulesOf(config)) {
    if (choice.guard === undefined) continue;
    const isTrue = and([choice.guard as never, note(guardItem(id, true), true)]);
    choice.guard = or([isTrue, note(guardItem(id, false), false)]);
  }
  return chartOf(config, machine);
}

/** Tells the listener all that the kernel's transitions of these charts cover, until the returned function is called. */
export function listen(charts: ReadonlyMap<AnyStateMachine, Noted>): () => void {
  return onTransition(({ machine, source, eventType, index }) => {
    const noted = charts.get(machine);
    // The step into the first state has no transition of the config behind it.
    if (noted && index >= 0) itemsTaken(machine, source, eventType, index).forEach(noted);
  });
}
