/**
 * Runs of one scenario with other events, as a viewer's gestures make them: what two have in common is made once.
 *
 * Up to the first event in which two scenarios differ their runs are the same, byte for byte. So the lines until then are those of the
 * run before, and the simulation goes on from the last checkpoint before that time: what a fork costs is what comes after it. Where
 * `Simulation.goOn` cannot begin in the middle, the simulation passes the time from the start without recording, which is most of what a
 * run costs. The text of one run is kept, the last, and a bounded number of its checkpoints.
 */
import { Recorder, traceHeader } from '../network/recorder.js';
import type { Scenario } from '../network/scenario/types.js';
import { Simulation } from '../network/simulation.js';
import type { TraceLine } from '../network/trace.js';

/** A longer run is not kept. */
const CHARACTERS_MAX = 64_000_000;
/** When there are more, every second one goes, and the distance doubles. */
const CHECKPOINTS_MAX = 16;
/** The least distance in lines; a copy costs what there are nodes, and so networks with more nodes have theirs farther apart. */
const LINES_APART = 256;

/** A run at a moment between two ticks, which stays there. */
interface Checkpoint {
  readonly line: number;
  readonly simulation: Simulation;
  readonly recorder: Recorder;
}

interface Kept {
  readonly json: unknown;
  readonly lines: string[];
  readonly times: number[];
  checkpoints: readonly Checkpoint[];
  /** In lines, between two checkpoints. */
  apart: number;
}

/** The events of a scenario, as far as they are compared here. */
type Json = { readonly events?: readonly { readonly at?: unknown }[] };

/** Limits: the maximum number of characters of a recorded run, and the minimum number of lines between checkpoints. */
export interface ForkLimits {
  readonly characters?: number;
  readonly linesApart?: number;
}

export class Forks {
  private kept: Kept | null = null;
  private readonly charactersMax: number;
  private readonly linesApart: number;
  /** How many lines of the last fork had to be passed again, without being recorded. */
  passed = 0;

  constructor({ characters = CHARACTERS_MAX, linesApart = LINES_APART }: ForkLimits = {}) {
    this.charactersMax = characters;
    this.linesApart = linesApart;
  }

  /** The trace of the scenario, computed lazily. Returns the number of lines that it shares with the previous run. */
  *run(scenario: Scenario, json: unknown): Generator<string, number> {
    const { kept } = this;
    const fork = kept && this.fork(kept, scenario, json);
    const { simulation, recorder, before, checkpoints, apart } = fork ?? { ...this.begin(scenario), before: 0 };
    const next: Kept = { json, lines: [], times: [], checkpoints, apart };
    let room = this.charactersMax;
    const keep = (text: string, at: number) => {
      if ((room -= text.length) < 0) return;
      next.lines.push(text);
      next.times.push(at);
    };
    yield `${JSON.stringify(traceHeader(scenario.protocol, json, scenario.seed, simulation.network))}\n`;
    for (let i = 0; i < before; i++) {
      keep(kept!.lines[i]!, kept!.times[i]!);
      yield kept!.lines[i]!;
    }
    let lines: TraceLine[] = [];
    recorder.lines$.subscribe((line) => lines.push(line));
    const take = function* () {
      const taken = lines;
      lines = [];
      for (const line of taken) {
        const text = `${JSON.stringify(line)}\n`;
        keep(text, line.at);
        yield text;
      }
    };
    if (!fork) simulation.start();
    do {
      yield* take();
      if (room >= 0) mark(next, simulation, recorder);
    } while (simulation.advance());
    recorder.conclude(simulation.finish());
    yield* take();
    this.kept = room < 0 ? null : next;
    return before;
  }

  private begin(scenario: Scenario) {
    const simulation = new Simulation(scenario, { host: 'snapshots' });
    const recorder = new Recorder(simulation.network, scenario.protocol, simulation.monitor);
    return { simulation, recorder, checkpoints: [], apart: Math.max(this.linesApart, scenario.graph.topology.nodes.length) };
  }

  /** A run at the first difference, if the previous run is known. */
  private fork(kept: Kept, scenario: Scenario, json: unknown) {
    const from = firstDifference(kept.json as Json, json as Json);
    if (!(from > 0)) return null;
    const checkpoints = kept.checkpoints.filter(({ simulation }) => simulation.clock.now() < from);
    const last = checkpoints.at(-1);
    const copy = last && copyOf(last.simulation, last.recorder, scenario);
    const { simulation, recorder } = copy ?? this.begin(scenario);
    recorder.beQuiet();
    if (!copy) simulation.start();
    while ((simulation.clock.nextTime() ?? Infinity) < from && simulation.advance());
    const before = recorder.speak();
    this.passed = copy ? before - last.line : before;
    const { times, apart } = kept;
    const isWhole = before > 0 && before <= times.length && times[before - 1]! < from && (times[before] ?? Infinity) >= from;
    return isWhole ? { simulation, recorder, before, checkpoints, apart } : null;
  }
}

/** Keeps a checkpoint where the last one is far enough. */
function mark(run: Kept, simulation: Simulation, recorder: Recorder): void {
  const line = run.lines.length;
  if (line < (run.checkpoints.at(-1)?.line ?? 0) + run.apart || !simulation.isBetweenTicks) return;
  const copy = copyOf(simulation, recorder, simulation.scenario);
  if (!copy) return void (run.apart = Infinity);
  run.checkpoints = [...run.checkpoints, { line, ...copy }];
  if (run.checkpoints.length <= CHECKPOINTS_MAX) return;
  run.apart *= 2;
  run.checkpoints = run.checkpoints.filter((_, place) => place % 2 === 1);
}

function copyOf(from: Simulation, by: Recorder, scenario: Scenario) {
  const simulation = from.goOn(scenario);
  return simulation && { simulation, recorder: new Recorder(simulation.network, scenario.protocol, simulation.monitor, by) };
}

/** The time of the first event that only one has; -1 if they differ in anything else, or in the order of their common events. */
function firstDifference({ events: a = [], ...one }: Json, { events: b = [], ...other }: Json): number {
  if (JSON.stringify(one) !== JSON.stringify(other)) return -1;
  const [textsA, textsB] = [a.map((event) => JSON.stringify(event)), b.map((event) => JSON.stringify(event))];
  const [inA, inB] = [new Set(textsA), new Set(textsB)];
  const common = (texts: readonly string[], others: ReadonlySet<string>) => texts.filter((text) => others.has(text)).join('\n');
  if (common(textsA, inB) !== common(textsB, inA)) return -1;
  const different = [...a.filter((_, i) => !inB.has(textsA[i]!)), ...b.filter((_, i) => !inA.has(textsB[i]!))];
  return Math.min(...different.map(({ at }) => (typeof at === 'number' ? at : -1)));
}
