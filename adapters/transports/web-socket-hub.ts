/**
 * The hub that WebSocket peers meet at, for Node, on the package `ws`.
 *
 * It listens on 127.0.0.1 by default. Who may come in is for `ids` and `admit` to say, everybody unless one is given; a
 * page is let in from the hub's own place alone, or, where `origins` is given, from those origins alone. Who is refused is warned of. Every connection is bounded: so long to say who it is,
 * so many frames and bytes a second (what is more waits in the peer's own socket), so much that it has not taken; and one that does
 * not answer for three beats, three to four seconds, is gone. The hub keeps nothing on disk: what is under way when it stops is lost.
 */
import cluster from 'node:cluster';
import type { IncomingMessage } from 'node:http';
import { interval, type SchedulerLike, type Subscription } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { environmentOf } from '../environment.js';
import { anything, optional } from '../options.js';
import { Hub, type PeerHello } from './hub.js';
import { checkId } from './ids.js';
import { quote } from './reading.js';
import { HUB_BEAT_MS } from './through-hub.js';
import {
  checkPlace,
  LISTEN_LIMITS,
  listenAt,
  type Listener,
  type ListenLimits,
  type ListenOptions,
} from './web-socket-listener.js';

/**
 * Who wants to come in.
 *
 * @public
 */
export interface Applicant {
  /** Who it says to be. */
  readonly id: NodeId;
  /** What it shows, if anything. */
  readonly token: string | undefined;
  /** The upgrade request, or the answer to it of who was dialed in a mesh: its headers, its address, with TLS its certificate. */
  readonly request: IncomingMessage;
}

/**
 * The bounds of every connection of a hub.
 *
 * @public
 */
export type HubLimits = ListenLimits;

/**
 * Who may come in; everybody unless one of the two is given.
 *
 * @public
 */
export interface Admission {
  /** The only ids there are. */
  readonly ids?: readonly NodeId[];
  /** True if a peer may come in: `true`, and nothing else. A promise that rejects is a no for now: the peer tries again. */
  readonly admit?: (applicant: Applicant) => boolean | Promise<boolean>;
}

/**
 * Options for `webSocketHub`: where it listens, and who may come in.
 *
 * @public
 */
export interface WebSocketHubOptions extends ListenOptions, Admission {}

/**
 * The hub that WebSocket peers meet at, for Node, on the package `ws`. It resolves once it listens, and keeps nothing on disk. On a server
 * that nobody has told to listen it resolves after a second, and serves from when the server listens; until then it has no `port`.
 *
 * @throws UsageError for an option that is missing, wrong or not known, and for a path of a server that another hub has;
 * ConnectionError where it, or the server, cannot listen.
 * @example
 * ```ts
 * import { webSocketHub } from 'xstate-quiver/transports/node';
 *
 * const hub = await webSocketHub({ port: 0, admit: ({ id, token }) => token === `the token of ${id}` });
 * console.log(`listening at ws://127.0.0.1:${hub.port}`);
 * await hub.close();
 * ```
 * @public
 */
export async function webSocketHub(options: WebSocketHubOptions): Promise<WebSocketHub> {
  checkPlace('webSocketHub', options, { ids: optional(anything), admit: optional(anything) });
  if (cluster.isWorker) warnOfWorker();
  const requests = new WeakMap<object, IncomingMessage>();
  const { clock } = environmentOf(options);
  const access = new AccessControl(options, 'webSocketHub');
  const hub = new Hub({
    clock,
    beats: true,
    helloMs: options.limits?.helloMs ?? LISTEN_LIMITS.helloMs,
    refuses: (hello, line) => access.refuses(hello, requests.get(line)!),
    refused: (id, why, line) => listener.refused(requests.get(line)!, `"${quote(id)}"`, why),
  });
  const listener: Listener = await listenAt('webSocketHub', options, (line, request) => {
    requests.set(line, request);
    hub.attach(line);
  });
  return new WebSocketHub(hub, listener, clock);
}

let hasWarnedOfWorker = false;

/** Workers share a port, and each connection goes to one of them. */
function warnOfWorker(): void {
  if (hasWarnedOfWorker) return;
  hasWarnedOfWorker = true;
  console.warn(
    'webSocketHub runs in a worker of node:cluster (PM2 in cluster mode starts such workers). Each worker then has a hub of its own, and peers ' +
      'at different hubs never meet. Run one hub in the primary process, or in a process of its own.',
  );
}

/** The rules of the application for who may come in. Throws a `UsageError` for rules that would not be what they look like. @internal */
export class AccessControl {
  private hasReported = false;

  constructor(
    private readonly rules: Admission,
    /** Who asks, as errors and warnings name it. */
    private readonly who: string,
  ) {
    const { ids, admit } = rules;
    if (ids !== undefined && !Array.isArray(ids))
      throw new UsageError(`${who}: ids is not a list of ids. Pass one, as in ['a', 'b']`);
    for (const id of ids ?? []) checkId(id, `${who}: one of its ids`);
    if (admit !== undefined && typeof admit !== 'function')
      throw new UsageError(
        // A text may be a secret.
        `${who}: admit is ${typeof admit === 'string' ? 'a text' : quote(admit)} and not a function. Pass one that returns true or false, or a promise of it`,
      );
  }

  /** Why this peer may not come in; `null` when it may. */
  async refuses({ id, token }: Pick<PeerHello, 'id' | 'token'>, request: IncomingMessage): Promise<string | null> {
    const { ids, admit } = this.rules;
    if (ids && !ids.includes(id)) return 'its id is not allowed here. Add it to ids';
    const answer: unknown = admit ? await this.ask(admit, { id, token, request }) : true;
    // Whatever else counts as true in JavaScript, a user that was found, for instance, has not said that the peer may come in.
    if (typeof answer !== 'boolean') {
      const gave = `admit gave ${typeof answer === 'string' ? 'the text ' : ''}${quote(answer)} for "${quote(id)}"`;
      this.tell(`${gave}, and only true lets anybody in. Pass true or false`);
    }
    return answer === true ? null : 'it is not admitted: admit rejects its token or id';
  }

  /** Whoever wanted to come in is not told why the question failed: what the error says may be a secret. */
  private async ask(admit: NonNullable<Admission['admit']>, applicant: Applicant): Promise<unknown> {
    try {
      return await admit(applicant);
    } catch (error) {
      this.tell(`admit failed for "${quote(applicant.id)}", who may try again: ${quote(String(error))}`);
      throw error;
    }
  }

  /** Once: peers try again and again. */
  private tell(what: string): void {
    if (this.hasReported) return;
    this.hasReported = true;
    console.warn(`${this.who}: ${what}`);
  }
}

/**
 * A hub that listens; `webSocketHub` makes it.
 *
 * @public
 */
export class WebSocketHub implements AsyncDisposable {
  private readonly beat: Subscription;

  constructor(
    private readonly hub: Hub,
    private readonly listener: Listener,
    clock: SchedulerLike,
  ) {
    this.beat = interval(HUB_BEAT_MS, clock).subscribe(() => {
      for (const line of listener.lines) line.beat();
      hub.beat();
    });
  }

  /** The port at which it listens. */
  get port(): number {
    return this.listener.port;
  }

  /** Takes nobody any more and closes all connections; your server stays open. */
  async close(): Promise<void> {
    this.beat.unsubscribe();
    this.hub.close();
    await this.listener.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
