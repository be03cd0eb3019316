/** What must hold of a machine in any state that it is found in, and of what the outside sees of it. */
import type { AnyMachineSnapshot } from 'xstate';
import { encode } from './encode.js';
import type { MachineTests, MachineStep } from './options.js';
import type { Rig } from './rig.js';
import { isFromOutside } from './steps.js';

export interface BrokenRule {
  readonly rule: string;
  readonly says: string;
}

/** The rules that the machine breaks where it stands; after an error nothing more is asked. */
export function* brokenRules(rig: Rig): Generator<BrokenRule> {
  if (rig.mutated) yield { rule: 'the context is changed by assign alone', says: saysMutated(rig.mutated) };
  if (rig.error !== null) return yield unhandled(rig, rig.error.thrown);
  if (rig.rejected) yield rejection(rig.rejected);
  for (const [name, holds] of Object.entries(rig.subject.tests.invariants ?? {})) {
    const says = complaint(holds, rig.snapshot);
    if (says !== null) yield { rule: name, says };
  }
  for (const broken of [hasty(rig), lost(rig)]) if (broken) yield broken;
}

export const saysMutated = ({ before, after }: NonNullable<Rig['mutated']>): string =>
  `the context ${before} was changed in place into ${after}: whoever holds it, a path that goes on from here or your own view, sees it change. ` +
  'Let assign give new values ([...list, one] in place of push), and let actions and guards leave the context as it is';

const rejection = ({ action, thrown }: NonNullable<Rig['rejected']>): BrokenRule => {
  const what = encode(thrown, () => undefined);
  return {
    rule: `no unhandled error (${what})`,
    says: `action ${action} gave a promise that was rejected with ${what}, and XState waits for none. Catch it in the action, or make it a service with onError`,
  };
};

function hasty(rig: Rig): BrokenRule | null {
  const timer = rig.hastyTimer();
  if (!timer) return null;
  const { name, asked } = timer;
  return {
    rule: 'every delay can be kept',
    says: `${name} has a delay of ${asked} ms; a timer takes at most 2147483647 and goes off at once on anything else. Give it a shorter one, or no timer where it should never go off`,
  };
}

export const LEFT = 'no actor left running';

export function lost(rig: Rig): BrokenRule | null {
  const [first] = rig.orphans();
  return first === undefined ? null : { rule: LEFT, says: `${first} still runs, and nothing of the machine refers to it` };
}

function unhandled(rig: Rig, thrown: unknown): BrokenRule {
  const what = encode(thrown, () => undefined);
  const kind = /Actor logic .* not implemented/.test(what) ? 'actors' : 'guards';
  const lacking = /not implemented/.test(what) ? `Give it by provide: { ${kind}: { … } }` : undefined;
  const needed = lacking ?? (rig.last ? sampleNeeded(rig.subject.tests, rig.last) : inputNeeded(rig.subject.tests));
  const cure = needed ?? 'Handle it in the chart (onError of the service, a guard), or leave the sample out that leads to it';
  return { rule: `no unhandled error (${what})`, says: `the machine ended with ${what}. ${cure}` };
}

const inputNeeded = ({ input }: MachineTests): string | undefined =>
  input === undefined ? 'It was started without input: if it takes one, give input' : undefined;

/** The sample that a bare step may have lacked. */
function sampleNeeded({ events, services }: MachineTests, step: MachineStep): string | undefined {
  if (isFromOutside(step) && 'event' in step && !('to' in step) && !events?.[step.event.type])
    return `${step.event.type} was sent bare: if it has a payload, give samples in events[${JSON.stringify(step.event.type)}]`;
  if (!('done' in step)) return undefined;
  const given = services?.[step.done.replace(/#\d+$/, '')];
  if (typeof given === 'object' && given.done) return undefined;
  return `${step.done} was done with undefined: if it gives something, give samples in services[${JSON.stringify(step.done)}].done`;
}

function complaint(holds: (snapshot: AnyMachineSnapshot) => boolean | void, snapshot: AnyMachineSnapshot): string | null {
  const { value } = snapshot;
  try {
    const says: unknown = holds(snapshot);
    if (says instanceof Promise) {
      says.catch(() => {});
      return 'gives a promise; it must give true or false at once';
    }
    return says === false ? `does not hold in ${JSON.stringify(value)}` : null;
  } catch (error) {
    return `does not hold in ${JSON.stringify(value)}: ${(error as Error).message}`;
  }
}
