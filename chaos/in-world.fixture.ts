/**
 * The work of the real processes (work.ts) as the main program of a rehearsal, judged by the rules of their histories (check.ts).
 *
 * The world replaces the inputs of a process from its round: the hub, a disk, and SIGTERM as the request to leave. One more process keeps
 * the phase of the round in the shared store. Members do not change here; `testing/rehearsal/members.ts` changes them.
 */
import { linked } from '../adapters/linked.js';
import { webSocketHub } from '../adapters/transports/web-socket-hub.js';
import { webSocket } from '../adapters/transports/web-socket.js';
import { here } from '../test/rehearsal/here.js';
import type { RehearsalJudge } from '../test/rehearsal/judges.js';
import { diskStorage } from '../test/rehearsal/disk-storage.js';
import { sleep } from '../testing/rehearsal/locks.js';
import type { Main, RehearsedPeer } from '../test/rehearsal/peer.js';
import type { RehearseOptions } from '../test/rehearsal/options.js';
import type { FaultKind } from '../test/rehearsal/scenario.js';
import { violations } from './check.js';
import type { History, HistoryLine } from './history.js';
import { DETECTOR, UNCONNECTED, UNSTORED, type ChaosPhase } from './peer.js';
import { CLIENTS, type RoundSubject } from './plan.js';
import { BUDGET, SHARE, WORK, workUntilStopped, type WorkingPeer } from './work.js';

export type WorldSubject = Exclude<RoundSubject, 'members'>;

/** The faults of chaos, by their names in the simulated world. */
const FAULTS: readonly FaultKind[] = ['kill', 'pause', 'cut', 'mute', 'stop', 'roll', 'cold', 'full'];
const SECONDS = 20;
/** All faults have healed by then. */
const HEALED_MS = SECONDS * 400;
/** Faults last longer than in real rounds, so new connections are tried at longer intervals. */
const RECOVERY_MS = 10_000;
const CHECK_MS = 50;
/** The time for final conditions to become true: as long as after a fault. */
const CALM_MS = 5_000;

const audienceOf = (peers: readonly string[], subject: WorldSubject): readonly string[] =>
  subject === 'clients' ? [...peers, ...CLIENTS] : peers;

/** Publishes the phase of the round in the shared store, from which each peer reads it. */
const rounds =
  (subject: WorldSubject): Main =>
  async ({ peers, store, note }) => {
    const audience = audienceOf(peers, subject);
    const enter = async (phase: ChaosPhase) => {
      note('phase', { phase });
      await store.write('phase', phase);
    };
    const allIds = async (stage: string) => {
      for (const id of audience) while (!(await store.read(`${stage} ${id}`))) await sleep(CHECK_MS);
    };
    const phase = ((await store.read('phase')) as ChaosPhase | undefined) ?? 'faulty';
    if (phase === 'faulty') {
      await sleep(Math.max(0, HEALED_MS - here()!.world.now));
      await enter('healed');
    }
    if (phase === 'faulty' || phase === 'healed') {
      await allIds('served');
      await enter('settled');
    }
    await allIds('done');
    await sleep(CALM_MS);
    await enter('ended');
  };

/** Replaces a process that chaos would start. */
class WorldPeer implements WorkingPeer {
  readonly transport;
  readonly storage;
  readonly peers;
  readonly watch;
  readonly note;
  readonly left: Promise<void>;
  readonly started;
  phase: ChaosPhase = 'faulty';
  private isServed = false;

  constructor(private readonly peer: RehearsedPeer) {
    const { id, peers, disk } = peer;
    const isClient = CLIENTS.includes(id);
    this.started = { role: isClient ? ('client' as const) : ('first' as const) };
    this.transport = linked(webSocket({ id, url: 'ws://hub' }), { peers: [...peers, ...CLIENTS], ...DETECTOR });
    this.storage = isClient ? undefined : diskStorage(disk);
    this.peers = peers;
    this.watch = peer.watch;
    this.note = peer.note;
    this.left = new Promise((resolve) => process.once('SIGTERM', () => resolve()));
    void this.follow();
  }

  private async follow(): Promise<void> {
    for (; this.phase !== 'ended'; await sleep(CHECK_MS))
      this.phase = ((await this.peer.store.read('phase')) as ChaosPhase) ?? 'faulty';
  }

  async until(phase: ChaosPhase): Promise<void> {
    while (this.phase !== phase) await sleep(CHECK_MS);
  }

  changing(): void {}

  answered(asked: ChaosPhase): void {
    if (this.isServed || asked !== 'healed') return;
    this.isServed = true;
    this.note('served');
    this.notify('served');
  }

  notify(stage: string): void {
    void this.peer.store.write(`${stage} ${this.peer.id}`, true);
  }
}

const main =
  (subject: WorldSubject): Main =>
  async (peer) => {
    const working = new WorldPeer(peer);
    const work = WORK[subject](working);
    work.done.catch(() => {});
    await working.transport.connect().catch(() => process.exit(UNCONNECTED));
    if (!(await workUntilStopped(working, work))) process.exit(UNSTORED);
    if (working.phase !== 'ended') process.exit(0);
  };

/** Adds the entries that a round would write: the moments in which no process was running. */
function asWritten(history: History, peers: readonly string[]): HistoryLine[] {
  const up = new Set<string>();
  return history.flatMap((line) => {
    const { type, peer } = line;
    if (!peers.includes(peer!)) return [line];
    if (type === 'start') up.add(peer!);
    return type === 'end' && up.delete(peer!) && up.size === 0 ? [line, { at: line.at, type: 'restarted' }] : [line];
  });
}

const rules = (subject: WorldSubject): RehearsalJudge => ({
  name: 'the rules of chaos',
  begin: ({ scenario: { peers, services, clients }, history }) => ({
    end: () => {
      const audience = audienceOf(peers, subject);
      const terms = { peers, services, clients: clients ?? [], audience, isOfLeaders: subject === 'leaders' };
      const found = violations(asWritten(history, peers), {
        ...terms,
        budget: BUDGET,
        share: SHARE,
        isStored: true,
        recoveryMs: RECOVERY_MS,
      });
      return found.join('; ') || null;
    },
  }),
});

export const chaosInWorld = (subject: WorldSubject): { options: RehearseOptions; main: Main } => ({
  options: {
    peers: [3, 5],
    seconds: SECONDS,
    faults: FAULTS,
    services: { hub: ({ listen, WebSocketServer }) => webSocketHub({ server: listen(), WebSocketServer }) },
    clients: {
      round: rounds(subject),
      ...(subject === 'clients' && Object.fromEntries(CLIENTS.map((id) => [id, main(subject)]))),
    },
    judges: [rules(subject)],
  },
  main: main(subject),
});
