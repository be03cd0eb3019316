/**
 * Asking for lines of a trace in words: `node:n3 type:find ctx.parent=n5 state:compete violated`.
 *
 * Every term has to hold of the line. What a term says of a state or of a context is true of the node that took the step, after it: in
 * any of its roles. A minus in front of a term negates it; quotes keep words together.
 */
import { UsageError } from '../../machines/errors.js';
import { isStep, type TraceLine } from '../../network/trace.js';
import { Moment } from './moment.js';
import type { ReadTrace } from './recording.js';
import { activePaths } from './values.js';
import { sentence } from './words.js';

type Term = (recording: ReadTrace, line: number) => boolean;
export type Query = Term;

/** What can be asked of a line, as help lists it. */
export const ASKED = {
  node: 'the node that took the step, or that a loss or a channel concerns',
  type: 'of the event, or of a message that it sent',
  kind: 'start, deliver, timer, command, link, crash, lost, channel, violated, …',
  from: 'the sender of the message that it took',
  to: 'the receiver of a message that it sent',
  state: 'a state of the node after the step: compete, or initiator.compete',
} as const;

type Asked = keyof typeof ASKED;

const HOW = `ask for ${Object.keys(ASKED).join(', ')}, as in node:n3, for ctx.KEY as in ctx.parent=n5 or ctx.count>3, or for a word`;

/** Throws a `UsageError` for what cannot be asked. */
export function queryOf(text: string): Query {
  const words = text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
  const terms = words.map((word) => termOf(word.replaceAll('"', '')));
  return (recording, line) => terms.every((term) => term(recording, line));
}

function termOf(word: string): Term {
  if (word.startsWith('-') && word.length > 1) {
    const term = termOf(word.slice(1));
    return (recording, line) => !term(recording, line);
  }
  if (word.startsWith('ctx.')) return contextTerm(word);
  const [, name, value = ''] = /^([a-z]+):(.+)$/.exec(word) ?? [];
  if (name === undefined) return plain(word);
  if (!(name in ASKED)) throw new UsageError(`"${name}" is nothing to ask for; ${HOW}`);
  return TERMS[name as Asked](value);
}

const TERMS: Readonly<Record<Asked, (value: string) => Term>> = {
  node: (value) => (recording, line) =>
    recording.nodeOf(line) >= 0
      ? recording.nodes.names[recording.nodeOf(line)] === value
      : recording.line(line).kind !== 'verdict' && nodesOf(recording.line(line)).includes(value),
  kind: (value) => (recording, line) => recording.kindOf(line) === value,
  type: (value) => (recording, line) => {
    const told = recording.line(line);
    const sent = isStep(told) ? told.sent.map(({ message }) => message.type) : [];
    return told.event?.type === value || sent.includes(value);
  },
  from: (value) => (recording, line) => (recording.line(line).event as { readonly from?: unknown } | undefined)?.from === value,
  to: (value) => (recording, line) => recording.step(line)?.sent.some(({ to }) => to === value) ?? false,
  state: (value) => (recording, line) =>
    rolesAfter(recording, line).some(({ view }) =>
      [...activePaths(view.value)].some((path) => path === value || path.endsWith(`.${value}`)),
    ),
};

/** A kind of lines, or a word of the sentence that tells the line. */
function plain(word: string): Term {
  const lower = word.toLowerCase();
  return (recording, line) => recording.kindOf(line) === word || sentence(recording.line(line)).toLowerCase().includes(lower);
}

const COMPARE: Readonly<Record<string, (a: unknown, b: string) => boolean>> = {
  '=': (a, b) => textOf(a) === b,
  '!=': (a, b) => textOf(a) !== b,
  '>': (a, b) => Number(a) > Number(b),
  '<': (a, b) => Number(a) < Number(b),
};

function contextTerm(word: string): Term {
  const [, path, sign, value] = /^ctx\.([^=!<>]+)(!=|=|<|>)(.*)$/.exec(word) ?? [];
  if (path === undefined) throw new UsageError(`"${word}" compares nothing; ${HOW}`);
  const keys = path.split('.');
  return (recording, line) =>
    rolesAfter(recording, line).some(({ view }) => {
      const found = keys.reduce<unknown>(
        (inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key],
        view.context,
      );
      return found !== undefined && COMPARE[sign!]!(found, value!);
    });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function rolesAfter(recording: ReadTrace, line: number) {
  const node = recording.nodeOf(line);
  return node < 0 ? [] : new Moment(recording, line).roles(node);
}

function nodesOf(line: TraceLine): readonly string[] {
  return isStep(line) ? [line.node] : [...(line.between ?? []), ...(line.refutes?.nodes ?? [])];
}
