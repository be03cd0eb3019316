/** What exports need to know of a trace beyond its lines: when each happened, and which step sent each message. */
import { isStep, type StepLine, type TraceHeader, type TraceLine } from '../../network/trace.js';

/** A delivery of a message, or another step. */
export interface TimedStep {
  readonly step: StepLine;
  /** Its place among all lines. */
  readonly line: number;
  /** Ticks of the trace; of a counterexample, in which no time passes, lines. */
  readonly at: number;
  /** The step that sent the message that it takes. */
  readonly cause: TimedStep | null;
}

export function timedSteps({ choices }: TraceHeader, lines: readonly TraceLine[]): TimedStep[] {
  const senders = new Map<number, TimedStep>();
  const steps: TimedStep[] = [];
  for (const [line, step] of lines.entries()) {
    if (!isStep(step)) continue;
    const cause = step.kind === 'deliver' && step.message !== undefined ? (senders.get(step.message) ?? null) : null;
    const timed: TimedStep = { step, line, at: choices ? line : step.at, cause };
    steps.push(timed);
    for (const { id } of step.sent) senders.set(id, timed);
  }
  return steps;
}
