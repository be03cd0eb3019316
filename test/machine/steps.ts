/** Names and descriptions of test steps for people, and conversion of a step's values to JSON. */
import type { Message } from '../../machines/effects.js';
import { encode } from './encode.js';
import type { MachineStep } from './options.js';

/** The kind of a step and its actor: `SUBMIT`, `item#2: SUBMIT`, `after 1000 in red`, `charge done`. */
export function nameOfStep(step: MachineStep): string {
  if ('timer' in step) return step.timer;
  if ('start' in step) return `start #${step.start + 1}`;
  if ('done' in step) return `${step.done} done`;
  if ('fails' in step) return `${step.fails} fails`;
  if ('sends' in step) return `${step.sends} sends ${step.event.type}`;
  if ('next' in step) return `${step.next} next`;
  if ('completes' in step) return `${step.completes} completes`;
  if ('settles' in step) return `${step.settles} settles`;
  return step.to === undefined ? step.event.type : `${step.to}: ${step.event.type}`;
}

/**
 * A step with its value, in one line: `CARD {"number":"42"}`, `charge fails Error "declined"`.
 *
 * @public
 */
export function describeStep(step: MachineStep): string {
  const { chance } = step;
  const described = describeValues(step);
  return chance === undefined ? described : `${described} (chance ${chance})`;
}

function describeValues(step: MachineStep): string {
  const name = nameOfStep(step);
  const values: Record<string, unknown> = { ...step };
  if (typeof values['description'] === 'string') return `${name} ${values['description']}`;
  if ('event' in step) {
    const { type: _, ...payload } = step.event;
    return Object.keys(payload).length === 0 ? name : `${name} ${JSON.stringify(payload)}`;
  }
  const value = values['output'] ?? values['error'] ?? values['value'];
  return value === undefined ? name : `${name} ${JSON.stringify(value)}`;
}

/** Returns true if a step can contain a value: JSON preserves it, and it is the same on every path. */
export type Holds = (value: unknown) => boolean;

/** A value under its key where a step can contain it, otherwise its place among the samples and its description. */
export function heldAs(
  key: 'output' | 'error' | 'value',
  value: unknown,
  sample: number,
  holds: Holds = isJson,
): Record<string, unknown> {
  if (value === undefined) return {};
  if (holds(value)) return { [key]: value };
  return { sample, description: encode(value, () => undefined) };
}

/** An event as a step contains it: whole if possible, otherwise its type and the place of its payload among the samples. */
export function heldEvent(
  event: Message,
  sample: number,
  holds: Holds = isJson,
): { event: Message; sample?: number; description?: string } {
  if (holds(event)) return { event };
  const { type, ...payload } = event;
  return { event: { type }, sample, description: encode(payload, () => undefined) };
}

/** True if JSON preserves the value. */
export function isJson(value: unknown, around: readonly unknown[] = []): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (around.includes(value)) return false;
  const inside = [...around, value];
  if (Array.isArray(value)) return value.every((one) => isJson(one, inside));
  if (typeof value !== 'object' || ![Object.prototype, null].includes(Object.getPrototypeOf(value))) return false;
  return Object.values(value).every((one) => isJson(one, inside));
}

/** True for an external event, which neither a timer nor a service sends. */
export const isFromOutside = (step: MachineStep): boolean => 'start' in step || ('event' in step && !('sends' in step));
