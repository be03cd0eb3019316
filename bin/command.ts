/** What a subcommand is: arguments in, exit status out. Bad usage is thrown as a `UsageError`. */
import { parseArgs } from 'node:util';
import { UsageError } from '../machines/errors.js';
import type { Verdict } from '../network/report.js';

export type Subcommand = (args: readonly string[]) => Promise<number>;

export const USAGE = 64;

const STATUS: Readonly<Record<Verdict, number>> = { valid: 0, invalid: 1, unknown: 2 };

/** The exit status of several verdicts: one refutation outweighs all that is unknown. */
export function statusOf(verdicts: readonly Verdict[]): number {
  if (verdicts.includes('invalid')) return STATUS.invalid;
  return verdicts.includes('unknown') ? STATUS.unknown : STATUS.valid;
}

type Options = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
type Values<T extends Options> = { readonly [K in keyof T]?: T[K]['type'] extends 'string' ? string : boolean };

/** Node's `parseArgs`, its complaints turned into ours. */
export function parse<T extends Options>(
  args: readonly string[],
  options: T,
): { values: Values<T>; positionals: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    return { values, positionals };
  } catch (error) {
    throw new UsageError((error as Error).message.split(/\.\s/)[0]);
  }
}

export function integerOption(name: string, text: string | undefined, min = -Infinity, max = Infinity): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new UsageError(`--${name} is "${text}"; give an integer`);
  if (value < min) throw new UsageError(`--${name} is ${value}; give at least ${min}`);
  if (value > max) throw new UsageError(`--${name} is ${value}; give at most ${max}`);
  return value;
}
