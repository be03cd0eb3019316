/** Colors and columns for output on a terminal. Output to a file or a pipe is plain text. */
import { styleText } from 'node:util';
import type { PropertyResult } from '../machines/protocol.js';
import type { Verdict } from '../network/report.js';

type Format = Parameters<typeof styleText>[0];

let isPlain = Boolean(process.env['NO_COLOR']);

/** Disables colors from now on. */
export function withoutColor(): void {
  isPlain = true;
}

const paint = (format: Format, text: string): string => (process.stdout.isTTY && !isPlain ? styleText(format, text) : text);

export const bold = (text: string): string => paint('bold', text);
export const dim = (text: string): string => paint('dim', text);

const VERDICT: Readonly<Record<Verdict, Format>> = { valid: 'green', invalid: 'red', unknown: 'yellow' };
export const verdictInColor = (value: Verdict): string => paint(VERDICT[value], value);

export function property({ name, holds }: PropertyResult): string {
  if (holds === null) return `${paint('yellow', '?')} ${name}`;
  return holds ? `${paint('green', '✓')} ${name}` : `${paint('red', '✗')} ${paint('bold', name)}`;
}

export function number(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(4)));
}

/** A count with the singular or plural of its noun: `1 path`, `2 paths`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${number(count)} ${count === 1 ? one : many}`;

// eslint-disable-next-line no-control-regex
const COLOR = /\x1b\[[0-9;]*m/g;
const width = (text: string): number => text.replaceAll(COLOR, '').length;

/** Formats rows as columns below their headings. Text is aligned to the left and numbers to the right. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((heading, i) => Math.max(width(heading), ...rows.map((row) => width(row[i] ?? ''))));
  const pad = (text: string, i: number) => {
    const blank = ' '.repeat(widths[i]! - width(text));
    return i === 0 ? text + blank : blank + text;
  };
  const line = (cells: readonly string[]) => cells.map(pad).join('  ').trimEnd();
  return [bold(line(columns)), ...rows.map(line)].join('\n');
}
