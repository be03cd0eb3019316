/** A peer in a process of its own: its transport, what it writes down, and how far it has been told that the round has come. */
import { appendFileSync } from 'node:fs';
import { connect } from '@nats-io/transport-node';
import { WebSocket } from 'ws';
import { linked } from '../adapters/linked.js';
import { folderStorage } from '../adapters/storage/folder.js';
import type { PeerStorage } from '../adapters/storage/storage.js';
import { nats } from '../adapters/transports/nats.js';
import type { Linked, Transport } from '../adapters/transports/transport.js';
import { webSocketMesh } from '../adapters/transports/web-socket-mesh.js';
import { webSocket } from '../adapters/transports/web-socket.js';
import type { HistoryLine } from './history.js';
import { PEERS } from './plan.js';
import { severed } from './severed.js';

/** Faults happen; all are over; everybody has been served since; everybody may go. */
export type ChaosPhase = 'faulty' | 'healed' | 'settled' | 'ended';

/** From the round. */
export interface Order {
  readonly phase: ChaosPhase;
  readonly unreached: readonly string[];
}

/** To the round. */
export type PeerStage = 'connected' | 'served' | 'done';

/** The exit status of a peer that found no broker when it started. */
export const UNCONNECTED = 75;

/** Short enough for rounds of seconds: a peer counts as gone after half a second of silence. */
const DETECTOR = { beatMs: 25, patience: 20 };

export class ChaosPeer {
  readonly transport: Transport<Linked>;
  readonly storage: PeerStorage | undefined;
  private order: Order = { phase: 'faulty', unreached: [] };
  private readonly reaching = new Map<ChaosPhase, () => void>();
  private isServed = false;

  constructor(
    readonly id: string,
    url: string,
    private readonly history: string,
    folder?: string,
  ) {
    if (folder !== undefined) this.storage = folderStorage(folder);
    const wire = severed(overWire(id, url));
    this.transport = linked(wire, { peers: PEERS, ...DETECTOR });
    process.on('message', (order: Order) => {
      this.order = order;
      wire.cut(order.unreached);
      this.reaching.get(order.phase)?.();
    });
  }

  get phase(): ChaosPhase {
    return this.order.phase;
  }

  until(phase: ChaosPhase): Promise<void> {
    if (this.phase === phase) return Promise.resolve();
    return new Promise((resolve) => this.reaching.set(phase, resolve));
  }

  write(line: HistoryLine): void {
    appendFileSync(this.history, `${JSON.stringify(line)}\n`);
  }

  /** It has been answered what it asked in that phase. */
  answered(asked: ChaosPhase): void {
    if (this.isServed || asked !== 'healed') return;
    this.isServed = true;
    this.write({ what: 'served', peer: this.id });
    this.tell('served');
  }

  tell(report: PeerStage): void {
    process.send!(report);
  }
}

/** By the hub, the server of NATS, or the ports of a mesh. */
function overWire(id: string, url: string): Transport {
  const [scheme, rest] = url.split(/:(.*)/) as [string, string];
  if (scheme === 'ws') return webSocket({ id, url, WebSocket });
  if (scheme !== 'mesh') return overNats(id, url);
  const ports = rest.split(',').map(Number);
  return webSocketMesh({
    id,
    listen: { port: ports[PEERS.indexOf(id)]! },
    peers: ports.map((port) => `ws://127.0.0.1:${port}`),
  });
}

const overNats = (id: string, servers: string) =>
  nats({ id, connection: () => connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 100 }) });
