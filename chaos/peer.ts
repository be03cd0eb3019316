/** A peer or client in its own process: its transport, its history, and the instructions of the round. */
import { connect } from '@nats-io/transport-node';
import { WebSocket } from 'ws';
import { linked } from '../adapters/linked.js';
import { folderStorage } from '../adapters/storage/folder.js';
import type { PeerStorage } from '../adapters/storage/storage.js';
import { nats } from '../adapters/transports/nats.js';
import type { Linked, Transport } from '../adapters/transports/transport.js';
import { webSocketMesh } from '../adapters/transports/web-socket-mesh.js';
import { webSocket } from '../adapters/transports/web-socket.js';
import type { MembershipChange } from '../machines/locks/membership.js';
import { watched, type LocksLike, type ReportEvent } from '../test/rehearsal/watched.js';
import { reportStalls, writerTo } from './history.js';
import { PEERS, type DiskFault, type RoundSubject } from './plan.js';
import { severed } from './severed.js';

/** `faulty`: faults occur; `healed`: all are over; `settled`: all peers have been served since; `ended`: all peers may stop. */
export type ChaosPhase = 'faulty' | 'healed' | 'settled' | 'ended';

/** The configuration of a process. */
export interface Started {
  readonly id: string;
  readonly subject: RoundSubject;
  /** `first`: an initial member; `joining`: waits to be added; `client`: does not vote. */
  readonly role: 'first' | 'joining' | 'client';
  /** Number of the process of that peer, from 1. */
  readonly life: number;
  readonly url: string;
  /** All peers that may connect. */
  readonly allIds: readonly string[];
  readonly history: string;
  readonly folder?: string;
}

/** State of the round for this process, sent by the round. */
export interface Order {
  readonly phase: ChaosPhase;
  readonly unreached: readonly string[];
  /** The fault of its disk. */
  readonly disk: DiskFault['how'] | null;
  /** True if it must end by itself, like a service that is deployed again. */
  readonly leaves: boolean;
  /** The membership change to make, numbered. */
  readonly change: (MembershipChange & { readonly number: number }) | null;
}

/** Progress reports to the round. */
export type PeerStage = 'connected' | 'served' | 'done';
/** A progress report, or the number of the change that it has made. */
export type ProgressReport = PeerStage | { readonly changed: number };

/** The exit status of a peer that found no broker when it started, and of one whose disk rejected a write. */
export const UNCONNECTED = 75;
export const UNSTORED = 74;

/** Short enough for rounds of seconds: a peer is suspected after half a second of silence. */
export const DETECTOR = { beatMs: 25, patience: 20 };

/**
 * Makes each requested membership change once, although requests are repeated. Reports the changes that it made, because several
 * members may receive the request.
 */
export function changesMade(
  make: (change: MembershipChange) => Promise<unknown>,
  made: (number: number) => void,
): (change: Order['change']) => void {
  let last = 0;
  return (change) => {
    if (change === null || change.number === last) return;
    const { number } = change;
    last = number;
    // A peer that ends before its change is complete has not made it; another peer receives the request.
    make(change).then(
      () => made(number),
      () => {
        if (last === number) last = 0;
      },
    );
  };
}

export class ChaosPeer {
  readonly id: string;
  /** The initial peers. */
  readonly peers = PEERS;
  readonly transport: Transport<Linked>;
  readonly storage: PeerStorage | undefined;
  readonly write: ReportEvent;
  private order: Order = { phase: 'faulty', unreached: [], disk: null, leaves: false, change: null };
  private readonly listeners = new Set<() => void>();
  private isServed = false;

  constructor(readonly started: Started) {
    const { id, history, folder, allIds } = started;
    this.id = id;
    this.write = writerTo(history);
    if (folder !== undefined) this.storage = this.onDisk(folderStorage(folder));
    const wire = severed(overWire(started));
    this.transport = linked(wire, { peers: allIds, ...DETECTOR });
    process.on('message', (order: Order) => {
      this.order = order;
      wire.cut(order.unreached);
      for (const listener of this.listeners) listener();
    });
    reportStalls(this.write, 'pause', id);
  }

  get phase(): ChaosPhase {
    return this.order.phase;
  }

  until(phase: ChaosPhase): Promise<void> {
    return this.once(() => this.phase === phase);
  }

  /** Resolves when the peer is requested to end by itself. */
  get left(): Promise<void> {
    return this.once(() => this.order.leaves);
  }

  /** Calls `make` for each change, and reports the result. */
  changing(make: (change: MembershipChange) => Promise<unknown>): void {
    const receive = changesMade(make, (number) => process.send!({ changed: number } satisfies ProgressReport));
    this.listeners.add(() => receive(this.order.change));
  }

  /** The same locks, with a record of their use in the history. */
  watch<L extends LocksLike>(locks: L): L {
    return watched(locks, this.started, this.write);
  }

  note(what: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.write('note', { peer: this.id, what, ...fields });
  }

  /** Called when a request of that phase has completed. */
  answered(asked: ChaosPhase): void {
    if (this.isServed || asked !== 'healed') return;
    this.isServed = true;
    this.note('served');
    this.notify('served');
  }

  notify(stage: PeerStage): void {
    process.send!(stage satisfies ProgressReport);
  }

  private once(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve();
    return new Promise((resolve) => {
      const receive = () => {
        if (!isSo()) return;
        this.listeners.delete(receive);
        resolve();
      };
      this.listeners.add(receive);
    });
  }

  /** Rejects operations according to the fault of the disk, like a file system that is full or read-only. */
  private onDisk({ load, save }: PeerStorage): PeerStorage {
    return {
      load,
      save: async (key, value) => {
        const { disk } = this.order;
        if (disk === null) return save(key, value);
        const code = disk === 'full' ? 'ENOSPC' : 'EROFS';
        throw Object.assign(new Error(`${code}: the disk is ${disk}`), { code });
      },
    };
  }
}

/** Connects by the hub, the server of NATS, or the ports of a mesh. */
function overWire({ id, url, allIds }: Started): Transport {
  const [scheme, rest] = url.split(/:(.*)/) as [string, string];
  if (scheme === 'ws') return webSocket({ id, url, WebSocket });
  if (scheme !== 'mesh') return overNats(id, url);
  const ports = rest.split(',').map(Number);
  return webSocketMesh({
    id,
    listen: { port: ports[allIds.indexOf(id)]! },
    peers: ports.map((port) => `ws://127.0.0.1:${port}`),
  });
}

const overNats = (id: string, servers: string) =>
  nats({ id, connection: () => connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 100 }) });
