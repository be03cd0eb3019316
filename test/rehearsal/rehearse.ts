/**
 * Rehearsal: deterministic simulation testing of production code. An application with Quiver's adapters runs in one process, in virtual
 * time, with faults, from one seed.
 *
 * The application is an ordinary `main()` of a peer. It uses the platform's timers, `Date`, `crypto` and `WebSocket`, and contains nothing
 * about the simulator. Every run has its own scenario: when each process starts, what fails when, and all faults healed at the end. Judges
 * observe the run. The first violation is shrunk and reported with its seed. world.ts explains how a world works, faults.ts what can fail.
 */
import { UsageError } from '../../machines/errors.js';
import { Disk, RehearsedStore } from './belongings.js';
import { watchEscapes } from './escapes.js';
import { checkReplay, failureOf } from './failure.js';
import { applyFault } from './faults.js';
import { OpenResources } from './holdings.js';
import { beginning, judged } from './judging.js';
import { lockJudges, type RehearsalJudge, type RehearsalVerdict } from './judges.js';
import { createPeer, type Main } from './peer.js';
import { enterWorld } from './platform.js';
import { frameOf, type RehearseOptions } from './options.js';
import type { Rehearsal, RehearsalFailure, RehearsalOutcome, RehearsalViolation } from './report.js';
import type { RehearsalFrame, RehearsalScenario } from './scenario.js';
import { takeProcess } from './here.js';
import { progressOf } from './reporter.js';
import { RoleSteps } from './role-steps.js';
import { loadFastCheck, searchFailure } from './search.js';
import { Watchdog } from './watchdog.js';
import { VirtualWorld, type RehearsalEvent } from './world.js';

/** Every hundredth run, starting with the first, is repeated and compared. */
const TWICE_EVERY = 100;

/**
 * Runs an application in one process, in virtual time, with faults, with one seed after the other, until a judge finds a violation or all
 * runs have passed. During a rehearsal, the timers, the clock and the random numbers of this program are simulated.
 *
 * @param options the peers, the faults, the judges, and the number of runs.
 * @param main the main function of every peer.
 * @returns the number of runs, and the first failure, which is `null` if there was none.
 * @throws UsageError for invalid options.
 * @example
 * ```ts
 * import { createLocks } from 'xstate-quiver/locks';
 * import { linked, webSocket } from 'xstate-quiver/transports';
 * import { webSocketHub } from 'xstate-quiver/transports/node';
 * import { rehearse, type Main } from 'xstate-quiver/rehearsal';
 *
 * const hub: Main = ({ listen, WebSocketServer }) => webSocketHub({ server: listen(), WebSocketServer });
 * const main: Main = async ({ id, peers, store, watch }) => {
 *   const transport = linked(webSocket({ id, url: 'ws://hub' }), { peers });
 *   const locks = watch(createLocks({ transport, peers }));
 *   await locks.request('turn', async ({ fence }) => store.write('turn', id, { fence }));
 * };
 * const { runs, failure } = await rehearse({ services: { hub }, runs: 1, seconds: 4 }, main);
 * console.log(runs, failure);
 * ```
 * @experimental
 */
export async function rehearse(options: RehearseOptions, main: Main): Promise<Rehearsal> {
  const { runs = 100, replay } = options ?? {};
  const rehearsing = await Rehearsing.begin(options, main);
  try {
    return replay ? await rehearsing.again(replay) : await rehearsing.runs(0, runs);
  } finally {
    await rehearsing.end();
  }
}

/** A rehearsal in progress. No other rehearsal runs in this program until it ends. */
class Rehearsing {
  /** The seed of the current run. */
  private current = 0;

  /** @throws UsageError for invalid options. */
  static async begin(options: RehearseOptions, main: Main): Promise<Rehearsing> {
    if (typeof options !== 'object' || options === null || typeof main !== 'function')
      throw new UsageError(
        'rehearse requires options and the main function of a peer: rehearse({ runs: 10 }, async ({ id, peers }) => { … })',
      );
    const frame = frameOf(options);
    const leave = takeProcess();
    try {
      return new Rehearsing(options, main, frame, await Watchdog.begin(options.turnSeconds ?? 60), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  private constructor(
    private readonly options: RehearseOptions,
    private readonly main: Main,
    private readonly frame: RehearsalFrame,
    private readonly watchdog: Watchdog,
    private readonly leave: () => void,
  ) {}

  async end(): Promise<void> {
    await this.watchdog.end();
    this.leave();
  }

  async again(failure: RehearsalFailure): Promise<Rehearsal> {
    const { scenario, seed } = checkReplay(failure, this.frame);
    this.current = seed;
    const totals = new Totals();
    const outcome = totals.add(await this.run(scenario));
    return totals.rehearsal(1, outcome.violation && failureOf(seed, scenario, await this.kept(scenario, outcome)));
  }

  /** Performs this many runs, starting with number `first`; fewer if one fails. */
  async runs(first: number, count: number): Promise<Rehearsal> {
    const { seed = 1, shrinkSeconds = 60 } = this.options;
    const fc = await loadFastCheck();
    const totals = new Totals();
    const perform = async (scenario: RehearsalScenario) => totals.add(await this.run(scenario));
    const publish = progressOf(first, count);
    for (let i = first; i < first + count; i++) {
      this.current = seed + i;
      const found = await searchFailure(fc, seed + i, this.frame, perform, shrinkSeconds);
      const twice = i % TWICE_EVERY === 0 ? await compare(found.outcome, () => this.run(found.scenario)) : null;
      const violation = found.outcome.violation ?? twice;
      publish(violation ? count : i + 1 - first);
      if (!violation) continue;
      const kept = await this.kept(found.scenario, found.outcome);
      return totals.rehearsal(i + 1 - first, failureOf(seed + i, found.scenario, { ...kept, violation }));
    }
    return totals.rehearsal(count, null);
  }

  /** Repeats a run and records everything for the file. The steps of nodes are left out if recording them has changed the run. */
  private async kept(scenario: RehearsalScenario, outcome: RehearsalOutcome): Promise<RehearsalOutcome> {
    const kept = await this.run(scenario, true);
    if (kept.digest === outcome.digest) return kept;
    const { roles: _, ...rest } = kept;
    return rest;
  }

  private run(scenario: RehearsalScenario, isKept = false): Promise<RehearsalOutcome> {
    return runOnce(scenario, this.options, this.main, isKept, (world) => this.watchdog.watch(world, this.current));
  }
}

/** Totals of several runs. */
class Totals {
  private turns = 0;
  private digest = '';
  private readonly counts: Record<string, number> = {};

  add(outcome: RehearsalOutcome): RehearsalOutcome {
    this.turns += outcome.turns;
    this.digest = outcome.digest;
    for (const [type, count] of Object.entries(outcome.counts)) this.counts[type] = (this.counts[type] ?? 0) + count;
    return outcome;
  }

  rehearsal(runs: number, failure: RehearsalFailure | null): Rehearsal {
    return { runs, turns: this.turns, counts: this.counts, digest: this.digest, failure };
  }
}

/** Runs one scenario until its end, or until the first violation. */
export async function runOnce(
  scenario: RehearsalScenario,
  options: RehearseOptions,
  main: Main,
  isKept = false,
  watch: (world: VirtualWorld) => void = () => {},
): Promise<RehearsalOutcome> {
  const world = new VirtualWorld(scenario.seed, scenario.latencyMs, scenario.distances, isKept);
  const store = new RehearsedStore(world);
  const disks = new Map<string, Disk>();
  const history: RehearsalEvent[] = [];
  const counts: Record<string, number> = {};
  const setting = { scenario, store: store.values, history };
  const observers = (options.judges ?? lockJudges()).map((judge) => ({ judge, observer: beginning(judge, setting) }));
  let violation: RehearsalViolation | null = null;
  const find = (judge: RehearsalJudge, look: () => RehearsalVerdict) => {
    if (violation || world.misuse) return;
    const description = judged(judge, look, (misuse) => world.refuse(misuse));
    if (!description) return;
    violation = { judge: judge.name, description, atMs: Math.round(world.now) };
    world.isOver = true;
    world.log(`VIOLATION ${judge.name}: ${description}`);
  };
  world.notify = (event) => {
    history.push(event);
    counts[event.type] = (counts[event.type] ?? 0) + 1;
    for (const { judge, observer } of observers) find(judge, () => observer.observe?.(event));
  };
  populate(world, scenario, options, main, store, disks);
  watch(world);
  const holdings = new OpenResources(world);
  const roles = isKept ? new RoleSteps(world, () => history.length) : null;
  const unsubscribe = [roles?.listen(), holdings.listen()];
  const leave = enterWorld(world, scenario.limits);
  try {
    await world.run(scenario.seconds * 1_000);
    holdings.report();
  } finally {
    leave();
    for (const stop of unsubscribe) stop?.();
  }
  for (const { judge, observer } of observers) find(judge, () => observer.end?.(world.now));
  if (world.misuse) throw world.misuse;
  const rest = { turns: world.turns, counts, lines: world.lines, events: history };
  return { violation, digest: world.digest(), ...rest, ...(roles && { roles: roles.all() }) };
}

function populate(
  world: VirtualWorld,
  scenario: RehearsalScenario,
  { services = {}, clients = {} }: RehearseOptions,
  main: Main,
  store: RehearsedStore,
  disks: Map<string, Disk>,
): void {
  const { peers, startsMs, skewsMs, faults, knobs } = scenario;
  const define = (id: string, main: Main) => {
    const process = world.define(id, () => main(createPeer(world, process, peers, knobs, store.end, disks.get(id)!)));
    disks.set(id, new Disk(world, process));
    return process;
  };
  for (const name of scenario.services) world.start(define(name, services[name]!));
  [...peers, ...scenario.clients].forEach((id, i) => {
    const process = define(id, clients[id] ?? main);
    process.skewMs = skewsMs[i]!;
    world.after(startsMs[i]!, null, `${id} is started`, () => world.start(process));
  });
  for (const fault of faults) {
    world.after(fault.atMs, null, 'a fault', () => {
      world.report('fault', { fault });
      const heal = applyFault(world, fault, disks, peers);
      world.after(fault.lastsMs, null, 'it heals', () => {
        heal();
        world.report('healed', { fault });
      });
    });
  }
}

/** Repeats a run and watches what escapes the world. */
async function compare(first: RehearsalOutcome, run: () => Promise<RehearsalOutcome>): Promise<RehearsalViolation | null> {
  const escapes = watchEscapes();
  const again = await run();
  const [escaped] = escapes.stop();
  if (escaped !== undefined)
    return { judge: 'escape', description: `The application uses the real platform: ${escaped}`, atMs: 0 };
  if (again.digest === first.digest) return null;
  const description =
    'The same seed gave a different log, so something outside of the world influences the run, for example state of a module.';
  return { judge: 'replay', description, atMs: 0 };
}
