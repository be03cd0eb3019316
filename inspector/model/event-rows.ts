/** A line of a trace as a row of the event table: sender, receiver, event and its effect. */
import type { RoleView } from '../../machines/protocol.js';
import { isStep, type NetworkLine, type StepLine } from '../../network/trace.js';
import { lastAtMost } from './columns.js';
import type { ReadTrace } from './recording.js';
import { valueText } from './values.js';
import { eventName, sentence } from './words.js';

export interface StateChange {
  readonly role: string;
  readonly chart: string;
  /** `null` where the role was opened or closed. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface ContextChange {
  readonly key: string;
  /** As JSON; `null` where the key was not there. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface EventRow {
  /** Empty for an event from outside whose sender is unknown, and for what concerns no node. */
  readonly from: string;
  readonly to: string;
  /** The type in words; for an event of the network, the whole sentence. */
  readonly type: string;
  /** The event without its type and sender as JSON; empty without a payload. */
  readonly payload: string;
  readonly states: readonly StateChange[];
  readonly context: readonly ContextChange[];
  readonly isWrong: boolean;
}

export function eventRow(recording: ReadTrace, line: number): EventRow {
  const entry = recording.line(line);
  return isStep(entry) ? stepRow(recording, line, entry) : networkRow(entry);
}

const WRONG: ReadonlySet<string> = new Set(['violated', 'lost', 'refused']);

function networkRow(line: NetworkLine): EventRow {
  const [from = '', to = ''] = line.between ?? [];
  const { type: _, ...payload } = line.event ?? { type: '' };
  const base = { from, to, payload: payloadText(payload), states: [], context: [], isWrong: WRONG.has(line.kind) };
  return { ...base, type: sentence(line) };
}

const payloadText = (fields: object): string => (Object.keys(fields).length === 0 ? '' : JSON.stringify(fields));

function stepRow(recording: ReadTrace, line: number, step: StepLine): EventRow {
  const { kind, node, event, roles, by } = step;
  const { type, from, ...payload }: { readonly type: string; readonly from?: unknown } = event;
  const sender = kind === 'deliver' ? (recording.senderAt(line) ?? (from === undefined ? '' : String(from))) : '';
  const changes = Object.entries(roles).map(([role, after]) => ({ role, before: viewBefore(recording, line, role), after }));
  return {
    from: kind === 'timer' && !isResult(type) ? 'timer' : (by ?? sender),
    to: node,
    type: typeOf(step, sender),
    payload: payloadText(payload),
    states: changes.flatMap(({ role, before, after }) => stateChange(role, before, after)),
    context: changes.flatMap(({ before, after }) => (before && after ? contextChanges(before.context, after.context) : [])),
    isWrong: /^xstate\.(error|promise\.reject)/.test(type) || (['crash', 'corrupt'].includes(kind) && type !== 'ended'),
  };
}

/** A promise or an observable takes its own result. */
const isResult = (type: string): boolean => /^xstate\.(promise|observable)\./.test(type);

/** A line that is neither a message nor a command is named after its event. */
function typeOf({ kind, event }: StepLine, sender: string): string {
  switch (kind) {
    case 'deliver':
    case 'command':
    case 'note':
      return eventName(event.type, sender === '' ? undefined : sender);
    case 'timer':
      return eventName(String(event['timer'] ?? event.type));
    case 'start':
      return event.type === 'stands' ? 'already running' : event.type;
    case 'crash':
      return event.type === 'failed' || event.type === 'ended' || event.type === 'gone' ? event.type : 'crash';
    default:
      return kind === 'link' ? event.type : kind;
  }
}

function viewBefore(recording: ReadTrace, line: number, role: string): RoleView | null {
  const slot = recording.slotsOf[recording.nodeOf(line)]?.find((one) => one.role === role);
  const before = slot?.lines[lastAtMost(slot.lines, line - 1)];
  return before === undefined ? null : (recording.step(before)?.roles[role] ?? null);
}

function stateChange(role: string, before: RoleView | null, after: RoleView | null): StateChange[] {
  const [was, is] = [before && valueText(before.value), after && valueText(after.value)];
  return was === is ? [] : [{ role, chart: (after ?? before)!.chart, before: was, after: is }];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function contextChanges(before: unknown, after: unknown): ContextChange[] {
  if (!isRecord(before) || !isRecord(after)) return [];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const jsonAt = (of: Readonly<Record<string, unknown>>, key: string) =>
    Object.hasOwn(of, key) ? (JSON.stringify(of[key]) ?? null) : null;
  return [...keys]
    .map((key) => ({ key, before: jsonAt(before, key), after: jsonAt(after, key) }))
    .filter((change) => change.before !== change.after);
}

/** The lines that the table shows without a filter: their number, and the line of each row. */
export function shownLines({ first, end, quiet }: ReadTrace): {
  readonly count: number;
  lineAt(row: number): number;
  rowOf(line: number): number;
} {
  return {
    count: end - first - quiet.length,
    lineAt(row) {
      let [low, high] = [0, quiet.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (quiet[middle]! - first - middle <= row) low = middle + 1;
        else high = middle;
      }
      return first + row + low;
    },
    /** The row of a line, or of the last one before it. */
    rowOf: (line) => line - first - (lastAtMost(quiet, line) + 1),
  };
}
