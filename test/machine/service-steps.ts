/** The steps that a held service can take next: each result, error and event in its samples. */
import type { Message } from '../../machines/effects.js';
import type { HeldLogic } from './checkpoint.js';
import type { MachineStep, SampleArgs, ServiceSamples } from './options.js';
import { valuesOf } from './samples.js';
import type { Settling } from './stage.js';
import { heldAs, heldEvent, type Holds } from './steps.js';
import type { Subject } from './subject.js';
import { fieldsOf } from '../../machines/checks.js';

/** A held service that is running in the machine's current state. */
export interface HeldService extends HeldLogic {
  readonly name: string;
  readonly subject: Subject;
  readonly args: () => SampleArgs;
}

/** All possible next results of the service, in the same order in every run. */
export function* stepsOfService({ name, samples, kind, subject, args }: HeldService, holds: Holds): Generator<MachineStep> {
  const values = (given: ServiceSamples['done'], otherwise: readonly unknown[] = []) =>
    valuesOf(given, args, otherwise, `service ${name}`).entries();
  const defaults = subject.defaultsOf(kind, name);
  for (const [i, value] of values(samples.done, defaults.done)) yield { done: name, ...heldAs('output', value, i, holds) };
  for (const [i, value] of values(samples.fails, defaults.fails)) yield { fails: name, ...heldAs('error', value, i, holds) };
  for (const [i, value] of values(samples.next)) yield { next: name, ...heldAs('value', value, i, holds) };
  for (const [i, event] of values(samples.sends)) yield { sends: name, ...heldEvent(event as Message, i, holds) };
  const isObservable = kind === 'observable' || kind === 'events';
  if (isObservable && samples.completes !== false) yield { completes: name };
}

/** The result that the step gives to the service. */
export function settlingOf(step: MachineStep, how: Settling['how'], service: HeldService): Settling {
  if (how === 'completes') return { how };
  const { samples, kind, subject, args, name } = service;
  const { sample, event, output, error, value } = fieldsOf(step);
  const sampled = (otherwise: readonly unknown[]) => valuesOf(samples[how], args, otherwise, `service ${name}`)[sample as number];
  if (how === 'sends') return { how, value: (sample === undefined ? event : sampled([])) as Message };
  if (sample === undefined) return { how, value: output ?? error ?? value };
  return { how, value: sampled(how === 'next' ? [] : subject.defaultsOf(kind, name)[how]) };
}
