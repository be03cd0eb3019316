/**
 * Runs of one scenario with other events, as a viewer's gestures make them: what two have in common is made once.
 *
 * Up to the first event in which two scenarios differ their runs are the same, byte for byte. So the lines until then are those of the
 * run before, and the simulation passes that time without recording, which is most of what a run costs. The text of one run is kept, the last.
 */
import { Recorder, traceHeader } from '../network/recorder.js';
import type { Scenario } from '../network/scenario/types.js';
import { Simulation } from '../network/simulation.js';
import type { TraceLine } from '../network/trace.js';
import { recordRun } from './recording.js';

/** A longer run is not kept. */
const CHARACTERS_MAX = 64_000_000;

interface Kept {
  readonly json: unknown;
  readonly lines: readonly string[];
  readonly times: readonly number[];
}

/** Events, as far as they are looked at here. */
type Json = { readonly events?: readonly { readonly at?: unknown }[] };

export class Forks {
  private kept: Kept | null = null;

  constructor(private readonly charactersMax = CHARACTERS_MAX) {}

  /** The trace of the scenario, made as it is asked for; at the end how many of its lines are those of the run before. */
  *run(scenario: Scenario, json: unknown): Generator<string, number> {
    const { kept } = this;
    const fork = kept && this.fork(kept, scenario, json);
    const lines: string[] = [];
    const times: number[] = [];
    let room = this.charactersMax;
    const keep = (text: string, at: number) => {
      if ((room -= text.length) < 0) return;
      lines.push(text);
      times.push(at);
    };
    if (fork) {
      yield fork.header;
      for (let i = 0; i < fork.before; i++) {
        keep(kept.lines[i]!, kept.times[i]!);
        yield kept.lines[i]!;
      }
    }
    for (const line of fork ? fork.rest : recordRun(scenario, json)) {
      const text = `${JSON.stringify(line)}\n`;
      if ('at' in line) keep(text, line.at);
      yield text;
    }
    this.kept = room < 0 ? null : { json, lines, times };
    return fork?.before ?? 0;
  }

  /** What comes from the first difference on, if the run before it is known. */
  private fork(kept: Kept, scenario: Scenario, json: unknown) {
    const from = firstDifference(kept.json as Json, json as Json);
    if (!(from > 0)) return null;
    const simulation = new Simulation(scenario, { host: 'snapshots' });
    const header = `${JSON.stringify(traceHeader(scenario.protocol, json, scenario.seed, simulation.network))}\n`;
    const recorder = new Recorder(simulation.network, scenario.protocol, simulation.monitor);
    recorder.beQuiet();
    simulation.start();
    while ((simulation.clock.nextTime() ?? Infinity) < from && simulation.advance());
    const before = recorder.speak();
    const { times } = kept;
    const isWhole = before > 0 && before <= times.length && times[before - 1]! < from && (times[before] ?? Infinity) >= from;
    return isWhole ? { header, before, rest: restOf(simulation, recorder) } : null;
  }
}

function* restOf(simulation: Simulation, recorder: Recorder): Generator<TraceLine> {
  let lines: TraceLine[] = [];
  recorder.lines$.subscribe((line) => lines.push(line));
  const take = () => {
    const taken = lines;
    lines = [];
    return taken;
  };
  while (simulation.advance()) yield* take();
  recorder.conclude(simulation.finish());
  yield* take();
}

/** The time of the first event that only one has; -1 where they differ in anything else, or in the order of what both have. */
function firstDifference({ events: a = [], ...one }: Json, { events: b = [], ...other }: Json): number {
  if (JSON.stringify(one) !== JSON.stringify(other)) return -1;
  const [textsA, textsB] = [a.map((event) => JSON.stringify(event)), b.map((event) => JSON.stringify(event))];
  const [inA, inB] = [new Set(textsA), new Set(textsB)];
  const common = (texts: readonly string[], others: ReadonlySet<string>) => texts.filter((text) => others.has(text)).join('\n');
  if (common(textsA, inB) !== common(textsB, inA)) return -1;
  const different = [...a.filter((_, i) => !inB.has(textsA[i]!)), ...b.filter((_, i) => !inA.has(textsB[i]!))];
  return Math.min(...different.map(({ at }) => (typeof at === 'number' ? at : -1)));
}
