/** Tools of the conformance suite: its options, a transport that records its events, waits with a timeout, and a few checks. */
import { filter, firstValueFrom, ReplaySubject, timeout } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import type { Guarantees, Json, Transport, TransportEvent } from './transport.js';
import { asError } from '../../machines/errors.js';

/**
 * Options for `transportConformance`: a test runner, the guarantees of the transport, and a function that creates transports.
 *
 * @public
 */
export interface Conformance {
  /** The runner's test function, such as that of vitest or node:test. */
  readonly test: (title: string, run: () => Promise<void>) => void;
  /** Guarantees to test the transports against. */
  readonly guarantees: Guarantees;
  /** Creates one transport for each id, not connected yet. Each call uses a new network. */
  readonly create: (ids: readonly NodeId[]) => readonly Transport[] | Promise<readonly Transport[]>;
  /** Further values that must arrive unchanged, such as values from fast-check. */
  readonly values?: readonly Json[];
  /** Sends a value that is not a message (`garbage`) to a peer, as a stranger or a faulty peer would. */
  readonly inject?: (to: NodeId, garbage: Json) => void | Promise<void>;
  /** Sends unchanged texts to a peer, each separately. Text is all that a peer receives from outside. */
  readonly injectTexts?: (to: NodeId, texts: readonly string[]) => void | Promise<void>;
  /** Milliseconds that a test waits for an event before it fails. @defaultValue 10,000 */
  readonly waitMs?: number;
}

/** A transport with all events that it has reported. */
class Peer {
  readonly log: TransportEvent[] = [];
  private readonly replay = new ReplaySubject<TransportEvent>();

  constructor(
    readonly transport: Transport,
    private readonly waitMs = 10_000,
  ) {
    transport.events.subscribe(this.replay);
    transport.events.subscribe((event) => this.log.push(event));
  }

  get messages(): Json[] {
    return this.log.flatMap((event) => (event.type === 'message' ? [event.message] : []));
  }

  /** Returns the first event that satisfies the predicate, including past ones. */
  until(what: string, predicate: (event: TransportEvent) => boolean): Promise<TransportEvent> {
    const late = () => {
      throw new Error(`${this.transport.id} waited ${this.waitMs} ms in vain for ${what}; it saw ${JSON.stringify(this.log)}`);
    };
    return firstValueFrom(this.replay.pipe(filter(predicate), timeout({ first: this.waitMs, with: late })));
  }

  async received(message: Json): Promise<NodeId> {
    const text = JSON.stringify(message);
    const event = await this.until(text, (e) => e.type === 'message' && JSON.stringify(e.message) === text);
    return (event as { from: NodeId }).from;
  }

  isUp(peer: NodeId): Promise<unknown> {
    return this.until(`${peer} to be up`, (event) => event.type === 'up' && event.peer === peer);
  }
}

export function check(condition: boolean, description: string): asserts condition {
  if (!condition) throw new Error(description);
}

export const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Returns the error that `run` throws or rejects with. Fails if there is none. */
export async function failure(run: () => unknown): Promise<Error> {
  try {
    await run();
  } catch (error) {
    return asError(error);
  }
  throw new Error('expected an error, and there was none');
}

/** Creates a test on peers of one network and closes them afterward. With `connect: false` the body connects them. */
export const peered =
  (suite: Conformance, ids: readonly NodeId[], body: (peers: readonly [Peer, Peer, Peer]) => Promise<void>, connect = true) =>
  async (): Promise<void> => {
    const peers = (await suite.create(ids)).map((transport) => new Peer(transport, suite.waitMs));
    try {
      if (connect) await meet(peers);
      await body(peers as never);
    } finally {
      await Promise.all(peers.map(({ transport }) => transport.close()));
    }
  };

/** Connects the peers and waits until they know of each other, if the transport reports presence. */
export async function meet(peers: readonly Peer[]): Promise<void> {
  await Promise.all(peers.map(({ transport }) => transport.connect()));
  if (peers[0]!.transport.guarantees.presence === 'none') return;
  for (const peer of peers) {
    for (const { transport } of peers) if (transport !== peer.transport) await peer.isUp(transport.id);
  }
}
