/**
 * Names of the actors and timers of a machine under test, the same in every run. A name is the id in the application if there is one,
 * otherwise the source and the number among the existing ones. XState's session ids count through the program and have no meaning.
 */
import type { AnyActor, AnyMachineSnapshot } from 'xstate';
import { actorSource } from './stage.js';
import { ruleEventName } from '../charts/config.js';
import type { Timer, Timers } from './timers.js';

/** The name of an actor, `undefined` for any other object. */
export type NameOf = (value: object) => string | undefined;

export const isPlainName = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text);

/** All actors below one with their names: `item#2`, or `cart/item#2` for a child of a child. */
export function actorsBelow(root: AnyActor): ReadonlyMap<AnyActor, string> {
  const names = new Map<AnyActor, string>();
  const visit = (actor: AnyActor, path: string): void => {
    const { children }: Partial<AnyMachineSnapshot> = actor.getSnapshot() ?? {};
    const taken = new Map<string, number>();
    for (const child of Object.values(children ?? {}) as (AnyActor | undefined)[]) {
      if (!child) continue;
      const base = baseName(child);
      const turn = (taken.get(base) ?? 0) + 1;
      taken.set(base, turn);
      const name = path + (turn === 1 ? base : `${base}#${turn}`);
      names.set(child, name);
      visit(child, `${name}/`);
    }
  };
  visit(root, '');
  return names;
}

/** A moment of a steered clock in an id: another one on another path. */
const MOMENT = /(?<!\d)17(?:6[7-9]|[789]\d)\d{9}(?!\d)/g;

/** The name of an actor's source, without its number. Samples are given under this name. */
export function baseName(actor: AnyActor): string {
  // An id that XState made up: of the place of an `invoke`, or of a session.
  const isMadeUp = /^(\d+\.|x:)/.test(actor.id);
  if (!isMadeUp) return actor.id.replaceAll(MOMENT, 'time');
  return (
    actorSource(actor) ??
    (actor.id.startsWith('x:') ? 'spawned' : `invoked in ${actor.id.replace(/^\d+\.[^.]*\.?/, '') || '(root)'}`)
  );
}

/** The running timers, with names made of their actor and purpose. */
export function timersOf(timers: Timers, names: ReadonlyMap<AnyActor, string>): readonly (readonly [Timer, string])[] {
  const taken = new Map<string, number>();
  return timers.running.flatMap((timer): (readonly [Timer, string])[] => {
    if (timers.isDeadline(timer)) return [];
    const { source, target, event } = timer.scheduled ?? {};
    const owner = names.get(target!) ?? names.get(source!);
    const what = event === undefined ? 'a timer' : timerName(target!, event.type);
    const base = owner === undefined ? what : `${owner}: ${what}`;
    const turn = (taken.get(base) ?? 0) + 1;
    taken.set(base, turn);
    return [[timer, turn === 1 ? base : `${base} #${turn}`]];
  });
}

function timerName(target: AnyActor, type: string): string {
  const snapshot: Partial<AnyMachineSnapshot> = target.getSnapshot();
  const node = snapshot._nodes?.find((one) => type.startsWith('xstate.after.') && type.endsWith(`.${one.id}`));
  return node ? `${ruleEventName(node, type)} in ${node.path.join('.') || '(root)'}` : `delayed ${type}`;
}
