/** Repeats a recorded walk through a system, on live actors or snapshots, and compares each step with the recorded one. */
import type { Protocol } from '../../machines/protocol.js';
import type { HostKind } from '../../network/world/hosts.js';
import type { Selected } from '../../network/world/selections.js';
import type { Violation } from '../../network/monitor.js';
import { recordRun } from '../../network/record-run.js';
import { Recorder } from '../../network/recorder.js';
import { Simulation } from '../../network/simulation.js';
import type { TraceLine } from '../../network/trace.js';
import type { Choice } from '../../network/world/choice.js';
import { describe } from '../../network/transcript.js';
import { onCharts, type System } from './systems.js';
import type { SystemWalk } from './tours.js';
import { thrownText } from '../../machines/errors.js';

/** A walk through a system, with its trace. */
export interface RecordedWalk extends SystemWalk {
  readonly lines: readonly string[];
}

/** A running system in which a test makes every choice. */
export class RunningSystem {
  /** Properties that a run without time can refute, and this one has. */
  readonly violations: Violation[] = [];
  private readonly choices: Choice[] = [];
  private readonly simulation: Simulation;
  private lines: TraceLine[] = [];

  constructor(system: System, protocol: Protocol, host: HostKind) {
    const { choices } = this;
    this.simulation = new Simulation(onCharts(system, protocol), { host, choices });
    const { network, monitor, instance } = this.simulation;
    const timed = new Set(protocol.properties(instance).flatMap(({ name, kind }) => (kind === 'converges' ? [name] : [])));
    monitor.violations$.subscribe((violation) => {
      if (!timed.has(violation.property)) this.violations.push(violation);
    });
    new Recorder(network, protocol).lines$.subscribe((line) => this.lines.push(line));
    this.simulation.start();
  }

  /** The lines of the trace since the last time. */
  take(): readonly TraceLine[] {
    const { lines } = this;
    this.lines = [];
    return lines;
  }

  make(choice: Choice): readonly TraceLine[] {
    this.choices.push(choice);
    this.simulation.advance();
    return this.take();
  }

  stop(): void {
    this.simulation.network.stop();
  }
}

/** A walk with its violations, as a trace for the inspector. */
export const traceOfWalk = ({ system, choices }: SystemWalk, protocol: Protocol, host: HostKind): ReturnType<typeof recordRun> =>
  recordRun(onCharts(system, protocol), system.json, { host, choices });

/**
 * Takes a walk and records its trace, for `walkAgain`.
 *
 * @public
 */
export function recordWalk(walk: SystemWalk, protocol: Protocol): RecordedWalk {
  const running = new RunningSystem(walk.system, protocol, 'snapshots');
  const lines = [running.take(), ...walk.choices.map((choice) => running.make(choice))];
  return { ...walk, lines: lines.flat().map(outcomeOf) };
}

/**
 * The result of a step, without the transitions that led there: charts with the same behavior are equal, wherever their transitions are.
 */
function outcomeOf(line: TraceLine): string {
  const { taken: _, refused: __, ...outcome }: TraceLine & Partial<Selected> = line;
  return JSON.stringify(outcome);
}

/**
 * The first step at which a repeated walk differs from the recorded one, or a property that it violates. `null` if there is none.
 *
 * @public
 */
export function walkAgain({ system, choices, lines }: RecordedWalk, protocol: Protocol, host: HostKind): string | null {
  let running: RunningSystem | undefined;
  try {
    running = new RunningSystem(system, protocol, host);
    let seen = 0;
    for (const choice of [null, ...choices]) {
      const taken = choice ? running.make(choice) : running.take();
      for (const line of taken) {
        const expected = lines[seen++];
        if (outcomeOf(line) !== expected)
          return `${describe(line)} instead of ${expected === undefined ? 'nothing more' : describe(JSON.parse(expected))}`;
      }
    }
    const [violation] = running.violations;
    if (violation) return `${violation.property} is violated after step ${violation.index}: ${violation.description}`;
    return seen === lines.length ? null : `nothing more instead of ${describe(JSON.parse(lines[seen]!))}`;
  } catch (error) {
    return thrownText(error);
  } finally {
    running?.stop();
  }
}
