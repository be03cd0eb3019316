/**
 * One round: peers and their broker are started, the plan's faults happen to them, all is healed, everybody has to be served again and
 * to go, and what was written down is checked.
 */
import type { ChildProcess } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { violations } from './check.js';
import type { History, HistoryLine } from './history.js';
import { UNCONNECTED, type Order, type ChaosPhase, type PeerStage } from './peer.js';
import { inWords, PEERS, type Cut, type Fault, type FaultPlan } from './plan.js';
import { broker, kill, script, stop, type Broker } from './processes.js';
import { BUDGET, SHARE } from './work.js';

/** How long everybody may take when all is well again, on a machine that is busy with other things. */
const PATIENCE_MS = 60_000;

export interface RoundReport {
  readonly violations: readonly string[];
  readonly history: History;
}

export async function runRound(plan: FaultPlan): Promise<RoundReport> {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-chaos-'));
  const file = join(folder, 'history.ndjson');
  const round = new Round(plan, file, await broker(plan.broker));
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
  private readonly reports: Readonly<Record<PeerStage, Set<string>>> = {
    connected: new Set(),
    served: new Set(),
    done: new Set(),
  };
  private readonly cuts = new Set<Cut>();
  private phase: ChaosPhase = 'faulty';

  constructor(
    private readonly plan: FaultPlan,
    private readonly file: string,
    private readonly broker: Broker,
  ) {
    writeFileSync(file, '');
  }

  async play(): Promise<void> {
    await this.broker.start();
    for (const peer of PEERS) this.start(peer);
    await this.everybody('connected');
    await Promise.all(this.plan.faults.map((fault) => this.happen(fault)));
    this.enter('healed');
    await this.everybody('served');
    this.enter('settled');
    await this.everybody('done');
    // What is true in the end may take its time.
    await this.patiently(() => this.report().violations.length === 0);
    this.enter('ended');
    await this.patiently(() => this.running.size === 0);
    for (const peer of this.running.keys()) this.write({ what: 'failed', peer, error: 'it does not end' });
  }

  report(): RoundReport {
    const written = readFileSync(this.file, 'utf8').split('\n').filter(Boolean);
    const history = written.map((line) => JSON.parse(line) as HistoryLine);
    return {
      history,
      violations: violations(history, { peers: PEERS, budget: BUDGET, share: SHARE, isStored: this.plan.isStored }),
    };
  }

  /** Every process of the round is gone afterwards. */
  async close(): Promise<void> {
    await Promise.all([...this.running.values()].map(kill));
    await this.broker.kill();
  }

  private start(peer: string): void {
    this.write({ what: 'started', peer });
    const folder = this.plan.isStored ? [join(dirname(this.file), peer)] : [];
    const child = script('start-peer', peer, this.plan.subject, this.broker.url, this.file, ...folder);
    this.running.set(peer, child);
    let complaint = '';
    child.stderr!.on('data', (text) => (complaint = `${complaint}${text}`.slice(-1_000)));
    child.on('message', (report: PeerStage) => this.reports[report].add(peer));
    child.once('exit', (code) => {
      if (this.running.get(peer) !== child) return;
      this.running.delete(peer);
      // As a service would: what finds no broker when it starts is started again.
      if (code === UNCONNECTED) void pause(50).then(() => this.start(peer));
      else if (code !== 0) this.write({ what: 'failed', peer, error: `it ended with status ${code}: ${complaint}` });
    });
    this.tell(peer);
  }

  private async happen(fault: Fault): Promise<void> {
    await pause(fault.at);
    this.write({ what: 'fault', says: inWords(fault) });
    if (fault.kind === 'cut') return this.sever(fault);
    if (fault.kind === 'broker') {
      await this.broker.kill();
      await pause(fault.forMs);
      return this.broker.start();
    }
    if (fault.kind === 'all') return this.end([...this.running.keys()], fault.forMs, () => this.write({ what: 'restarted' }));
    const child = this.running.get(fault.peer);
    if (!child) return;
    if (fault.kind === 'stop') return stop(child, fault.forMs);
    return this.end([fault.peer], fault.forMs);
  }

  /** Killed together, and started again together. */
  private async end(peers: readonly string[], forMs: number, ended = () => {}): Promise<void> {
    const children = peers.map((peer) => this.running.get(peer)!);
    for (const peer of peers) this.running.delete(peer);
    await Promise.all([...children.map(kill), pause(forMs)]);
    ended();
    for (const peer of peers) this.start(peer);
  }

  private async sever(cut: Cut): Promise<void> {
    this.cuts.add(cut);
    this.tellAll();
    await pause(cut.forMs);
    this.cuts.delete(cut);
    this.tellAll();
  }

  private enter(phase: 'healed' | 'settled' | 'ended'): void {
    this.phase = phase;
    this.write({ what: phase });
    this.tellAll();
  }

  private tellAll(): void {
    for (const peer of this.running.keys()) this.tell(peer);
  }

  /** How far the round is, and whom the peer does not reach. */
  private tell(peer: string): void {
    const unreached = PEERS.filter((other) => [...this.cuts].some((cut) => isBetween(cut, peer, other)));
    const order: Order = { phase: this.phase, unreached };
    // One that is being killed does not take it any more.
    this.running.get(peer)?.send(order, () => {});
  }

  private everybody(report: PeerStage): Promise<void> {
    return this.patiently(() => PEERS.every((peer) => this.reports[report].has(peer)));
  }

  private async patiently(isSo: () => boolean): Promise<void> {
    const begin = performance.now();
    while (!isSo() && performance.now() - begin < PATIENCE_MS) await pause(20);
  }

  private write(line: HistoryLine): void {
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }
}

/** Whether what one says is kept from the other. */
const isBetween = ({ side, isMutual }: Cut, from: string, to: string): boolean =>
  side.includes(from) !== side.includes(to) && (isMutual || side.includes(from));
