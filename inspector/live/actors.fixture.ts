/** Recordings of XState's actors as short lines, and as a trace. */
import { onTestFinished } from 'vitest';
import { isStep, type StepLine, type TraceLine } from '../../network/trace.js';
import { reportActors } from './actors.js';
import { Merger } from './merge.js';
import type { StepReport } from './report.js';

/** Returns a function that returns all reports since this call, in their order. */
export function recordActors(): () => StepReport[] {
  const reports: StepReport[] = [];
  onTestFinished(reportActors((report) => reports.push(report)));
  return () => reports.sort((a, b) => a.at - b.at);
}

/** The trace of some reports. No report may wait for a later one. */
export function traceOf(reports: readonly StepReport[]): TraceLine[] {
  const lines: TraceLine[] = [];
  const merger = new Merger(reports[0]!.at, (line) => lines.push(line));
  for (const report of reports) {
    if (!merger.isReadyFor(report)) throw new Error(`${report.node} takes ${report.event.type} before it was sent`);
    merger.take(report);
  }
  if (merger.inFlight.length > 0) throw new Error(`on its way for ever: ${JSON.stringify(merger.inFlight)}`);
  return lines;
}

/** The name of an actor without those of its parents. */
const idOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** Each step: who took what from whom, by which transitions, and what it sent. */
export const stepsOf = (reports: readonly StepReport[]): string[] =>
  traceOf(reports)
    .filter(isStep)
    .map(({ node, kind, event, taken = [], sent }: StepLine) => {
      const from = kind === 'deliver' ? ` of ${idOf(String(event['from']))}` : '';
      const by = taken.map(([, state, type]) => ` [${state}/${type}]`).join('');
      const out = sent.map(({ to, message }) => ` > ${idOf(to)} ${message.type}`).join('');
      return `${idOf(node)}: ${event.type}${from}${by}${out}`;
    });
