/**
 * Reads a trace that arrives in pieces cut anywhere, and describes an invalid one in a single line.
 *
 * The part before an error stays readable: a truncated file shows everything up to the cut. A line with an invalid part is recorded as left
 * out, and reading continues after it.
 */
import { UsageError } from '../../machines/errors.js';
import { TRACE_VERSION, type TraceHeader, type TraceLine } from '../../network/trace.js';
import {
  areRoles,
  areTransitions,
  LINE_DEPTH_MAX,
  isListOf,
  isMessage,
  isOverlay,
  isRecord,
  isString,
  isTooDeep,
  TOO_DEEP,
  type JsonRecord,
} from './line-checks.js';

/** No honest line comes near this; a binary file or a giant JSON array does. */
const LINE_CHARACTERS_MAX = 16_000_000;
/** The page cannot display more nodes than this. */
const NODES_MAX = 20_000;

export interface Sink {
  header(header: TraceHeader): void;
  line(line: TraceLine, text: string): void;
}

export class TraceReader {
  /** The reason why reading stopped, if it did. */
  problem: string | null = null;
  private rest = '';
  private lines = 0;

  constructor(private readonly sink: Sink) {}

  push(piece: string): void {
    if (this.problem !== null) return;
    const text = this.rest + piece;
    let from = 0;
    for (let to = text.indexOf('\n'); to >= 0 && this.problem === null; to = text.indexOf('\n', from)) {
      this.read(text.slice(from, to));
      from = to + 1;
    }
    this.rest = text.slice(from);
    if (this.rest.length > LINE_CHARACTERS_MAX)
      this.stop(`line ${this.lines + 1} does not end within ${LINE_CHARACTERS_MAX} characters`);
  }

  /** Ends the source: the rest is a last line without a line break, or half a line. */
  end(): void {
    if (this.problem !== null) return;
    const last = this.rest;
    this.rest = '';
    if (this.lines > 0 && last.trim() !== '' && !isJson(last)) {
      this.problem = `The trace ends in the middle of line ${this.lines + 1}: it was cut off.`;
    } else this.read(last);
    if (this.lines === 0) this.problem = 'The trace is empty.';
  }

  private read(text: string): void {
    if (text.trim() === '') return;
    this.lines++;
    try {
      if (this.lines === 1) this.sink.header(checkHeader(parse(text)));
      else this.sink.line(lineOf(text), text);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.stop(error.message);
    }
  }

  private stop(why: string): void {
    this.problem = this.lines <= 1 ? `This is not a Quiver trace: ${why}.` : `Reading stopped at line ${this.lines}: ${why}.`;
  }
}

/** The error in the first line of an alleged trace, if there is one. */
export function complaintAbout(trace: string): string | null {
  const reader = new TraceReader({ header: () => {}, line: () => {} });
  const text = trace.trimStart();
  const end = text.indexOf('\n');
  reader.push(end < 0 ? text : text.slice(0, end));
  reader.end();
  return reader.problem;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('the line is not JSON');
  }
}

function isJson(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new UsageError(what);
}

export function checkHeader(value: unknown): TraceHeader {
  demand(isRecord(value) && 'quiver' in value, 'its first line is not the header {"quiver": …}');
  demand(!isTooDeep(value), TOO_DEEP);
  const version = value['quiver'];
  demand(
    version === TRACE_VERSION,
    `it is of version ${String(version)} and this inspector reads version ${TRACE_VERSION}; open it with the xstate-quiver that wrote it`,
  );
  const { protocol, nodes, links, charts } = value;
  demand(typeof protocol === 'string', 'its header names no "protocol"');
  demand(Array.isArray(nodes) && nodes.every(isString), 'the "nodes" of its header are not a list of names');
  demand(nodes.length <= NODES_MAX, `it has ${nodes.length} nodes and the page shows at most ${NODES_MAX}`);
  demand(Array.isArray(links) && links.every(isLink), 'the "links" of its header are not a list of [node, node, weight]');
  demand(isRecord(charts), 'its header has no "charts"');
  demand(value['began'] === undefined || typeof value['began'] === 'number', 'the "began" of its header is not a number');
  const coverage = value['coverage'] ?? {};
  demand(isRecord(coverage) && Object.values(coverage).every(isRecord), 'the "coverage" of its header is not a record of charts');
  const properties = value['properties'] ?? [];
  demand(Array.isArray(properties) && properties.every(isProperty), 'the "properties" of its header have no names');
  return value as unknown as TraceHeader;
}

const isProperty = (property: unknown): boolean => isRecord(property) && typeof property['name'] === 'string';

const isLink = (link: unknown): boolean =>
  Array.isArray(link) && typeof link[0] === 'string' && typeof link[1] === 'string' && typeof link[2] === 'number';

/** Parses a line of a trace. A line that cannot be shown becomes a note about it. Throws a `UsageError` if it is not a line at all. */
export function lineOf(text: string): TraceLine {
  const value = parse(text);
  demand(isRecord(value) && typeof value['at'] === 'number' && typeof value['kind'] === 'string', 'it has no "at" or no "kind"');
  const { index, at, clock } = value;
  demand(isRecord(clock), 'it has no vector "clock"');
  try {
    // A deeply nested value takes at least two characters for each level.
    demand(text.length < 2 * LINE_DEPTH_MAX || !isTooDeep(value), TOO_DEEP);
    checkParts(value);
    return value as unknown as TraceLine;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { index: index as number, at, kind: 'skipped', unshown: error.message, clock: {} };
  }
}

function checkParts(value: JsonRecord): void {
  const { between, properties = [], refutes, unshown } = value;
  demand(unshown === undefined || isString(unshown), '"unshown" is not a text');
  demand(between === undefined || (isListOf(between, isString) && between.length === 2), '"between" is not a pair of nodes');
  demand(isListOf(properties, isProperty), 'its "properties" have no names');
  demand(refutes === undefined || isRefuted(refutes), '"refutes" does not name a property');
  if (!('node' in value)) return;
  const { node, event, sent, emitted, roles, taken = [], refused = [], overlay, charts } = value;
  demand(isString(node), '"node" is not a name');
  demand(isMessage(event), 'its "event" has no type');
  demand(isListOf(sent, isFlight), '"sent" is not a list of messages with id, to and message');
  demand(isListOf(emitted, isMessage), '"emitted" is not a list of events');
  demand(areRoles(roles), '"roles" is not a record of roles with chart, value and context');
  demand(areTransitions(taken) && areTransitions(refused), '"taken" and "refused" are not lists of transitions');
  demand(overlay === undefined || isOverlay(overlay), '"overlay" is not a record of marks');
  demand(charts === undefined || isRecord(charts), 'its "charts" are not a record');
  for (const key of ['by', 'parent', 'logic', 'group'])
    demand(value[key] === undefined || isString(value[key]), `"${key}" is not a text`);
}

const isRefuted = (value: unknown): boolean =>
  isRecord(value) && isString(value['property']) && (value['nodes'] === undefined || isListOf(value['nodes'], isString));

const isFlight = (flight: unknown): boolean =>
  isRecord(flight) && typeof flight['id'] === 'number' && typeof flight['to'] === 'string' && isMessage(flight['message']);
