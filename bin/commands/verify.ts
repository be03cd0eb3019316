/** `quiver verify TRACE`: checks a recorded trace against the charts and the properties, line by line. */
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { parseText } from '../../network/scenario/text.js';
import { TRACE_VERSION, type TraceHeader, type TraceLine } from '../../network/trace.js';
import { verifyTrace } from '../../test/verify/verify.js';
import type { VerbWork } from '../verbs.js';
import { protocolsFor } from '../protocols.js';
import { readFile } from '../read-file.js';
import { exitStatusOf } from '../usage.js';
import { isTraceHeader, unexpectedTrace } from '../unexpected-trace.js';
import { number, property, verdictInColor } from '../style.js';

const command: VerbWork<'verify'> = async (values, words) => {
  const [path, ...more] = words;
  if (path === undefined || more.length > 0) throw new UsageError('quiver verify takes one trace file: npx quiver verify TRACE');
  const [first, ...rest] = readFile(path).trimEnd().split('\n');
  const header = readHeader(first ?? '', path);
  const { protocol, options, graph } = parseScenario(header.scenario, await protocolsFor(header.scenario), readFile);
  const lines = rest.map((text, i) => readLine(text, path, i + 2));
  if (lines.length === 0) throw new UsageError(`${path} contains no steps to verify. Record it again.`);
  const { steps, impossible, violations, properties } = verifyTrace(protocol, { ...graph, options }, header, lines);
  const isRefuted = impossible !== null || violations.length > 0;
  // A run that continues may still fulfill open promises; a complete trace ends with its verdict.
  const isWhole = lines.at(-1)!.kind === 'verdict' || properties.every(({ holds }) => holds !== null);
  const verdict = isRefuted ? 'invalid' : isWhole ? 'valid' : 'unknown';
  if (values.json) {
    console.log(JSON.stringify({ verdict, steps, impossible, violations, properties }));
  } else {
    console.log(`${verdictInColor(verdict)}  ${path}: ${number(steps)} steps of ${protocol.name}`);
    if (impossible) console.log(`  line ${impossible.line}: the charts cannot do this: ${impossible.what}`);
    for (const { line, what } of violations) console.log(`  line ${line}: ${what}`);
    for (const result of properties) console.log(`  ${property(result)}`);
    if (verdict === 'unknown')
      console.log(
        '  its last line is not a verdict: it was cut off, or recorded during the run. Open properties may still be satisfied',
      );
  }
  return exitStatusOf([verdict]);
};

function readHeader(text: string, path: string): TraceHeader {
  const header = readJson(text, path, 1);
  if (isTraceHeader(header)) {
    if (isObject(header.scenario) && Array.isArray(header.nodes)) return header as TraceHeader;
    if (header.live) throw unexpectedTrace(path, header, 'names no scenario to check against');
  }
  throw new UsageError(
    `${path} was not recorded by this version (its first line has no "quiver": ${TRACE_VERSION}, scenario and nodes). Record a trace: npx quiver run SCENARIO --trace FILE`,
  );
}

function readLine(text: string, path: string, line: number): TraceLine {
  const parsed = readJson(text, path, line);
  if (isObject(parsed) && isLine(parsed)) return parsed as unknown as TraceLine;
  throw new UsageError(`Line ${line} of ${path} is neither a step nor an event of a trace. Record the trace again.`);
}

function isLine({ kind, at, node, event, sent, emitted, roles }: Readonly<Record<string, unknown>>): boolean {
  if (typeof kind !== 'string' || typeof at !== 'number') return false;
  if (node === undefined) return true;
  const isEvent = isObject(event) && typeof event['type'] === 'string';
  return typeof node === 'string' && isEvent && areObjects(sent) && areObjects(emitted) && isObject(roles);
}

const areObjects = (list: unknown): boolean => Array.isArray(list) && list.every(isObject);

function readJson(text: string, path: string, line: number): unknown {
  try {
    return parseText(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`Line ${line} of ${path} is truncated or damaged (${error.message}). Record the trace again.`);
  }
}

export default command;
