/**
 * The record of rehearsals of what ships: `record.ndjson`, a line for each batch of schedules, as `swarm.deep.ts` prints it. New batches
 * go to its end, and `npx vitest run test/rehearsal/record -u` writes their sums into docs/rehearsal-record.md and docs/rehearsal.md.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Batch {
  /** Which of `PERIODS`, from 1. */
  readonly period: number;
  /** A name in `swarm.deep.ts`. */
  readonly workload: string;
  /** `A to B, C to D`: all of these; `some of A to B`: as many as `schedules` says; empty where nobody wrote them down. */
  readonly seeds: string;
  readonly schedules: number;
  readonly grants: number;
  readonly faults: number;
  readonly operations: number;
  readonly failed: number;
  readonly note?: string;
}

/** What changed about the schedules, or in what they run, so much that sums before and after are told apart. */
export const PERIODS = [
  'the first worlds: few kinds of faults, limits that ship or small ones',
  'all kinds of faults; all are equally far apart and start together',
  'each pair has a latency of its own, some start late, and in four runs of ten nothing fails',
  'since a peer that starts late leaves a holder its lock',
];

const COUNTS = ['schedules', 'grants', 'faults', 'operations', 'failed'] as const;
type Counts = Record<(typeof COUNTS)[number], number>;

export const lineOf = (batch: Batch): string => JSON.stringify(batch);

/** @throws Error for a line that is no batch. */
export function batchOf(line: string): Batch {
  const batch = JSON.parse(line) as Batch;
  const { period, workload, seeds, schedules } = batch;
  const refuse = (why: string): never => {
    throw new Error(`${line}: ${why}`);
  };
  if (!(period in [0, ...PERIODS]) || period === 0) refuse(`period is none from 1 to ${PERIODS.length}`);
  if (!workload) refuse('workload is missing');
  for (const count of COUNTS) if (!Number.isSafeInteger(batch[count]) || batch[count] < 0) refuse(`${count} is no count`);
  const ranges = [...seeds.matchAll(/(\d+) to (\d+)/g)].map(([, first, last]) => Number(last) - Number(first) + 1);
  const all = ranges.reduce((sum, length) => sum + length, 0);
  if (seeds !== '' && (seeds.startsWith('some of ') ? all < schedules : all !== schedules))
    refuse(`${seeds} are ${all} seeds, and schedules ${schedules}`);
  return batch;
}

export const recorded = (): readonly Batch[] =>
  readFileSync(fileURLToPath(new URL('record.ndjson', import.meta.url)), 'utf8')
    .trim()
    .split('\n')
    .map(batchOf);

export const sumOf = (batches: readonly Batch[]): Counts =>
  Object.fromEntries(COUNTS.map((count) => [count, batches.reduce((sum, batch) => sum + batch[count], 0)])) as Counts;

const told = (count: number): string => (count === 0 ? '' : count.toLocaleString('en'));
const row = (...cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => (typeof cell === 'number' ? told(cell) : cell)).join(' | ')} |`.replaceAll('  ', ' ');

/** Two tables: what each workload has run, and how many schedules in which period. */
export function tablesOf(batches: readonly Batch[]): string {
  const workloads = [...new Set(batches.map(({ workload }) => workload))].sort();
  const of = (workload: string) => batches.filter((batch) => batch.workload === workload);
  const counts = (name: string, some: readonly Batch[]) => row(name, ...Object.values(sumOf(some)));
  const periods = (name: string, some: readonly Batch[]) =>
    row(name, ...PERIODS.map((_, i) => sumOf(some.filter(({ period }) => period === i + 1)).schedules));
  const table = (head: readonly string[], line: typeof counts) => [
    row(...head),
    row(...head.map(() => '---')).replaceAll(' ', ''),
    ...workloads.map((workload) => line(workload, of(workload))),
    line('**all**', batches),
  ];
  return [
    ...table(['workload', ...COUNTS], counts),
    '',
    ...PERIODS.map((says, i) => `${i + 1}. ${says}`),
    '',
    ...table(['schedules in period', ...PERIODS.map((_, i) => `${i + 1}`)], periods),
  ].join('\n');
}
