/** The rules that generated tests check in every state of a machine, such as the user's invariants and that no promise is rejected. */
import type { AnyMachineSnapshot } from 'xstate';
import { ROUTE } from '../charts/config.js';
import type { Rejected } from './action-promises.js';
import { encode } from './encode.js';
import { lostActors } from './lost.js';
import { actorsBelow, baseName, timersOf } from './names.js';
import type { MachineTests, MachineStep } from './options.js';
import type { Rig } from './rig.js';
import { MICROSTEPS_MAX } from './subject.js';

export interface BrokenRule {
  readonly rule: string;
  readonly description: string;
}

/** The rules that the machine breaks in its present state. After an error, no further rule is checked. */
export function* brokenRules(rig: Rig): Generator<BrokenRule> {
  if (rig.mutated) yield { rule: 'the context is changed only by assign', description: describesMutant(rig.mutated) };
  if (rig.error !== null) return yield unhandled(rig, rig.error.thrown);
  if (rig.promises.rejected) yield rejection(rig.promises.rejected);
  for (const [name, holds] of Object.entries(rig.subject.tests.invariants ?? {})) {
    const description = rig.ask('invariants', () => complaint(holds, rig.snapshot));
    if (description !== null) yield { rule: name, description };
  }
  for (const broken of [hasty(rig), lost(rig)]) if (broken) yield broken;
}

export const describesMutant = ({ before, after }: NonNullable<Rig['mutated']>): string =>
  `the context ${before} was mutated into ${after}, which also changes it for other paths and for your view. ` +
  'Return new values from assign ([...list, one] instead of push), and do not change the context in actions and guards';

const rejection = ({ action, thrown }: Rejected): BrokenRule => ({
  rule: `no unhandled error (${encode(thrown, () => undefined)})`,
  description: `the promise of action ${action} was rejected, and XState does not wait for it. Catch the error in the action, or make it a service with onError`,
});

function hasty(rig: Rig): BrokenRule | null {
  const found = timersOf(rig.timers, actorsBelow(rig.root)).find(([timer]) => timer.asked !== undefined);
  if (!found) return null;
  const [{ asked }, name] = found;
  return {
    rule: 'every delay can be kept',
    description: `${name} has a delay of ${asked} ms; a timer takes at most 2147483647 and fires immediately for any other value. Use a shorter delay, or no timer if it should never fire`,
  };
}

export const LEFT = 'no actor left running';

export function lost(rig: Rig): BrokenRule | null {
  const [first] = lostActors(rig);
  return first === undefined ? null : { rule: LEFT, description: `${first} still runs, and nothing of the machine refers to it` };
}

function unhandled(rig: Rig, thrown: unknown): BrokenRule {
  const what = encode(thrown, () => undefined);
  const cure =
    endlessCure(rig, what) ??
    lackingCure(what) ??
    assertedCure(what) ??
    emptyOutput(rig) ??
    (rig.last ? sampleNeeded(rig, rig.last) : inputNeeded(rig.subject.tests)) ??
    'Handle it in the chart (onError of the service, a guard), or leave the sample out that leads to it';
  return { rule: `no unhandled error (${what})`, description: `the machine ended. ${cure}` };
}

/** XState names neither the option that raises the limit nor that the tests have set it. */
function endlessCure({ subject }: Rig, what: string): string | undefined {
  if (!what.includes('Infinite loop detected')) return undefined;
  const own = (subject.original.config as { readonly options?: { readonly maxIterations?: number } }).options?.maxIterations;
  const whose =
    own === undefined
      ? `The tests stop at ${MICROSTEPS_MAX}; XState itself has no limit, and would go on`
      : `The machine's own limit is ${own}`;
  return `${whose}. Let the loop of "always" or raised events end; if it does end, raise the limit in the machine: options: { maxIterations: ${10 * (own ?? MICROSTEPS_MAX)} }`;
}

function lackingCure(what: string): string | undefined {
  if (!what.includes('not implemented')) return undefined;
  return `Give it by provide: { ${/Actor logic .* not implemented/.test(what) ? 'actors' : 'guards'}: { … } }`;
}

/** `assertEvent` of XState. */
const assertedCure = (what: string): string | undefined =>
  /Expected event .* to have type matching/.test(what)
    ? 'An action asserts other events (assertEvent) than those that lead to it. Add this one to the assertion, or perform the action only for its own events'
    : undefined;

/** A child machine that has just ended gave none, which may be what the machine broke at. */
function emptyOutput({ latest, made, subject }: Rig): string | undefined {
  const { type, output } = (latest ?? {}) as { readonly type?: string; readonly output?: unknown };
  const child = made.find(({ id }) => type === `xstate.done.actor.${id}`);
  const { machine } = (child?.getSnapshot() ?? {}) as Partial<AnyMachineSnapshot>;
  if (!child || !machine || output !== undefined) return undefined;
  const chart = subject.chartName(machine) ?? machine.id;
  const hasOutput = Object.values(machine.root.states).some((one) => one.type === 'final' && one.output !== undefined);
  const why = hasOutput ? ', and the output of its final state does not reach it' : '';
  return `${baseName(child)}, an actor of machine ${chart}, ended without output: the machine has none${why}. Give the machine one, output: ({ event }) => event.output, or let onDone do without`;
}

const inputNeeded = ({ input, starts }: MachineTests): string | undefined =>
  input === undefined && starts === undefined ? 'It was started without input: if it needs one, pass input' : undefined;

/** The sample that a bare step may have lacked. */
function sampleNeeded({ subject, isBare }: Rig, step: MachineStep): string | undefined {
  if (
    'event' in step &&
    !('to' in step) &&
    !('sends' in step) &&
    step.event.type !== ROUTE &&
    !subject.tests.events?.[step.event.type]
  )
    return `${step.event.type} was sent without a payload. If it needs one, add samples to events[${JSON.stringify(step.event.type)}]`;
  if (!('done' in step) || !isBare) return undefined;
  const name = step.done.replace(/^.*\//, '').replace(/#\d+$/, '');
  return `${step.done} resolved with undefined. If it has a result, add samples to services[${JSON.stringify(name)}].done`;
}

function complaint(holds: (snapshot: AnyMachineSnapshot) => boolean | void, snapshot: AnyMachineSnapshot): string | null {
  const { value } = snapshot;
  try {
    const description: unknown = holds(snapshot);
    if (description instanceof Promise) {
      description.catch(() => {});
      return 'returns a promise. It must return true or false synchronously';
    }
    // One that returns nothing contains assertions.
    return description !== undefined && !description ? `does not hold in ${JSON.stringify(value)}` : null;
  } catch (error) {
    return `does not hold in ${JSON.stringify(value)}: ${(error as Error).message}`;
  }
}
