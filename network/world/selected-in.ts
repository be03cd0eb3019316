/**
 * The transitions that a microstep took and the guards that were false, as XState reports them.
 *
 * XState reports the selected transitions. The refused ones follow from them without evaluating guards again: of the choices for
 * the event, in XState's order (each active state from the inside out), those before the selected one were false. If transitions
 * of parallel regions would exit the same states, XState selects all of them and takes some; the same rule is applied here.
 */
import type { AnyMachineSnapshot, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type { Message } from '../../machines/effects.js';
import { answers, type Microstep, type Selected, type TransitionId } from './selections.js';
import { activeNodes } from './internals.js';
import { choicesOf, indexOf } from './kernel.js';

/** The selections of one microstep of a chart; `before` is the previous snapshot. */
export function selectedIn(
  { event, _transitions: selected }: Microstep,
  role: string,
  before: AnyMachineSnapshot | null,
): Selected {
  // The step into a first state is not a transition of the config.
  if (selected.some((transition) => indexOf(transition) < 0)) return { taken: [], refused: [] };
  const named = (transition: AnyTransitionDefinition): TransitionId => [
    role,
    transition.source.path.join('.'),
    transition.eventType,
    indexOf(transition),
  ];
  // At its start nothing is known of a chart but the states that it left already.
  const active = before ? activeNodes(before) : selected.map(({ source }) => source);
  return { taken: withoutConflicts(selected, before).map(named), refused: refusedBefore(selected, active, event).map(named) };
}

const isInside = (node: AnyStateNode, around: AnyStateNode | undefined): boolean => {
  for (let outer = node.parent; outer; outer = outer.parent) if (outer === around) return true;
  return false;
};

/** The guarded choices that were evaluated and false. */
function refusedBefore(
  selected: readonly AnyTransitionDefinition[],
  active: readonly AnyStateNode[],
  event: Message,
): AnyTransitionDefinition[] {
  const isEventless = selected[0]?.eventType === '';
  const asked = new Set<AnyStateNode>();
  const refused: AnyTransitionDefinition[] = [];
  for (const leaf of active.filter(({ states }) => Object.keys(states).length === 0)) {
    for (let node: AnyStateNode | undefined = leaf; node && !asked.has(node); node = node.parent) {
      const at = node;
      if (selected.some(({ source }) => isInside(source, at))) break;
      asked.add(node);
      const choices = isEventless ? choicesOf(node, '') : candidates(node, event.type);
      const chosen = choices.findIndex((choice) => selected.includes(choice));
      const before = chosen < 0 ? choices : choices.slice(0, chosen);
      refused.push(...before.filter(({ guard }) => guard !== undefined));
      if (chosen >= 0) break;
    }
  }
  return refused;
}

/** In the order in which XState asks them: those for the very type first, then the longer descriptors. */
function candidates({ transitions }: AnyStateNode, type: string): readonly AnyTransitionDefinition[] {
  const fitting = [...transitions.keys()].filter((descriptor) => answers(descriptor, type));
  const order = (descriptor: string) => (descriptor === type ? Infinity : descriptor.length);
  return fitting.sort((a, b) => order(b) - order(a)).flatMap((descriptor) => transitions.get(descriptor)!);
}

/** Among selected transitions that would exit the same states, keeps the innermost one, or else the earlier one. */
function withoutConflicts(
  selected: readonly AnyTransitionDefinition[],
  before: AnyMachineSnapshot | null,
): readonly AnyTransitionDefinition[] {
  if (selected.length < 2 || !before) return selected;
  const exits = new Map(selected.map((transition) => [transition, exitedBy(transition, before)]));
  let taken: AnyTransitionDefinition[] = [];
  for (const transition of selected) {
    const rivals = taken.filter((other) => exits.get(other)!.some((node) => exits.get(transition)!.includes(node)));
    if (rivals.some(({ source }) => !isInside(transition.source, source))) continue;
    taken = [...taken.filter((other) => !rivals.includes(other)), transition];
  }
  return taken;
}

function exitedBy({ source, target, reenter }: AnyTransitionDefinition, before: AnyMachineSnapshot): readonly AnyStateNode[] {
  if (!target?.length) return [];
  const history: Readonly<Record<string, readonly AnyStateNode[]>> = before.historyValue;
  const targets = target.flatMap((node) => (node.type === 'history' ? (history[node.id] ?? [node]) : [node]));
  const staysInside = !reenter && targets.every((node) => node === source || isInside(node, source));
  let domain: AnyStateNode | undefined = source;
  if (!staysInside) {
    domain = source.parent;
    while (domain && !targets.every((node) => isInside(node, domain))) domain = domain.parent;
    domain ??= reenter ? undefined : source.machine.root;
  }
  return activeNodes(before).filter((node) => domain === undefined || isInside(node, domain));
}
