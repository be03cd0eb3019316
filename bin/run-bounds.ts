/**
 * Ends a run that may never come to rest: detects that nothing useful has happened for many steps, and names the nodes that were active.
 */
import { FLIGHTS_MAX, STEPS_MAX, type Simulation } from '../network/simulation.js';
import { number } from './style.js';

/** Steps without commands and notifications. */
const QUIET_STEPS = 20_000;
const QUIET_STEPS_FOR_EACH_NODE = 1_000;
/** A run whose nodes continue to announce something, or whose application reacts, has this many times as many steps. */
const LONGER = 20;
const STEPS_FOR_EACH_EVENT = 1_000;

/** Counts the steps since the last sign of progress and since the last input, and the nodes that took them. */
export class RunBounds {
  private readonly quietMax: number;
  private readonly inputMax: number;
  private readonly lastEventAt: number;
  private sinceProgress = 0;
  private sinceInput = 0;
  private steps = 0;
  private issued = 0;
  private readonly taken = new Map<string, number>();

  constructor(private readonly simulation: Simulation) {
    const { network, instance, scenario } = simulation;
    const times = [...scenario.events, ...scenario.contacts].map(({ at }) => at);
    this.lastEventAt = times.reduce((last, at) => Math.max(last, at), 0);
    this.quietMax = QUIET_STEPS + QUIET_STEPS_FOR_EACH_NODE * instance.topology.nodes.length;
    this.inputMax = LONGER * this.quietMax + STEPS_FOR_EACH_EVENT * times.length;
    network.steps$.subscribe(({ node, kind, event, emitted, at }) => {
      this.steps++;
      this.sinceProgress++;
      this.sinceInput++;
      const { issued } = network.world.environment;
      if (at <= this.lastEventAt || issued !== this.issued) this.sinceInput = 0;
      this.issued = issued;
      if (kind === 'command' || emitted.length > 0) this.sinceProgress = 0;
      if (this.sinceProgress === 0 || this.sinceInput === 0) this.taken.clear();
      const what = `node "${node}" (${kind} ${'timer' in event ? event['timer'] : event.type})`;
      this.taken.set(what, (this.taken.get(what) ?? 0) + 1);
    });
  }

  /** Why the run ends before it has come to rest, or `null`. */
  get reached(): string | null {
    const { sinceProgress, sinceInput, quietMax, inputMax, steps } = this;
    const flights = this.simulation.network.world.flights.size;
    const waits = 'idle' in this.simulation.scenario.until;
    if (waits && sinceProgress > quietMax)
      return this.complaint(
        `in the last ${number(sinceProgress)} no command came and no node announced anything`,
        quietMax,
        REST,
      );
    if (waits && sinceInput > inputMax)
      return this.complaint(`the last ${number(sinceInput)} came after all events of the scenario`, inputMax, REST);
    if (flights >= FLIGHTS_MAX) return this.complaint(`${number(flights)} messages are in flight`, FLIGHTS_MAX, FEWER);
    return steps >= STEPS_MAX ? this.complaint('the run has not ended', STEPS_MAX, FEWER) : null;
  }

  private complaint(why: string, bound: number, fix: string): string {
    const most = [...this.taken].sort(([, a], [, b]) => b - a).slice(0, 3);
    const by = most.map(([what, steps]) => `${what}: ${number(steps)}`).join(', ');
    return `stopped after ${number(this.steps)} steps: ${why}, and the bound is ${number(bound)}. Most steps were of ${by}. ${fix}`;
  }
}

const REST = 'Set "until": { "at": … } in the scenario, or define atRest in the protocol';
const FEWER = 'Let the protocol send fewer messages, or end the run earlier with "until": { "at": … }';
