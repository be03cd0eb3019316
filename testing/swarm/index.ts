/**
 * The swarm: rehearsals of the library, in virtual time, by two processes. It needs the build.
 *
 *
 *     npm run swarm -- --minutes 10                                # fresh seeds, until the time is over
 *     npm run swarm -- --minutes 10 --seed 1                       # seeds from 1 on
 *     npm run swarm -- --workload 'objects over mesh' --seed 7     # that schedule
 *     npm run swarm -- --recorded                                  # the recorded schedules, as in CI
 *
 * A failing seed is printed with the line that repeats it; the exit status is 1 then. Record it in `recorded.ts`, with its cause and its
 * fix.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { FAILED, RECORDED } from './recorded.js';
import { isWorkload, WORKLOADS, type WorkloadName } from './workloads.js';

/** Schedules of one workload with successive seeds. */
export interface SwarmTask {
  readonly workload: WorkloadName;
  readonly seed: number;
  readonly schedules: number;
}

export interface Result {
  readonly task: SwarmTask;
  readonly schedules: number;
  readonly grants: number;
  readonly faults: number;
  readonly operations: number;
  /** Processor time. */
  readonly seconds: number;
  readonly failure: { readonly seed: number; readonly text: string } | null;
}

const PROCESSES = 2;
const SEEDS = 1_000_000_000;
/** The number of schedules that a process receives at once. */
const BATCH = 5;

const NAMES = Object.keys(WORKLOADS).filter(isWorkload);
const results: Result[] = [];
const secondsOf = (workload: WorkloadName): number => sum(workload, 'seconds');

function sum(workload: WorkloadName, field: 'schedules' | 'grants' | 'faults' | 'operations' | 'seconds'): number {
  return results.filter(({ task }) => task.workload === workload).reduce((total, result) => total + result[field], 0);
}

function* recordedTasks(): Generator<SwarmTask> {
  for (const { workload, seed } of FAILED) yield { workload, seed, schedules: 1 };
  for (const workload of NAMES) {
    for (let seed = 1; seed <= RECORDED[workload]; seed += BATCH)
      yield { workload, seed, schedules: Math.min(BATCH, RECORDED[workload] - seed + 1) };
  }
}

/** Endless: the next task belongs to the workload that has had the least of its share. */
function* freshTasks(first: number): Generator<SwarmTask> {
  const given = new Map<WorkloadName, number>(NAMES.map((name) => [name, 0]));
  const due = (name: WorkloadName) => (secondsOf(name) + given.get(name)! / 1e6) / WORKLOADS[name].share;
  for (;;) {
    const workload = NAMES.reduce((least, name) => (due(name) < due(least) ? name : least));
    const seed = first + given.get(workload)!;
    given.set(workload, given.get(workload)! + BATCH);
    yield { workload, seed, schedules: BATCH };
  }
}

function report({ task: { workload, seed }, schedules, seconds, failure }: Result): void {
  console.log(`${failure ? 'FAILED' : 'passed'} ${workload}, seeds ${seed} to ${seed + schedules - 1}, ${seconds.toFixed(1)} s`);
  if (!failure) return;
  console.log(failure.text);
  console.log(`  again: npm run swarm -- --workload '${workload}' --seed ${failure.seed}`);
}

async function work(child: ChildProcess, tasks: Iterator<SwarmTask>): Promise<void> {
  const ended = once(child, 'exit').then(([status, signal]) => `status ${String(status)}, signal ${String(signal)}`);
  for (let next = tasks.next(); !next.done; next = tasks.next()) {
    const { workload, seed, schedules } = next.value;
    child.send(next.value);
    const answer = await Promise.race([once(child, 'message'), ended]);
    if (typeof answer === 'string') {
      if (isOver) return;
      throw new Error(`A process of the swarm ended (${answer}) in "${workload}", seeds ${seed} to ${seed + schedules - 1}.`);
    }
    const result = answer[0] as Result;
    results.push(result);
    report(result);
  }
  child.disconnect();
}

let isOver = false;

/** @returns whether all schedules passed. */
async function swarm(tasks: Iterator<SwarmTask>, minutes = Infinity): Promise<boolean> {
  const children = Array.from({ length: PROCESSES }, () => fork(new URL('worker.js', import.meta.url)));
  const stop = () => {
    isOver = true;
    for (const child of children) child.kill();
  };
  const timer = minutes === Infinity ? undefined : setTimeout(stop, minutes * 60_000);
  try {
    await Promise.all(children.map((child) => work(child, tasks)));
  } finally {
    clearTimeout(timer);
    stop();
  }
  for (const name of NAMES) {
    const schedules = sum(name, 'schedules');
    if (schedules === 0) continue;
    const counts = (['grants', 'faults', 'operations'] as const).map((field) => `${sum(name, field)} ${field}`);
    console.log(`${name}: ${schedules} schedules, ${counts.join(', ')}, ${secondsOf(name).toFixed(0)} s of processor time`);
  }
  const failed = results.filter(({ failure }) => failure).length;
  const all = results.reduce((total, { schedules }) => total + schedules, 0);
  console.log(`${all} schedules, ${failed === 0 ? 'none' : failed} failed`);
  return failed === 0;
}

function usage(problem: string): never {
  console.error(`${problem}\nUsage: npm run swarm -- [--minutes 10] [--seed N] | --workload NAME --seed N | --recorded`);
  process.exit(64);
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    workload: { type: 'string' },
    recorded: { type: 'boolean', default: false },
  },
});
const { workload } = values;
const minutes = Number(values.minutes);
if (!(minutes > 0)) usage(`--minutes ${values.minutes} is not a time in minutes.`);
const seed = values.seed === undefined ? randomInt(SEEDS) : Number(values.seed);
if (!Number.isSafeInteger(seed)) usage(`--seed ${values.seed} is not an integer.`);
if (workload !== undefined && !isWorkload(workload)) usage(`Unknown workload "${workload}". There are: ${NAMES.join('; ')}.`);

const isPassed = await (values.recorded
  ? swarm(recordedTasks())
  : workload === undefined
    ? (console.log(`seeds from ${seed} on, ${minutes} minutes`), swarm(freshTasks(seed), minutes))
    : swarm([{ workload, seed, schedules: 1 }].values()));
process.exitCode = isPassed ? 0 : 1;
