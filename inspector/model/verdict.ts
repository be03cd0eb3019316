/** The result of the properties in a trace: the violations with their places, and the verdict at its end. */
import type { NetworkLine } from '../../network/trace.js';
import type { ReadTrace } from './recording.js';

export interface JudgedProperty {
  readonly property: string;
  readonly kind: string | null;
  readonly description: string;
  /** `null` if the run could not decide it, or if the trace does not contain a result. */
  readonly holds: boolean | null;
  /** The line after which the violation is visible: the step that caused it, or the line that records it. */
  readonly line: number | null;
  /** The nodes that violate it, for a property of single nodes. */
  readonly nodes: readonly string[];
}

export interface TraceVerdict {
  /** `null` for a trace that ends without one: an old one, one that was cut off, one that is still being written. */
  readonly verdict: 'valid' | 'invalid' | 'unknown' | null;
  /** The violated ones first. */
  readonly findings: readonly JudgedProperty[];
  readonly violated: readonly JudgedProperty[];
  /** The line from which the run repeats or rests forever. */
  readonly endless: { readonly from: number; readonly rests: boolean } | null;
}

export function verdictOf(recording: ReadTrace): TraceVerdict {
  const properties = recording.header?.properties ?? [];
  const end = recording.verdict === null ? undefined : (recording.line(recording.verdict) as NetworkLine);
  const results = new Map((end?.properties ?? []).map((result) => [result.name, result]));
  const violations = new Map<string, { line: number; entry: NetworkLine }>();
  for (const line of recording.violations) {
    const entry = recording.line(line) as NetworkLine;
    const name = propertyOf(entry, properties);
    if (!violations.has(name)) violations.set(name, { line: recording.seenAt(line), entry });
  }
  const description = new Map(properties.map((property) => [property.name, property]));
  const names = new Set([...violations.keys(), ...description.keys(), ...results.keys()]);
  const findings = [...names].map((property): JudgedProperty => {
    const violation = violations.get(property);
    const known = description.get(property);
    return {
      property,
      kind: known?.kind ?? results.get(property)?.kind ?? null,
      description: known?.description ?? violation?.entry.why ?? '',
      holds: violation ? false : (results.get(property)?.holds ?? null),
      line: violation?.line ?? null,
      nodes: violation?.entry.refutes?.nodes ?? [],
    };
  });
  const violated = findings.filter(({ holds }) => holds === false);
  return {
    verdict: end?.verdict ?? null,
    findings: [...violated, ...findings.filter(({ holds }) => holds !== false)],
    violated,
    endless: endlessOf(recording),
  };
}

/** Old traces contain only words: `property: what it means`. */
function propertyOf({ refutes, why = '' }: NetworkLine, properties: readonly { readonly name: string }[]): string {
  return refutes?.property ?? properties.find(({ name }) => why.startsWith(`${name}:`))?.name ?? why.split(':')[0]!;
}

function endlessOf(recording: ReadTrace): TraceVerdict['endless'] {
  const { endless: from } = recording;
  if (from === null) return null;
  const { choices, refutes } = recording.header ?? {};
  return { from, rests: refutes?.loop === choices?.length };
}
