/**
 * A trace as spans of OpenTelemetry (OTLP in JSON), for any collector that takes a file: each node a service; each step a span, from the
 * sending of the message that it took until it took it, below the span of the step that sent it. What is asked from outside, and a timer,
 * begins a trace of its own. A tick is a millisecond since the epoch.
 */
import type { StepLine, TraceHeader, TraceLine } from '../../network/trace.js';
import { valueText } from '../model/values.js';
import { timedSteps, type TimedStep } from './timeline.js';

const NANOSECONDS = 1_000_000;
const KIND = { internal: 1, consumer: 5 } as const;

export function openTelemetrySpans(header: TraceHeader, lines: readonly TraceLine[]): string {
  const byNode = new Map<string, object[]>();
  const roots = new Map<TimedStep, number>();
  for (const timed of timedSteps(header, lines)) {
    const { step, line, at, cause } = timed;
    const root = cause ? roots.get(cause)! : line;
    roots.set(timed, root);
    const spans = byNode.get(step.node) ?? [];
    byNode.set(step.node, spans);
    spans.push({
      traceId: (root + 1).toString(16).padStart(32, '0'),
      spanId: (line + 1).toString(16).padStart(16, '0'),
      ...(cause && { parentSpanId: (cause.line + 1).toString(16).padStart(16, '0') }),
      name: step.event.type,
      kind: cause ? KIND.consumer : KIND.internal,
      startTimeUnixNano: String(Math.round((cause?.at ?? at) * NANOSECONDS)),
      endTimeUnixNano: String(Math.round(at * NANOSECONDS)),
      attributes: attributesOf(step),
    });
  }
  const scope = { name: 'xstate-quiver', version: String(header.quiver) };
  const resourceSpans = [...byNode].map(([node, spans]) => ({
    resource: { attributes: [attribute('service.name', node), attribute('service.namespace', header.protocol)] },
    scopeSpans: [{ scope, spans }],
  }));
  return `${JSON.stringify({ resourceSpans })}\n`;
}

const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });

const attributesOf = ({ kind, event, roles }: StepLine) => [
  attribute('quiver.kind', kind),
  attribute('quiver.event', JSON.stringify(event)),
  ...Object.entries(roles).map(([role, view]) => attribute(`quiver.state.${role}`, view ? valueText(view.value) : 'closed')),
];
