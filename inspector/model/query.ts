/**
 * Queries for lines of a trace: `node:n3 type:find ctx.parent=n5 state:compete violated`.
 *
 * A line matches if every term matches. Terms about states and contexts concern the node that took the step, in any of its roles, after the
 * step. A node is named by its whole name or by the end of it: `checkout` is `shop/boss/checkout`, too. Terms about violations match the step that caused the violation, although the trace records it one line earlier. A minus in front
 * of a term negates it; quotes keep words together.
 *
 * A query that consists of terms about states, contexts and a node matches intervals: from a step of the node to its next step that does
 * not match. Any other query matches moments.
 */
import { UsageError } from '../../machines/errors.js';
import { unknownWord } from '../../network/scenario/read.js';
import { isStep, type TraceLine } from '../../network/trace.js';
import { Moment } from './moment.js';
import type { ReadTrace } from './recording.js';
import { activePaths } from './values.js';
import { eventName, sentence } from './words.js';
import { fieldsOf } from '../../machines/checks.js';

/** A line with its context for a query. */
interface Place {
  readonly recording: ReadTrace;
  readonly line: number;
  /** The lines with the violations that its step caused. */
  readonly violations: readonly number[];
  /** True if the query concerns a state or a context, so only the node that took the step. */
  readonly isOfStep: boolean;
}

type Holds = (place: Place) => boolean;

interface Term {
  readonly about: 'node' | 'standing' | 'moment';
  readonly holds: Holds;
  /** The name of a node in it. */
  readonly named?: string;
}

export interface Query {
  answers(recording: ReadTrace, line: number): boolean;
  /** True if the query matches intervals between steps of a node. */
  readonly lasts: boolean;
  /** The names in the query that no node has. */
  unknownNodes(recording: ReadTrace): readonly string[];
}

/** The terms of a query, as the help lists them. */
export const ASKED = {
  node: 'the node that took the step, or that a loss, a channel or a violation concerns',
  type: 'of the event, or of a message that it sent',
  kind: 'start, deliver, timer, command, link, crash, lost, channel, violated, …',
  from: 'the sender of the message that it took',
  to: 'the receiver of a message that it sent',
  state: 'a state of the node after the step: compete, or initiator.compete',
} as const;

type Asked = keyof typeof ASKED;

/** Parses a query. Throws a `UsageError` if it is invalid. */
export function queryOf(text: string): Query {
  const words = text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
  const terms = words.map(termOf);
  const isOfStep = terms.some(({ about }) => about === 'standing');
  return {
    lasts: isOfStep && terms.every(({ about }) => about !== 'moment'),
    unknownNodes: ({ nodes }) =>
      terms.flatMap(({ named }) => (named === undefined || nodes.names.some((name) => isNamed(name, named)) ? [] : [named])),
    answers(recording, line) {
      if (isOfStep && recording.nodeOf(line) < 0) return false;
      if (recording.kindOf(line) === 'violated' && recording.seenAt(line) !== line) return false;
      const place = { recording, line, violations: violationsOf(recording, line), isOfStep };
      return terms.every(({ holds }) => holds(place));
    },
  };
}

function termOf(word: string): Term {
  if (word.startsWith('-') && word.length > 1) {
    const { holds, ...term } = termOf(word.slice(1));
    return { ...term, holds: (place) => !holds(place) };
  }
  const text = word.replaceAll('"', '');
  if (text.startsWith('ctx.')) return { about: 'standing', holds: contextTerm(text) };
  const [, name, value = ''] = /^([^:]+):(.*)$/.exec(text) ?? [];
  if (name === undefined || word.startsWith('"')) return { about: 'moment', holds: plain(text) };
  if (!isAsked(name)) throw nothingToAsk(name);
  if (value === '') throw new UsageError(`"${name}:" has no value. Write one after the colon, without a space: ${ASKED[name]}`);
  const about = name === 'node' ? 'node' : name === 'state' ? 'standing' : 'moment';
  return { about, holds: TERMS[name](value), ...(NAMES_A_NODE.has(name) ? { named: value } : {}) };
}

const NAMES_A_NODE: ReadonlySet<Asked> = new Set(['node', 'from', 'to']);

/** A name without the number of actors with the same id is enough. */
const isNamed = (name: unknown, wanted: string): boolean =>
  typeof name === 'string' &&
  (name.endsWith(wanted) || name.endsWith(')')) &&
  [name, name.replace(/ \(\d+\)$/, '')].some((full) => full === wanted || full.endsWith(`/${wanted}`));

const isAsked = (name: string): name is Asked => Object.hasOwn(ASKED, name);

const nothingToAsk = (name: string): UsageError =>
  unknownWord(`Unknown field "${name}" (put text that contains a colon in quotes)`, name, [...Object.keys(ASKED), 'ctx.KEY']);

/** The lines before a step that record the violations it caused. */
function violationsOf(recording: ReadTrace, line: number): number[] {
  const lines: number[] = [];
  for (let place = line - 1; place >= recording.first && recording.kindOf(place) === 'violated'; place--)
    if (recording.seenAt(place) === line) lines.push(place);
  return lines;
}

const TERMS: Readonly<Record<Asked, (value: string) => Holds>> = {
  node:
    (value) =>
    ({ recording, line, violations, isOfStep }) =>
      (recording.nodeOf(line) >= 0
        ? isNamed(recording.nodes.names[recording.nodeOf(line)], value)
        : recording.line(line).kind !== 'verdict' && concerns(recording, line, value)) ||
      (!isOfStep && violations.some((violation) => concerns(recording, violation, value))),
  kind: (value) => (place) => matchesAny(place, (line) => place.recording.kindOf(line) === value),
  type:
    (value) =>
    ({ recording, line }) => {
      const entry = recording.line(line);
      const isAsked = ({ type }: { readonly type: string }, sender?: string) =>
        type === value || eventName(type, sender) === value;
      const sender = recording.nodeOf(line) < 0 ? undefined : recording.senderAt(line);
      return (
        (entry.event && isAsked(entry.event, sender)) ||
        (isStep(entry) && entry.sent.some(({ message }) => isAsked(message, entry.node)))
      );
    },
  from:
    (value) =>
    ({ recording, line }) =>
      // The event of a node that knows the others by its ports names a port.
      (recording.nodeOf(line) >= 0 && isNamed(recording.senderAt(line), value)) ||
      isNamed(fieldsOf(recording.line(line).event)['from'], value) ||
      fieldsOf(recording.line(line))['by'] === value,
  to:
    (value) =>
    ({ recording, line }) =>
      recording.step(line)?.sent.some(({ to }) => isNamed(to, value)) ?? false,
  state: (value) => (place) =>
    rolesAfter(place).some(({ view }) =>
      [...activePaths(view.value)].some((path) => path === value || path.endsWith(`.${value}`)),
    ),
};

/** Matches the kind of a line, or a word of its sentence. */
function plain(word: string): Holds {
  const lower = word.toLowerCase();
  return (place) =>
    matchesAny(
      place,
      (line) => place.recording.kindOf(line) === word || sentence(place.recording.line(line)).toLowerCase().includes(lower),
    );
}

/** Matches the line itself, or the violations that its step caused. */
const matchesAny = ({ line, violations }: Place, holds: (line: number) => boolean): boolean =>
  holds(line) || violations.some(holds);

const COMPARE: Readonly<Record<string, (a: unknown, b: string) => boolean>> = {
  '=': (a, b) => textOf(a) === b,
  '!=': (a, b) => textOf(a) !== b,
  '>': (a, b) => typeof a === 'number' && a > Number(b),
  '<': (a, b) => typeof a === 'number' && a < Number(b),
};

function contextTerm(word: string): Holds {
  const [, path, sign, value] = /^ctx\.([^=!<>]+)(!=|=|<|>)(.*)$/.exec(word) ?? [];
  if (path === undefined) throw new UsageError(`"${word}" compares nothing. Write ctx.KEY=VALUE, or !=, < or > instead of =.`);
  if ((sign === '<' || sign === '>') && (value!.trim() === '' || Number.isNaN(Number(value))))
    throw new UsageError(`"${word}" does not compare numbers. Write a number after ${sign}.`);
  const keys = path.split('.');
  return (place) =>
    rolesAfter(place).some(({ view }) => {
      const found = keys.reduce<unknown>(valueIn, view.context);
      return found !== undefined && COMPARE[sign!]!(found, value!);
    });
}

/** An own property of an object. Inherited properties are not values of a context. */
const valueIn = (inner: unknown, key: string): unknown =>
  typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key) ? fieldsOf(inner)[key] : undefined;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const rolesAfter = ({ recording, line }: Place) => new Moment(recording, line).roles(recording.nodeOf(line));

const concerns = (recording: ReadTrace, line: number, value: string): boolean =>
  nodesOf(recording.line(line)).some((name) => isNamed(name, value));

function nodesOf(line: TraceLine): readonly string[] {
  return isStep(line) ? [line.node] : [...(line.between ?? []), ...(line.refutes?.nodes ?? [])];
}
