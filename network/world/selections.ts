/**
 * Which transitions a step took and which guards refused, as XState's own microsteps tell them.
 *
 * A microstep tells what was selected; what was refused follows from it, without a guard being asked again: of the choices for the
 * event, in the order in which XState asks (each active state from the inside out), those before the selected one said no. Where
 * transitions of parallel regions would exit the same states, XState selects all of them and takes some; the same rule is applied.
 *
 * It costs nothing until somebody watches.
 */
import type { AnyActor, AnyMachineSnapshot, AnyStateNode, AnyTransitionDefinition, InspectionEvent } from 'xstate';
import type { Message } from '../../machines/effects.js';
import { answers } from './event-descriptors.js';
import { choicesOf, indexOf } from './kernel.js';

/** A transition of a role's chart: the state that it stands in ('' for the root), its event descriptor ('' for none), its place there. */
export type TransitionId = readonly [role: string, state: string, event: string, index: number];

/** What the charts of a node selected in one step, in order. */
export interface Selected {
  readonly taken: readonly TransitionId[];
  /** Those whose guards were asked before, and said no. */
  readonly refused: readonly TransitionId[];
}

type Noted = { readonly [K in keyof Selected]: TransitionId[] };

export class Selections {
  private watchers = 0;
  private acting: { readonly role: string; before: AnyMachineSnapshot | null } | null = null;
  private noted: Noted = nothing();

  /** In the `system` act the charts that are watched. */
  constructor(private readonly system: AnyActor['system']) {}

  /** Notes what charts select until the returned function is called. */
  watch(): () => void {
    this.watchers++;
    let isWatching = true;
    return () => {
      if (isWatching) this.watchers--;
      isWatching = false;
    };
  }

  /** Lets a role's chart take an event; `before` is how it stands, `null` at its start. */
  during<T>(role: string, before: AnyMachineSnapshot | null, act: () => T): T {
    if (this.watchers === 0) return act();
    this.acting = { role, before };
    // No longer than the step lasts: who is observed takes each step by XState, and others act in this system as well.
    const subscription = this.system.inspect(this.hear);
    try {
      return act();
    } finally {
      subscription.unsubscribe();
      this.acting = null;
    }
  }

  /** What was noted since it was asked last; nothing while nobody watches. */
  take(): Selected | undefined {
    if (this.watchers === 0) return undefined;
    const { noted } = this;
    this.noted = nothing();
    return noted;
  }

  private readonly hear = (inspected: InspectionEvent): void => {
    if (inspected.type !== '@xstate.microstep' || !this.acting) return;
    const { acting, noted } = this;
    const { taken, refused } = selectedIn(inspected, acting.role, acting.before);
    noted.taken.push(...taken);
    noted.refused.push(...refused);
    acting.before = inspected.snapshot as AnyMachineSnapshot;
  };
}

/** What one microstep of a chart selected; `before` is how the chart stood. */
export function selectedIn(
  { event, _transitions: selected }: Extract<InspectionEvent, { type: '@xstate.microstep' }>,
  role: string,
  before: AnyMachineSnapshot | null,
): Selected {
  // The step into a first state is no transition of the config.
  if (selected.some((transition) => indexOf(transition) < 0)) return nothing();
  const named = (transition: AnyTransitionDefinition): TransitionId => [
    role,
    transition.source.path.join('.'),
    transition.eventType,
    indexOf(transition),
  ];
  // At its start nothing is known of a chart but the states that it left already.
  const active = before ? nodesOf(before) : selected.map(({ source }) => source);
  return {
    taken: withoutConflicts(selected, before).map(named),
    refused: refusedBefore(selected, active, event).map(named),
  };
}

const nothing = (): Noted => ({ taken: [], refused: [] });

const nodesOf = (snapshot: AnyMachineSnapshot): readonly AnyStateNode[] => snapshot._nodes;

const isInside = (node: AnyStateNode, around: AnyStateNode | undefined): boolean => {
  for (let outer = node.parent; outer; outer = outer.parent) if (outer === around) return true;
  return false;
};

/** The guarded choices that were asked and said no. */
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

/** Of selected transitions that would exit the same states, the one from further inside is taken, or else the earlier one. */
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
  const history = before.historyValue as Readonly<Record<string, readonly AnyStateNode[]>>;
  const targets = target.flatMap((node) => (node.type === 'history' ? (history[node.id] ?? [node]) : [node]));
  const staysInside = !reenter && targets.every((node) => node === source || isInside(node, source));
  let domain: AnyStateNode | undefined = source;
  if (!staysInside) {
    domain = source.parent;
    while (domain && !targets.every((node) => isInside(node, domain))) domain = domain.parent;
    domain ??= reenter ? undefined : source.machine.root;
  }
  return nodesOf(before).filter((node) => domain === undefined || isInside(node, domain));
}
