/**
 * One round: starts peers and their broker, applies the faults of the plan, heals all, waits until each peer has been served and
 * has ended, and checks the history.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { MembershipChange } from '../machines/locks/membership.js';
import type { ReportEvent } from '../test/rehearsal/watched.js';
import { violations, type HistoryTerms } from './check.js';
import { notes, reportStalls, writerTo, type History, type HistoryLine } from './history.js';
import { UNCONNECTED, UNSTORED, type ChaosPhase, type Order, type ProgressReport, type PeerStage, type Started } from './peer.js';
import { CLIENTS, JOINER, PEERS, type CutFault, type DiskFault, type Fault, type FaultPlan, type Visit } from './plan.js';
import { broker, kill, script, stop, type Broker } from './processes.js';
import { BUDGET, SHARE } from './work.js';

/** The maximum time for recovery after all faults, on a busy machine. */
const PATIENCE_MS = 60_000;
/** Half a second for the failure detector, and one for a new connection. */
const RECOVERY_MS = 1_500;
/** After this time a member that has not made its change may be gone: the next one receives the request. */
const CHANGE_MS = 1_000;

export interface RoundReport {
  readonly violations: readonly string[];
  readonly history: History;
}

/** All peers that may connect in a round. */
const allIdsIn = ({ subject }: FaultPlan): readonly string[] => [
  ...PEERS,
  ...(subject === 'members' ? [JOINER] : subject === 'clients' ? CLIENTS : []),
];

export async function runRound(plan: FaultPlan): Promise<RoundReport> {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-chaos-'));
  const file = join(folder, 'history.ndjson');
  writeFileSync(file, '');
  const round = new Round(plan, file, await broker(plan.broker, allIdsIn(plan), file));
  try {
    await round.play();
    return round.report();
  } finally {
    await round.close();
    rmSync(folder, { recursive: true });
  }
}

class Round {
  private readonly running = new Map<string, ChildProcess>();
  private readonly lives = new Map<string, number>();
  private readonly reports: Readonly<Record<PeerStage, Set<string>>> = {
    connected: new Set(),
    served: new Set(),
    done: new Set(),
  };
  private readonly cuts = new Set<CutFault>();
  private readonly disks = new Map<string, DiskFault['how']>();
  private readonly leaving = new Set<string>();
  private readonly write: ReportEvent;
  private readonly noMoreStalls: () => void;
  /** The current members, which must be served at the end. */
  private members = PEERS;
  private audience: readonly string[];
  private change: Order['change'] = null;
  /** The number of the latest change that was made; reports of earlier ones may still arrive. */
  private changesMade = 0;
  private changer = '';
  private phase: ChaosPhase = 'faulty';

  constructor(
    private readonly plan: FaultPlan,
    private readonly file: string,
    private readonly broker: Broker,
  ) {
    this.write = writerTo(file);
    this.audience = plan.subject === 'clients' ? [...PEERS, CLIENTS[0]!] : PEERS;
    this.noMoreStalls = reportStalls(this.write, 'cold', 'all');
  }

  async play(): Promise<void> {
    await this.broker.start();
    const starts = this.audience.map(async (id, i) => {
      await pause(this.plan.startsMs[i] ?? 0);
      this.start(id);
    });
    await Promise.all(starts);
    await this.allIds('connected', this.audience);
    await Promise.all(this.plan.faults.map((fault) => this.happen(fault)));
    this.enter('healed');
    await this.allIds('served', this.audience);
    this.enter('settled');
    await this.allIds('done', this.audience);
    // Final conditions may take some time.
    await this.patiently(() => this.report().violations.length === 0);
    this.enter('ended');
    await this.patiently(() => this.running.size === 0);
    for (const peer of this.running.keys()) this.write('uncaught', { peer, error: 'it does not end' });
  }

  report(): RoundReport {
    const written = readFileSync(this.file, 'utf8').split('\n').filter(Boolean);
    const history = written.map((line) => JSON.parse(line) as HistoryLine);
    const { isStored, subject, broker } = this.plan;
    const terms: HistoryTerms = {
      peers: PEERS,
      services: broker === 'mesh' ? [] : ['broker'],
      clients: subject === 'clients' ? CLIENTS : [],
      audience: this.audience,
      isOfLeaders: subject === 'leaders',
      budget: BUDGET,
      share: SHARE,
      isStored,
      recoveryMs: RECOVERY_MS,
    };
    return { history, violations: violations(history, terms) };
  }

  /** Every process of the round is gone afterward. */
  async close(): Promise<void> {
    this.noMoreStalls();
    await Promise.all([...this.running.values()].map(kill));
    await this.broker.kill();
  }

  private start(id: string): void {
    const life = (this.lives.get(id) ?? 0) + 1;
    this.lives.set(id, life);
    for (const stage of ['connected', 'served', 'done'] as const) this.reports[stage].delete(id);
    const isClient = CLIENTS.includes(id);
    const started: Started = {
      id,
      subject: this.plan.subject,
      role: isClient ? 'client' : id === JOINER ? 'joining' : 'first',
      life,
      url: this.broker.url,
      allIds: allIdsIn(this.plan),
      history: this.file,
      ...(this.plan.isStored && !isClient && { folder: join(dirname(this.file), id) }),
    };
    const child = script('start-peer', JSON.stringify(started));
    this.running.set(id, child);
    let complaint = '';
    child.stderr!.on('data', (text) => (complaint = `${complaint}${text}`.slice(-1_000)));
    child.on('message', (report: ProgressReport) => {
      if (typeof report === 'string') this.reports[report].add(id);
      else this.changesMade = Math.max(this.changesMade, report.changed);
    });
    child.once('exit', (code) => {
      if (this.running.get(id) !== child) return;
      this.running.delete(id);
      this.write('end', { peer: id });
      // Restart it, as a supervisor would, if it found no broker or no space on its disk.
      if (isForWant(code)) void pause(code === UNSTORED ? 200 : 50).then(() => this.start(id));
      else if (code !== 0) this.write('uncaught', { peer: id, error: `it ended with status ${code}: ${complaint}` });
    });
    this.notify(id);
  }

  private async happen(fault: Fault): Promise<void> {
    await pause(fault.at);
    switch (fault.kind) {
      case 'cut':
        return this.sever(fault);
      case 'broker':
        return this.during('kill', 'broker', async () => {
          await this.broker.kill();
          await pause(fault.forMs);
          await this.broker.start();
        });
      case 'all':
        return this.endAll(fault.forMs, fault.spreadMs);
      case 'roll':
        for (const peer of this.members) await this.deploy(peer);
        return;
      case 'members':
        for (const change of fault.changes) if (!(await this.reconfigure(change))) return;
        return;
      case 'visit':
        return this.visit(fault);
      case 'disk':
        return this.fill(fault);
      case 'host': {
        const hosted = notes(this.report().history, 'hosted').findLast(({ peer }) => peer === CLIENTS[0]);
        return this.end([(hosted?.['host'] as string | undefined) ?? PEERS[0]!], fault.forMs);
      }
      case 'stop': {
        const child = this.running.get(fault.peer);
        return child && this.during('pause', fault.peer, () => stop(child, fault.forMs));
      }
      case 'kill':
        return this.end([fault.peer], fault.forMs);
    }
  }

  /** Records a fault from its beginning to its end. */
  private async during(what: string, who: string, run: () => Promise<unknown>): Promise<void> {
    this.write('fault', { fault: { what, who } });
    await run();
    this.write('healed', { fault: { what, who } });
  }

  /** Kills the running peers together, and restarts them with a delay between each. */
  private async end(peers: readonly string[], forMs: number, spreadMs = 0, ended = () => {}): Promise<void> {
    const there = peers.filter((peer) => this.running.has(peer));
    const children = there.map((peer) => this.running.get(peer)!);
    const run = async (peer: string, i: number, gone: Promise<unknown>) => {
      await gone;
      await pause(i * spreadMs);
      await this.again(peer);
    };
    for (const peer of there) this.running.delete(peer);
    const gone = Promise.all([...children.map(kill), pause(forMs)]).then(() => {
      for (const peer of there) this.write('end', { peer });
      ended();
    });
    await Promise.all(there.map((peer, i) => this.during('kill', peer, () => run(peer, i, gone))));
  }

  private async endAll(forMs: number, spreadMs: number): Promise<void> {
    // A peer that is leaving at this moment is not killed.
    const areAll = this.leaving.size === 0;
    await this.end(
      [...this.running.keys()].filter((id) => !CLIENTS.includes(id)),
      forMs,
      spreadMs,
      () => {
        if (areAll && this.running.size === 0) this.write('restarted');
      },
    );
  }

  /** Restarts a peer unless it was removed or already restarted. */
  private async again(peer: string): Promise<void> {
    const isWanted = this.members.includes(peer) || CLIENTS.includes(peer) || this.change?.add === peer;
    if (!isWanted || this.running.has(peer)) return;
    this.start(peer);
    await this.allIds('connected', [peer]);
  }

  private async deploy(peer: string): Promise<void> {
    if (!this.running.has(peer)) return;
    await this.during('stop', peer, async () => {
      await this.leave(peer);
      await this.again(peer);
    });
  }

  /** Requests a peer to end. */
  private async leave(id: string): Promise<void> {
    const child = this.running.get(id);
    if (!child) return;
    this.leaving.add(id);
    this.notify(id);
    this.running.delete(id);
    const gone = once(child, 'exit');
    const [code] = (await Promise.race([gone, pause(PATIENCE_MS, ['it does not end'])])) as [unknown];
    // It may have been ending because of a missing broker or disk.
    if (code !== 0 && !isForWant(code))
      this.write('uncaught', { peer: id, error: `it was asked to end, and ended with ${String(code)}` });
    await kill(child);
    this.leaving.delete(id);
    this.write('end', { peer: id });
  }

  private async visit({ client, forMs, isKilled }: Visit): Promise<void> {
    await this.again(client);
    await pause(forMs);
    await this.during('stop', client, async () => {
      const child = this.running.get(client);
      if (!isKilled || !child) return this.leave(client);
      this.running.delete(client);
      await kill(child);
      this.write('end', { peer: client });
    });
  }

  private async fill({ peer, how, forMs, isStarting }: DiskFault): Promise<void> {
    this.disks.set(peer, how);
    this.notify(peer);
    await this.during('full', peer, async () => {
      if (isStarting) await this.end([peer], 0);
      await pause(forMs);
      this.disks.delete(peer);
      this.notify(peer);
    });
  }

  /** Requests the change from one member after another until one has made it; true if one has. */
  private async reconfigure({ add, remove }: MembershipChange): Promise<boolean> {
    const before = this.members;
    const after = [...before.filter((peer) => peer !== remove), ...(add === null ? [] : [add])];
    const callers = before.filter((peer) => peer !== remove);
    const number = (this.change?.number ?? 0) + 1;
    const isMade = () => this.changesMade >= number;
    this.change = { add, remove, number };
    if (add !== null) await this.again(add);
    this.write('members', { lists: [before, after] });
    const begin = performance.now();
    for (let i = 0; !isMade() && performance.now() - begin < PATIENCE_MS; i++) {
      this.changer = callers[i % callers.length]!;
      this.notify(this.changer);
      await this.patiently(isMade, CHANGE_MS);
    }
    if (!isMade()) {
      this.write('uncaught', { peer: this.changer, error: `the members are not changed to ${after.join(', ')}` });
      return false;
    }
    this.members = after;
    this.audience = after;
    this.write('members', { lists: [after] });
    if (remove !== null) await this.during('stop', remove, () => this.leave(remove));
    return true;
  }

  private async sever(cut: CutFault): Promise<void> {
    this.cuts.add(cut);
    const what = cut.isMutual ? 'cut' : 'mute';
    const faults = cut.side.map((who) => ({ what, who }));
    for (const fault of faults) this.write('fault', { fault });
    this.notifyAll();
    await pause(cut.forMs);
    this.cuts.delete(cut);
    this.notifyAll();
    for (const fault of faults) this.write('healed', { fault });
  }

  private enter(phase: 'healed' | 'settled' | 'ended'): void {
    this.phase = phase;
    this.write('phase', { phase });
    this.notifyAll();
  }

  private notifyAll(): void {
    for (const peer of this.running.keys()) this.notify(peer);
  }

  private notify(peer: string): void {
    const order: Order = {
      phase: this.phase,
      unreached: PEERS.filter((other) => [...this.cuts].some((cut) => isBetween(cut, peer, other))),
      disk: this.disks.get(peer) ?? null,
      leaves: this.leaving.has(peer),
      change: this.changer === peer ? this.change : null,
    };
    // A peer that is being killed does not receive it.
    this.running.get(peer)?.send(order, () => {});
  }

  private allIds(report: PeerStage, peers: readonly string[]): Promise<void> {
    return this.patiently(() => peers.every((peer) => this.reports[report].has(peer)));
  }

  private async patiently(isSo: () => boolean, patienceMs = PATIENCE_MS): Promise<void> {
    const begin = performance.now();
    while (!isSo() && performance.now() - begin < patienceMs) await pause(20);
  }
}

/** True if it ended because of a missing broker or a failing disk; the history shows whether the disk had a fault. */
const isForWant = (code: unknown): boolean => code === UNCONNECTED || code === UNSTORED;

/** True if messages from one to the other are lost. */
const isBetween = ({ side, isMutual }: CutFault, from: string, to: string): boolean =>
  side.includes(from) !== side.includes(to) && (isMutual || side.includes(from));
