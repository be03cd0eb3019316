/**
 * Checks a recorded trace of a simulation or of live transports against charts and properties. A world follows it line by line: the charts
 * repeat each step, and the properties are evaluated after it as in a simulation.
 *
 * A step that no chart can take ends the check, because the later state is unknown. Violated properties are reported with their lines.
 */
import type { Instance, PropertyResult, Protocol } from '../../machines/protocol.js';
import { Monitor } from '../../network/monitor.js';
import { isStep, type NetworkLine, type StepLine, type TraceHeader, type TraceLine } from '../../network/trace.js';
import { FollowedWorld, Impossible } from './follow.js';
import { requireProtocol } from '../../network/scenario/required.js';

export interface TraceFinding {
  /** Counted from 1, the header's. */
  readonly line: number;
  readonly what: string;
}

/**
 * The result for a trace: the first step that no chart can take, the violations with their lines, and each property.
 *
 * @public
 */
export interface Verification {
  readonly steps: number;
  /** The first step that no chart can take. */
  readonly impossible: TraceFinding | null;
  readonly violations: readonly TraceFinding[];
  /** Empty after an impossible step. */
  readonly properties: readonly PropertyResult[];
}

/**
 * Checks a recorded trace against charts and properties, by repeating every step. `quiver verify FILE` does this with a file.
 *
 * @param protocol that the trace is of.
 * @param instance the network's graph and the protocol's options, as the trace's scenario gives them.
 * @param header the first line of the trace.
 * @param lines all others.
 * @returns the first impossible step (`null` if there is none), and the violated properties.
 * @example
 * ```ts
 * import { parseScenario, Simulation, Recorder, traceHeader, type TraceLine } from 'xstate-quiver/network';
 * import { protocols } from 'xstate-quiver/machines';
 * import { verifyTrace } from 'xstate-quiver/check';
 *
 * const json = { protocol: 'directory', topology: { kind: 'path', n: 3 }, events: [{ at: 0, node: 'n2', do: 'request' }] };
 * const scenario = parseScenario(json, protocols);
 * const { network, instance } = new Simulation(scenario);
 * const header = traceHeader(scenario.protocol, json, scenario.seed, network);
 * const lines: TraceLine[] = [];
 * new Recorder(network, scenario.protocol).lines$.subscribe((line) => lines.push(line));
 * network.start();
 * console.log(verifyTrace(scenario.protocol, instance, header, lines).impossible); // null
 * ```
 * @public
 */
export function verifyTrace(
  protocol: Protocol,
  instance: Instance,
  header: TraceHeader,
  lines: readonly TraceLine[],
): Verification {
  requireProtocol('verifyTrace', protocol);
  return new Following(protocol, instance, header, lines).run();
}

class Following {
  private readonly followed: FollowedWorld;
  private readonly monitor: Monitor;
  private readonly violations: TraceFinding[] = [];
  private number = 1;
  private steps = 0;
  private at = 0;

  constructor(
    protocol: Protocol,
    instance: Instance,
    private readonly header: TraceHeader,
    private readonly lines: readonly TraceLine[],
  ) {
    this.followed = new FollowedWorld(protocol, instance, header, drawnAtStart(lines));
    this.monitor = new Monitor(protocol.properties(instance), this.followed.world.configuration);
    this.monitor.violations$.subscribe(({ property, description }) =>
      this.violations.push({ line: this.number, what: `${property}: ${description}` }),
    );
  }

  run(): Verification {
    let impossible: TraceFinding | null = null;
    for (const [i, line] of this.lines.entries()) {
      this.number = i + 2;
      try {
        if (line.at < this.at) throw new Impossible(`the time goes back from ${this.at} to ${line.at}`);
        this.at = line.at;
        if (isStep(line)) this.step(line);
        else this.event(line);
      } catch (error) {
        if (!(error instanceof Impossible)) throw error;
        impossible = { line: this.number, what: error.message };
        break;
      }
    }
    // After an impossible step, the state is unknown, and no property can be evaluated.
    const properties = impossible || !this.isWhole ? [] : this.monitor.finish(false, this.at, this.header.refutes);
    return { steps: this.steps, impossible, violations: this.violations, properties };
  }

  /** Properties speak of all nodes: live ones start one after the other, and a trace may be of some of them. */
  private get isWhole(): boolean {
    return this.followed.started.size >= this.header.nodes.length;
  }

  private step(line: StepLine): void {
    const { followed } = this;
    const { node, kind } = line;
    if (kind === 'start') {
      // A node of the topology records its state first and its effects later; one that joins during the run records both together.
      const isFirst = this.header.nodes.includes(node) && !followed.started.has(node);
      followed.start(line);
      if (isFirst) return;
    } else if (['corrupt', 'crash', 'restart', 'reload'].includes(kind)) followed.applyFault(line);
    else {
      if (kind === 'link') followed.receive(line);
      followed.take(line);
    }
    this.steps++;
    if (this.isWhole) this.monitor.record({ ...line, sent: line.sent.map((flight) => ({ ...flight, from: node })) });
  }

  private event(line: NetworkLine): void {
    this.followed.happen(line);
    const { kind, at } = line;
    if (kind !== 'refused' && kind !== 'violated' && kind !== 'endless' && kind !== 'verdict') this.monitor.fault(at);
  }
}

/** The draws of all nodes at their start, in order: the lines that contain them come after those with the states. */
const drawnAtStart = (lines: readonly TraceLine[]): number[] =>
  lines.flatMap((line) => (isStep(line) && line.kind === 'start' ? (line.drawn ?? []) : []));
