/**
 * Selections of the charts of a host, for observers. Observers supply the function that reads them from XState's microsteps
 * (`selected-in.ts`), so unobserved programs do not load it. Without observers, it has no cost.
 */
import type { AnyActor, AnyMachineSnapshot, InspectionEvent } from 'xstate';

/** A transition of a role's chart: the state that it is in ('' for the root), its event descriptor ('' for none), its place there. */
export type TransitionId = readonly [role: string, state: string, event: string, index: number];

/** The selections of the charts of a node in one step, in order. */
export interface Selected {
  readonly taken: readonly TransitionId[];
  /** The transitions whose guards were evaluated before, and were false. */
  readonly refused: readonly TransitionId[];
}

/** A microstep, in the form in which XState reports it to inspectors. */
export type Microstep = Extract<InspectionEvent, { type: '@xstate.microstep' }>;

/** Reads the selections of one microstep of a chart; `before` is the previous snapshot. */
export type ReadSelected = (microstep: Microstep, role: string, before: AnyMachineSnapshot | null) => Selected;

type Noted = { readonly [K in keyof Selected]: TransitionId[] };

export class Selections {
  private watchers = 0;
  private read: ReadSelected | undefined;
  private acting: { readonly role: string; before: AnyMachineSnapshot | null } | null = null;
  private noted: Noted = nothing();

  /** In the `system` act the charts that are watched. */
  constructor(private readonly system: AnyActor['system']) {}

  /** Notes what charts select until the returned function is called. */
  watch(read: ReadSelected): () => void {
    this.read = read;
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
    const subscription = this.system.inspect(this.receive);
    try {
      return act();
    } finally {
      subscription.unsubscribe();
      this.acting = null;
    }
  }

  /** The selections since the last call; undefined without observers. */
  take(): Selected | undefined {
    if (this.watchers === 0) return undefined;
    const { noted } = this;
    this.noted = nothing();
    return noted;
  }

  private readonly receive = (inspected: InspectionEvent): void => {
    if (inspected.type !== '@xstate.microstep' || !this.acting) return;
    const { acting, noted } = this;
    const { taken, refused } = this.read!(inspected, acting.role, acting.before);
    noted.taken.push(...taken);
    noted.refused.push(...refused);
    acting.before = inspected.snapshot as AnyMachineSnapshot;
  };
}

const nothing = (): Noted => ({ taken: [], refused: [] });

/** True if a transition for `descriptor` matches a type: the type itself, `*`, or a prefix such as `link.*`. */
export const answers = (descriptor: string, type: string): boolean =>
  descriptor === type || descriptor === '*' || (descriptor.endsWith('.*') && `${type}.`.startsWith(descriptor.slice(0, -1)));
