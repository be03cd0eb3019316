/** The exit statuses of the command line, and parsing of options that are numbers. */
import { UsageError } from '../machines/errors.js';
import type { Verdict } from '../network/report.js';

export const USAGE = 64;
/** Exit status if the protocol itself failed during a run: a chart or a function of its description threw an error. */
export const BROKEN = 70;

const STATUS: Readonly<Record<Verdict, number>> = { valid: 0, invalid: 1, unknown: 2 };

/** The exit status for several verdicts: `invalid` if any is, otherwise `unknown` if any is. */
export function exitStatusOf(verdicts: readonly Verdict[]): number {
  if (verdicts.includes('invalid')) return STATUS.invalid;
  return verdicts.includes('unknown') ? STATUS.unknown : STATUS.valid;
}

export function integerOption(name: string, text: string | undefined, min = -Infinity, max = Infinity): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(value)) throw new UsageError(`--${name} is "${text}". Pass an integer.`);
  if (value < min) throw new UsageError(`--${name} is ${value}. Pass at least ${min}.`);
  if (value > max) throw new UsageError(`--${name} is ${value}. Pass at most ${max}.`);
  return value;
}
