/** The argument of a peer's `main`: who it is, who else there is, and what it has. All else it takes from the platform, as it would anyway. */
import type { Server } from 'node:http';
import type { WebSocket } from 'ws';
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import { Disk, type SharedStore, type FencedStore } from './belongings.js';
import { watched, type LocksLike } from './watched.js';
import { WorldServer, WorldSocket, WorldSocketServer } from './web-sockets.js';
import type { Process, VirtualWorld } from './world.js';

/**
 * An ordinary main of a process, which a rehearsal runs as each peer, and again whenever the peer starts again.
 *
 * @experimental
 */
export type Main = (peer: RehearsedPeer) => unknown;

/**
 * The argument of a peer's `main`: who it is, who else there is, and what it has next to the platform.
 *
 * @experimental
 */
export interface RehearsedPeer {
  readonly id: string;
  /** All peers, this one included; not the services. */
  readonly peers: readonly string[];
  /** Which start of this process it is, from 1. */
  readonly life: number;
  /** Which release of the program it is, from 1: a rolling deployment brings the next. */
  readonly release: number;
  /** Shared by all peers. */
  readonly store: FencedStore;
  /** Its own, and kept from one life to the next. */
  readonly disk: Pick<Disk, 'read' | 'write' | 'rename'>;
  /** The settings that this run has drawn. */
  readonly knobs: Readonly<Record<string, any>>;
  /** The same locks, whose use is told to the judges. */
  watch<L extends LocksLike>(locks: L): L;
  /**
   * Runs what is done with an object that several peers use, and tells judges its call and its return, with what it gave; one that throws has no
   * return, and may have happened.
   */
  operation<T>(object: string, input: unknown, run: () => Promise<T>): Promise<T>;
  /**
   * Tells judges something of the application's own. A note that cannot be one ends the rehearsal with a `UsageError`: `what` is a text, and no field
   * is named `at`, `type`, `peer` or `what`, which the note has itself.
   */
  note(what: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A server for WebSockets, which others reach as `ws://` and the name of this process. */
  listen(): Server;
  /** Instead of the classes of the package `ws`, for what listens, and for a mesh. */
  readonly WebSocketServer: any;
  readonly WebSocket: new (url: string, ...rest: any[]) => WebSocket;
}

/** What a note has itself. */
const OF_NOTE = ['at', 'type', 'peer', 'what'];

function wrongNote(what: unknown, fields: unknown): string | null {
  if (typeof what !== 'string')
    return `${typeof what === 'object' ? 'an object' : String(what)}. Pass a text first, as in note('paid', { order: 5 })`;
  if (!isObject(fields))
    return `"${what}" with ${String(fields)}. Pass fields under their names, as in note('${what}', { order: 5 })`;
  const taken = OF_NOTE.find((name) => name in fields);
  return taken === undefined
    ? null
    : `"${what}" with a field "${taken}", which every note has of its own. Pass the field another name`;
}

export function createPeer(
  world: VirtualWorld,
  process: Process,
  peers: readonly string[],
  knobs: Readonly<Record<string, unknown>>,
  store: SharedStore['end'],
  disk: Disk,
): RehearsedPeer {
  const { id, life, release } = process;
  let operations = 0;
  const operation = async <T>(object: string, input: unknown, run: () => Promise<T>): Promise<T> => {
    const operation = `${id} ${life}.${++operations}`;
    world.tell('call', { peer: id, object, operation, input });
    const output = await run();
    world.tell('return', { peer: id, object, operation, output });
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
    watch: (locks) => watched(locks, process, (type, fields) => world.tell(type, fields)),
    operation,
    note: (what, fields = {}) => {
      const wrong = wrongNote(what, fields);
      if (wrong !== null) throw world.refuse(new UsageError(`"${id}" notes ${wrong}`));
      world.tell('note', { peer: id, what, ...fields });
    },
    listen: () => WorldServer.in(world, process),
    WebSocketServer: WorldSocketServer,
    WebSocket: WorldSocket as unknown as RehearsedPeer['WebSocket'],
  };
}
