/** The argument of a peer's `main`: its id, its peers, and its resources. Everything else comes from the platform, as usual. */
import type { Server } from 'node:http';
import type { WebSocket } from 'ws';
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import { Disk, type RehearsedStore, type FencedStore } from './belongings.js';
import { watched, type LocksLike } from './watched.js';
import { WorldServer, WorldSocket, WorldSocketServer } from './web-sockets.js';
import type { Process, VirtualWorld } from './world.js';

/**
 * The main function of a process. A rehearsal calls it for each peer, and again whenever the peer restarts.
 *
 * @experimental
 */
export type Main = (peer: RehearsedPeer) => unknown;

/**
 * The argument of a peer's `main`: its id, its peers, and its resources in addition to the platform.
 *
 * @experimental
 */
export interface RehearsedPeer {
  readonly id: string;
  /** All peers, including this one; without services and clients. */
  readonly peers: readonly string[];
  /** Number of starts of this process, from 1. */
  readonly life: number;
  /** Release of the program, from 1. A rolling deployment increments it. */
  readonly release: number;
  /** A store that all peers share. */
  readonly store: FencedStore;
  /** The disk of this peer, which survives restarts. */
  readonly disk: Pick<Disk, 'read' | 'write' | 'rename'>;
  /** The values of `knobs` that this run has drawn. */
  readonly knobs: Readonly<Record<string, any>>;
  /** Wraps locks so that judges observe their use. */
  watch<L extends LocksLike>(locks: L): L;
  /**
   * Runs an operation on a shared object and reports its call, its return and its output to judges. An operation that throws has no return
   * and may have happened.
   *
   * @param object the name of the object.
   * @param input the operation, as the judge's model understands it.
   * @param run performs the operation and resolves with its output.
   */
  operation<T>(object: string, input: unknown, run: () => Promise<T>): Promise<T>;
  /**
   * Reports an event of the application to judges.
   *
   * @param what the name of the event.
   * @param fields further data; the names `at`, `type`, `peer` and `what` are reserved.
   * @throws UsageError for invalid arguments; this also ends the rehearsal.
   */
  note(what: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Starts a server for WebSockets at `ws://` followed by the name of this process. */
  listen(): Server;
  /** Replacements for the classes of the package `ws`. */
  readonly WebSocketServer: any;
  readonly WebSocket: new (url: string, ...rest: unknown[]) => WebSocket;
}

/** Reserved fields of a note. */
const OF_NOTE = ['at', 'type', 'peer', 'what'];

function wrongNote(what: unknown, fields: unknown): string | null {
  if (typeof what !== 'string')
    return `The first argument is ${typeof what === 'object' ? 'an object' : String(what)}. Pass a text: note('paid', { order: 5 })`;
  if (!isObject(fields)) return `The second argument is ${String(fields)}. Pass an object: note('${what}', { order: 5 })`;
  const taken = OF_NOTE.find((name) => name in fields);
  return taken === undefined ? null : `The field "${taken}" of "${what}" is reserved. Rename it.`;
}

export function createPeer(
  world: VirtualWorld,
  process: Process,
  peers: readonly string[],
  knobs: Readonly<Record<string, unknown>>,
  store: RehearsedStore['end'],
  disk: Disk,
): RehearsedPeer {
  const { id, life, release } = process;
  let operations = 0;
  const operation = async <T>(object: string, input: unknown, run: () => Promise<T>): Promise<T> => {
    const operation = `${id} ${life}.${++operations}`;
    world.report('call', { peer: id, object, operation, input });
    const output = await run();
    world.report('return', { peer: id, object, operation, output });
    return output;
  };
  return {
    id,
    peers,
    life,
    release,
    store,
    disk,
    knobs,
    watch: (locks) => watched(locks, process, (type, fields) => world.report(type, fields)),
    operation,
    note: (what, fields = {}) => {
      const wrong = wrongNote(what, fields);
      if (wrong !== null) throw world.refuse(new UsageError(`Invalid note of ${id}. ${wrong}`));
      world.report('note', { peer: id, what, ...fields });
    },
    listen: () => WorldServer.in(world, process),
    WebSocketServer: WorldSocketServer,
    WebSocket: WorldSocket as unknown as RehearsedPeer['WebSocket'],
  };
}
