/** What must hold of a machine in any state that it is found in, and of what the outside sees of it. */
import type { AnyMachineSnapshot } from 'xstate';
import { encode } from './encode.js';
import type { MachineTests, Step } from './options.js';
import type { Rig } from './rig.js';
import { isFromOutside } from './steps.js';

export interface BrokenRule {
  readonly rule: string;
  readonly says: string;
}

/** The rule that the machine breaks where it stands, `null` when it keeps all. */
export function brokenRule(rig: Rig): BrokenRule | null {
  if (rig.error !== null) return unhandled(rig, rig.error.thrown);
  for (const [name, holds] of Object.entries(rig.subject.tests.invariants ?? {})) {
    const says = complaint(holds, rig.snapshot);
    if (says !== null) return { rule: name, says };
  }
  return hasty(rig) ?? lost(rig);
}

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
  const lacking = /is not implemented/.test(what) ? 'Give it by provide: { guards: { … } }' : undefined;
  const needed = lacking ?? (rig.last ? sampleNeeded(rig.subject.tests, rig.last) : inputNeeded(rig.subject.tests));
  const cure = needed ?? 'Handle it in the chart (onError of the service, a guard), or leave the sample out that leads to it';
  return { rule: `no unhandled error (${what})`, says: `the machine ended with ${what}. ${cure}` };
}

const inputNeeded = ({ input }: MachineTests): string | undefined =>
  input === undefined ? 'It was started without input: if it takes one, give input' : undefined;

/** The sample that a bare step may have lacked. */
function sampleNeeded({ events, services }: MachineTests, step: Step): string | undefined {
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
