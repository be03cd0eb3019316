/**
 * Watches an election without taking part in it: a process that no list names learns the leader, and is never a candidate.
 *
 * Each peer of an election has a conversation next to it. A watcher greets the peers of its list; each answers with the leader that it
 * follows, and then with each change. The watcher believes the first peer that has answered until it goes, and then another one.
 */
import type { Message, NodeId } from '../machines/effects.js';
import type { InEnvironment } from './environment.js';
import { withLink } from './links.js';
import { Channels } from './node/channels.js';
import { Presence } from './node/presence.js';
import { checkOptions, environment, peers, someText, optional, transport } from './options.js';
import { ClosedError } from './transports/errors.js';
import { isId } from './transports/ids.js';
import type { Transport } from './transports/transport.js';

/**
 * Options for `watchElection`.
 *
 * @public
 */
export interface ElectionWatchOptions extends InEnvironment {
  /** Transport of this process, which may have a generated id. The watch connects it; its creator closes it. */
  readonly transport: Transport;
  /** Peers of the election, or some of them. */
  readonly peers: readonly NodeId[];
  /** Name of the election. @defaultValue `election` */
  readonly name?: string;
}

type LeaderMessage = Message & { readonly leader?: unknown };

/** Messages between the peers of an election and its watchers. `meet` and `part` report the peers at the other end. */
interface Ends {
  greets(peer: NodeId): boolean;
  meet(peer: NodeId): void;
  part(peer: NodeId): void;
  receive(from: NodeId, message: LeaderMessage): void;
  /** The transport has ended. */
  closed?(error: Error | null): void;
}

class Conversation {
  private readonly name: string;
  private readonly channels: Channels;
  private readonly presence: Presence;

  constructor(transport: Transport, election: string, ends: Ends) {
    this.name = `${election}/leader`;
    this.channels = Channels.of(transport);
    this.presence = new Presence(
      (to, message) => this.transmit(to, message),
      (type, peer) => (type === 'up' ? ends.meet(peer) : ends.part(peer)),
    );
    const greet = (peer: NodeId) => ends.greets(peer) && this.presence.greet(peer);
    this.channels.open(this.name, {
      message: (from, message) =>
        this.presence.receive(from, message) || (this.presence.has(from) && ends.receive(from, message)),
      peer: (type, peer) => (type === 'up' ? greet(peer) : this.presence.part(peer)),
      closed: (error) => ends.closed?.(error),
    });
    for (const peer of transport.peers) greet(peer);
  }

  send(to: NodeId, leader: NodeId | null): void {
    const message = { type: 'leader', leader };
    this.transmit(to, message);
  }

  close(): void {
    this.presence.leave();
    this.channels.close(this.name);
  }

  /** A peer whose queue is full, or a closed transport, gets no message. */
  private transmit(to: NodeId, message: Message): number {
    try {
      return this.channels.send(this.name, to, message);
    } catch {
      return 0;
    }
  }
}

/** Reports the leader of a peer to its watchers. */
export class Watchers {
  private readonly present = new Set<NodeId>();
  private readonly conversation: Conversation;

  constructor(
    transport: Transport,
    election: string,
    candidates: readonly NodeId[],
    private readonly leader: () => NodeId | null,
  ) {
    this.conversation = new Conversation(transport, election, {
      greets: (peer) => !candidates.includes(peer),
      meet: (peer) => {
        this.present.add(peer);
        this.conversation.send(peer, this.leader());
      },
      part: (peer) => void this.present.delete(peer),
      receive: () => {},
    });
  }

  report(): void {
    for (const peer of this.present) this.conversation.send(peer, this.leader());
  }

  close(): void {
    this.present.clear();
    this.conversation.close();
  }
}

const CHECKS = { transport, peers, name: optional(someText), ...environment };

/**
 * The leader of an election, at a process that is not a candidate. Create it with `watchElection`. It dispatches `change` when the leader changes or becomes unknown.
 *
 * @public
 */
export class ElectionWatch extends EventTarget implements AsyncDisposable {
  /** Resolves once a leader is known. Rejects with the error of the transport, or with a ClosedError. */
  readonly ready: Promise<void>;
  /** The leaders that the peers have reported, in the order of their first reports. The first one counts. */
  private readonly reports = new Map<NodeId, NodeId | null>();
  private readonly conversation: Conversation;
  private current: NodeId | null = null;
  private readonly ending = new AbortController();
  private readonly release: () => Promise<void>;

  constructor(options: ElectionWatchOptions) {
    super();
    checkOptions('watchElection', options, CHECKS);
    const { name = 'election' } = options;
    const ends: Ends = {
      greets: (peer) => options.peers.includes(peer),
      meet: () => {},
      part: (peer) => {
        this.reports.delete(peer);
        this.update();
      },
      receive: (from, { type, leader }) => {
        if (type !== 'leader' || !options.peers.includes(from) || !(leader === null || isId(leader))) return;
        this.reports.set(from, leader);
        this.update();
      },
      closed: (error) => this.end(error ?? new ClosedError(`the transport of peer "${options.transport.id}" is closed`)),
    };
    const { conversation, transport, release } = withLink('watchElection', { ...options, client: true }, (link) => ({
      ...link,
      conversation: new Conversation(link.transport, name, ends),
    }));
    this.release = release;
    this.conversation = conversation;
    this.ready = new Promise((resolve, reject) => {
      const known = () => this.leader !== null && resolve();
      this.addEventListener('change', known);
      this.ending.signal.addEventListener('abort', () => reject(this.ending.signal.reason));
    });
    this.ready.catch(() => {});
    transport.connect().catch((error: Error) => this.end(error));
  }

  /** Id of the leader that one of the peers follows; `null` while no peer is connected, or that peer knows none. */
  get leader(): NodeId | null {
    return this.current;
  }

  /** Stops watching. The transport stays open. */
  async close(): Promise<void> {
    this.end(new ClosedError('the watch of an election is closed'));
    await this.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private update(): void {
    const [leader = null] = this.reports.values();
    if (leader === this.current) return;
    this.current = leader;
    this.dispatchEvent(new CustomEvent('change', { detail: { leader } }));
  }

  private end(error: Error): void {
    this.conversation.close();
    this.reports.clear();
    this.update();
    this.ending.abort(error);
  }
}

/**
 * Watches an election without taking part in it: for clients that no list names, such as pods of an autoscaler, functions and tabs. Peers
 * of the election report the leader that they follow.
 *
 * @throws UsageError for an option that is missing, wrong or unknown.
 * @example
 * ```ts
 * import { createElection, watchElection } from 'xstate-quiver/election';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const bus = new InProcessBus();
 * const elections = ['a', 'b'].map((id) => createElection({ transport: bus.transport(id), peers: ['a', 'b'] }));
 * const watch = watchElection({ transport: bus.transport('web'), peers: ['a', 'b'] });
 * await watch.ready;
 * console.log(watch.leader === elections[0].leader);
 * await Promise.all([watch, ...elections].map((each) => each.close()));
 * ```
 * @public
 */
export const watchElection = (options: ElectionWatchOptions): ElectionWatch => new ElectionWatch(options);
