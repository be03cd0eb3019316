/**
 * The code that ships, and an application on it, in one process in virtual time, under every fault, from one seed.
 *
 * The application is an ordinary `main()` of a peer: it uses the platform's timers, `Date`, `crypto`, `WebSocket`, and knows of no
 * simulator. Every run has its own scenario: who starts when, what fails when, and all of it healed in the end. Judges listen, and
 * the first promise that is broken is made short and told with its seed. How a world works is in world.ts, what can fail in faults.ts.
 */
import { UsageError } from '../../machines/errors.js';
import { Disk, SharedStore } from './belongings.js';
import { notificationEscapes } from './escapes.js';
import type { RehearsalFailure } from './failure.js';
import { checkReplay, failureOf } from './failure.js';
import { strike } from './faults.js';
import { KeptAtEnd } from './holdings.js';
import { beginning, judged } from './judging.js';
import { lockJudges, type RehearsalJudge, type RehearsalVerdict } from './judges.js';
import { createPeer, type Main } from './peer.js';
import { inhabitWorld } from './platform.js';
import { frameOf } from './options.js';
import type { FaultKind, LimitSetting, RehearsalFrame, RehearsalScenario } from './scenario.js';
import { takeProcess } from './here.js';
import { progressOf } from './reporter.js';
import { RoleSteps, type RunRoles } from './role-steps.js';
import { loadFastCheck, searchFailure } from './search.js';
import { Watchdog } from './watchdog.js';
import { VirtualWorld, type RehearsalEvent } from './world.js';

/**
 * Options for `rehearse`: who takes part, what may fail, and what must hold.
 *
 * @experimental
 */
export interface RehearseOptions {
  /** How many peers; of several numbers each run draws one. 3 unless given. */
  readonly peers?: number | readonly number[];
  /** Other processes, by their names: a hub, for instance. They fail like peers. */
  readonly services?: Readonly<Record<string, Main>>;
  /** Processes that come and go, by their names, and on which nobody depends: clients, for instance. They start late, and fail like peers. */
  readonly clients?: Readonly<Record<string, Main>>;
  /** 100 unless given. */
  readonly runs?: number;
  /** Virtual seconds of a run; 20 unless given. Faults are over after 40 % of it. */
  readonly seconds?: number;
  /** That of the first run; the next has the next one. 1 unless given. */
  readonly seed?: number;
  /** What may fail: everything unless given. */
  readonly faults?: readonly FaultKind[];
  /** Settings of which each run draws one, as `peer.knobs`: small limits, for instance, so that they are reached. */
  readonly knobs?: Readonly<Record<string, readonly unknown[]>>;
  /** True if the limits of this package are those that ship, small ones, or in each run either; those that ship unless given. */
  readonly limits?: readonly LimitSetting[];
  /** `lockJudges()` unless given. */
  readonly judges?: readonly RehearsalJudge[];
  /** So many real seconds to make a failure short; 60 unless given, 0 for not at all. */
  readonly shrinkSeconds?: number;
  /** So many real seconds until a turn that does not end is named, and this program with it ended. @defaultValue 60 */
  readonly turnSeconds?: number;
  /** Runs this failure again, and nothing else. */
  readonly replay?: RehearsalFailure;
}

/**
 * What came of a rehearsal: how much was run, and the first failure, made short.
 *
 * @experimental
 */
export interface Rehearsal {
  readonly runs: number;
  /** Turns of all processes in all runs. */
  readonly turns: number;
  /** How often something of each type was told to the judges. */
  readonly counts: Readonly<Record<string, number>>;
  /** Of the log of the last run: the same seed has the same. */
  readonly digest: string;
  readonly failure: RehearsalFailure | null;
}

export interface RehearsalViolation {
  readonly judge: string;
  readonly description: string;
  /** Milliseconds of virtual time. */
  readonly atMs: number;
}

/** A run, once it is over. */
export interface RehearsalOutcome {
  readonly violation: RehearsalViolation | null;
  readonly digest: string;
  readonly turns: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly lines: readonly string[];
  readonly happenings: readonly RehearsalEvent[];
  /** Of a run that is kept. */
  readonly roles?: RunRoles;
}

/** Every so many runs, the first among them, one is run twice and compared. */
const TWICE_EVERY = 100;

/**
 * Runs an application and the code that ships in one process, in virtual time, under faults, from one seed after the other, until a
 * judge finds something or all runs are over. While it runs the process's timers, clock and chance are the rehearsal's.
 *
 * @param main of every peer.
 * @returns what was run; `failure` is `null` when nothing was found.
 * @throws UsageError for options that make no sense.
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

/** A rehearsal that is under way: some of its runs, and others after them. Nothing else is rehearsed in this process until it ends. */
class Rehearsing {
  /** The seed of the run that is under way. */
  private current = 0;

  /** @throws UsageError for options that make no sense. */
  static async begin(options: RehearseOptions, main: Main): Promise<Rehearsing> {
    if (typeof options !== 'object' || options === null || typeof main !== 'function')
      throw new UsageError(
        'rehearse takes options and the main function of a peer, as in rehearse({ runs: 10 }, async ({ id, peers }) => { … })',
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
    const sums = new Sums();
    const outcome = sums.add(await this.run(scenario));
    return sums.rehearsal(1, outcome.violation && failureOf(seed, scenario, await this.kept(scenario, outcome)));
  }

  /** So many runs, from that with this number on; fewer where one fails. */
  async runs(first: number, count: number): Promise<Rehearsal> {
    const { seed = 1, shrinkSeconds = 60 } = this.options;
    const fc = await loadFastCheck();
    const sums = new Sums();
    const perform = async (scenario: RehearsalScenario) => sums.add(await this.run(scenario));
    const tell = progressOf(first, count);
    for (let i = first; i < first + count; i++) {
      this.current = seed + i;
      const found = await searchFailure(fc, seed + i, this.frame, perform, shrinkSeconds);
      const twice = i % TWICE_EVERY === 0 ? await compare(found.outcome, () => this.run(found.scenario)) : null;
      const violation = found.outcome.violation ?? twice;
      tell(violation ? count : i + 1 - first);
      if (!violation) continue;
      const kept = await this.kept(found.scenario, found.outcome);
      return sums.rehearsal(i + 1 - first, failureOf(seed + i, found.scenario, { ...kept, violation }));
    }
    return sums.rehearsal(count, null);
  }

  /** Again, with all that a file tells; without what nodes did in the unheard of case that looking at them has changed it. */
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

/** What several runs come to. */
class Sums {
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

/** One scenario from its start to its end, or to the first violation. */
export async function runOnce(
  scenario: RehearsalScenario,
  options: RehearseOptions,
  main: Main,
  isKept = false,
  watch: (world: VirtualWorld) => void = () => {},
): Promise<RehearsalOutcome> {
  const world = new VirtualWorld(scenario.seed, scenario.latencyMs, scenario.distances, isKept);
  const store = new SharedStore(world);
  const disks = new Map<string, Disk>();
  const history: RehearsalEvent[] = [];
  const counts: Record<string, number> = {};
  const setting = { scenario, store: store.values, history };
  const hearings = (options.judges ?? lockJudges()).map((judge) => ({ judge, hearing: beginning(judge, setting) }));
  let violation: RehearsalViolation | null = null;
  const find = (judge: RehearsalJudge, look: () => RehearsalVerdict) => {
    if (violation || world.misuse) return;
    const description = judged(judge, look, (misuse) => world.refuse(misuse));
    if (!description) return;
    violation = { judge: judge.name, description, atMs: Math.round(world.now) };
    world.isOver = true;
    world.log(`VIOLATION ${judge.name}: ${description}`);
  };
  world.hear = (happening) => {
    history.push(happening);
    counts[happening.type] = (counts[happening.type] ?? 0) + 1;
    for (const { judge, hearing } of hearings) find(judge, () => hearing.hear?.(happening));
  };
  populate(world, scenario, options, main, store, disks);
  watch(world);
  const holdings = new KeptAtEnd(world);
  const roles = isKept ? new RoleSteps(world, () => history.length) : null;
  const deafen = [roles?.listen(), holdings.listen()];
  const leave = inhabitWorld(world, scenario.limits);
  try {
    await world.run(scenario.seconds * 1_000);
    holdings.tell();
  } finally {
    leave();
    for (const stop of deafen) stop?.();
  }
  for (const { judge, hearing } of hearings) find(judge, () => hearing.end?.(world.now));
  if (world.misuse) throw world.misuse;
  const told = { turns: world.turns, counts, lines: world.lines, happenings: history };
  return { violation, digest: world.digest(), ...told, ...(roles && { roles: roles.all() }) };
}

function populate(
  world: VirtualWorld,
  scenario: RehearsalScenario,
  { services = {}, clients = {} }: RehearseOptions,
  main: Main,
  store: SharedStore,
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
      world.tell('fault', { fault });
      const heal = strike(world, fault, disks, peers);
      world.after(fault.lastsMs, null, 'it heals', () => {
        heal();
        world.tell('healed', { fault });
      });
    });
  }
}

/** Again, with an eye on what leaves the world. */
async function compare(first: RehearsalOutcome, run: () => Promise<RehearsalOutcome>): Promise<RehearsalViolation | null> {
  const escapes = notificationEscapes();
  const again = await run();
  const [escaped] = escapes.stop();
  if (escaped !== undefined) return { judge: 'escape', description: `this is real and not of the world: ${escaped}`, atMs: 0 };
  if (again.digest === first.digest) return null;
  const description =
    'the same seed gave another log: something that is not of the world decides, state of a module for instance';
  return { judge: 'replay', description, atMs: 0 };
}
