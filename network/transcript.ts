/** A trace in words, one line per step: for terminals, failure reports, and tests of a whole run. */
import type { RoleView } from '../machines/protocol.js';
import { isStep, type NetworkLine, type StepLine, type TraceLine } from './trace.js';

/** A line of a trace as text: `12 n3 find{producer: n1} from n2 directory: idle → n4 token`. */
export function describe(line: TraceLine): string {
  return isStep(line) ? describeStep(line) : describeNetwork(line);
}

function describeStep(line: StepLine): string {
  const states = Object.entries(line.roles).map(
    ([role, view]) => `${role}: ${view === null ? 'closed' : describeState(view.value)}`,
  );
  const sent = line.sent.map(({ id, to, message }) => `→ ${to} ${describeEvent(message)} #${id}`);
  const notifications = line.emitted.map((event) => `! ${describeEvent(event)}`);
  const cause = line.message === undefined ? line.kind : `#${line.message}`;
  return [String(line.at), line.node, `${cause} ${describeEvent(line.event)}`, ...states, ...sent, ...notifications].join('  ');
}

function describeNetwork({ at, kind, between, message, up, why, verdict }: NetworkLine): string {
  const where = between ? between.join(' → ') : '';
  return [
    String(at),
    kind,
    where,
    message === undefined ? '' : `#${message}`,
    up === undefined ? '' : up ? 'up' : 'down',
    why ?? '',
    verdict ?? '',
  ]
    .filter((part) => part !== '')
    .join('  ');
}

/** A state as text: `holding.using.last`, or `initiator.win + participant.idle` for parallel states. */
export function describeState(value: RoleView['value']): string {
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .map(([key, inner]) => (inner === undefined ? key : `${key}.${describeState(inner)}`))
    .join(' + ');
}

/** An event as text: its type, its fields, and its sender at the end. */
export function describeEvent({
  type,
  from,
  at: _,
  ...fields
}: {
  readonly type: string;
  readonly from?: unknown;
  readonly at?: unknown;
}): string {
  const inner = Object.entries(fields).map(([key, value]) => `${key}: ${describeValue(value)}`);
  return `${type}${inner.length > 0 ? `{${inner.join(', ')}}` : ''}${from === undefined ? '' : ` from ${String(from)}`}`;
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(describeValue).join(' ')}]`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
