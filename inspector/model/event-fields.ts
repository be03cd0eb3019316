/** Events that a person writes: a payload as the fields of a form, with the values that it had last in the trace, and an event as text. */
import { fieldsOf, isObject } from '../../machines/checks.js';
import { thrownText } from '../../machines/errors.js';
import type { ReadTrace } from './recording.js';

export interface EventField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'json';
  /** The text in the form. */
  readonly value: string;
}

type Payload = Readonly<Record<string, unknown>>;

/** The most lines that are searched for a sample. */
const LINES_BACK_MAX = 5_000;

/** The last event of this type that the node or another one of its chart took; `null` if there was none. */
export function sampleOf(recording: ReadTrace, node: number, type: string, line: number): Payload | null {
  const charts = new Set(chartsOf(recording, node));
  let ofOther: Payload | null = null;
  for (let at = Math.min(line, recording.end - 1); at >= Math.max(recording.first, line - LINES_BACK_MAX); at--) {
    const other = recording.nodeOf(at);
    if (other < 0 || (ofOther && other !== node)) continue;
    const event = recording.step(at)?.event;
    if (event?.type !== type) continue;
    const { type: _, from: __, ...payload } = event as Payload;
    if (other === node) return payload;
    if (chartsOf(recording, other).some((chart) => charts.has(chart))) ofOther = payload;
  }
  return ofOther;
}

function chartsOf(recording: ReadTrace, node: number): string[] {
  return (recording.slotsOf[node] ?? []).flatMap(({ lines }) => {
    const last = lines.at(-1);
    return last === undefined ? [] : Object.values(recording.step(last)?.roles ?? {}).flatMap((role) => role?.chart ?? []);
  });
}

export const eventFields = (sample: Payload | null): readonly EventField[] =>
  Object.entries(sample ?? {}).map(([name, value]) => ({ name, ...written(value) }));

function written(value: unknown): Pick<EventField, 'kind' | 'value'> {
  switch (typeof value) {
    case 'string':
      return { kind: 'text', value };
    case 'number':
    case 'boolean':
      return { kind: typeof value as 'number' | 'boolean', value: String(value) };
    default:
      return { kind: 'json', value: JSON.stringify(value) ?? '' };
  }
}

/** The value of a field, `undefined` for one that is empty or cannot be read. */
export function valueOfField({ kind, value }: EventField): unknown {
  if (kind === 'text') return value;
  if (value.trim() === '') return undefined;
  if (kind === 'boolean') return value === 'true';
  if (kind === 'number') return Number.isFinite(Number(value)) ? Number(value) : undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** An event, or why a text is none. */
export type WrittenEvent = { readonly event: { readonly type: string } } | { readonly problem: string };

/** Reads an event from `GO`, `ADD {"count":1}` or `{"type":"ADD","count":1}`. Returns `null` for an empty text. */
export function writtenEvent(text: string): WrittenEvent | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const start = trimmed.indexOf('{');
  if (start < 0) return { event: { type: trimmed } };
  const before = trimmed.slice(0, start).trim();
  let payload: unknown;
  try {
    payload = JSON.parse(trimmed.slice(start));
  } catch (error) {
    return { problem: `The text from { on is not JSON: ${thrownText(error)}` };
  }
  const type = before === '' ? fieldsOf(payload)['type'] : before;
  if (!isObject(payload) || typeof type !== 'string') return { problem: 'The event has no type. Write {"type":"GO"}, or GO.' };
  return { event: { ...payload, type } };
}
