/**
 * A hub for WebSocket peers, for Node, on the package `ws`.
 *
 * The hub listens on 127.0.0.1 by default. The options `ids` and `admit` decide which peers may connect; by default, any peer may. Pages may
 * connect from the origin of the hub, or only from `origins` if given. The hub warns of each refusal. Every connection has limits: the time
 * until it is admitted, frames and bytes per second, and bytes that it has not read. Frames above the rate wait in the socket of the
 * sender. A peer that does not answer three beats (three to four seconds) is disconnected. The hub stores nothing on disk: messages in
 * flight are lost when it stops.
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
 * A peer that wants to connect.
 *
 * @public
 */
export interface Applicant {
  /** Id that the peer claims. */
  readonly id: NodeId;
  /** Token that the peer sent, if any. */
  readonly token: string | undefined;
  /** The upgrade request, or in a mesh the response of the dialed peer: headers, address and, with TLS, the certificate. */
  readonly request: IncomingMessage;
}

/**
 * Limits of every connection of a hub.
 *
 * @public
 */
export type HubLimits = ListenLimits;

/**
 * Access control. By default, any peer may connect.
 *
 * @public
 */
export interface Admission {
  /** Ids that may connect. @defaultValue all ids */
  readonly ids?: readonly NodeId[];
  /**
   * Returns true if the peer may connect. Any other value refuses it. If the promise rejects, the peer is refused for now and retries.
   *
   * @defaultValue admits all
   */
  readonly admit?: (applicant: Applicant) => boolean | Promise<boolean>;
}

/**
 * Options for `webSocketHub`: where it listens, and access control.
 *
 * @public
 */
export interface WebSocketHubOptions extends ListenOptions, Admission {}

/**
 * Starts a hub for WebSocket peers, for Node, on the package `ws`. Resolves once it listens. If your server does not listen yet, it
 * resolves after a second and serves peers once the server listens; until then it has no `port`.
 *
 * @param options your server or a port, and the peers to admit.
 * @returns the hub.
 * @throws UsageError for an option that is missing, wrong or unknown, and for a path of your server that another hub uses.
 * @throws ConnectionError if the hub or your server cannot listen.
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
    'webSocketHub runs in a worker of node:cluster (PM2 in cluster mode starts such workers). Each worker then has its own hub, and peers ' +
      'at different hubs never meet. Run one hub in the primary process, or in a separate process.',
  );
}

/** The access rules of the application. Throws a `UsageError` for invalid rules. @internal */
export class AccessControl {
  private hasReported = false;

  constructor(
    private readonly rules: Admission,
    /** Name of the owner in errors and warnings. */
    private readonly who: string,
  ) {
    const { ids, admit } = rules;
    if (ids !== undefined && !Array.isArray(ids))
      throw new UsageError(`${who}: ids is not a list of ids. Pass one, as in ['a', 'b']`);
    for (const id of ids ?? []) checkId(id, `${who}: one of its ids`);
    if (admit !== undefined && typeof admit !== 'function')
      throw new UsageError(
        // A string may be a secret.
        `${who}: admit is ${typeof admit === 'string' ? 'a text' : quote(admit)} and not a function. Pass one that returns true or false, or a promise of one`,
      );
  }

  /** Reason for which this peer may not connect; `null` if it may. */
  async refuses({ id, token }: Pick<PeerHello, 'id' | 'token'>, request: IncomingMessage): Promise<string | null> {
    const { ids, admit } = this.rules;
    if (ids && !ids.includes(id)) return 'its id is not allowed here. Add it to ids';
    const answer: unknown = admit ? await this.ask(admit, { id, token, request }) : true;
    // Other truthy values, such as a user that was found, do not admit the peer.
    if (typeof answer !== 'boolean') {
      const gave = `admit returned ${typeof answer === 'string' ? 'the text ' : ''}${quote(answer)} for "${quote(id)}"`;
      this.warn(`${gave}. Return true or false: only true admits a peer`);
    }
    return answer === true ? null : 'it is not admitted: admit rejects its token or id';
  }

  /** Calls `admit`. Its error may contain a secret, so it is not sent to the peer. */
  private async ask(admit: NonNullable<Admission['admit']>, applicant: Applicant): Promise<unknown> {
    try {
      return await admit(applicant);
    } catch (error) {
      this.warn(`admit failed for "${quote(applicant.id)}", which may try again: ${quote(String(error))}`);
      throw error;
    }
  }

  /** Warns once, because peers retry. */
  private warn(what: string): void {
    if (this.hasReported) return;
    this.hasReported = true;
    console.warn(`${this.who}: ${what}`);
  }
}

/**
 * A hub that listens. Create it with `webSocketHub`.
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

  /** Port at which the hub listens. */
  get port(): number {
    return this.listener.port;
  }

  /** Refuses new connections and closes all existing ones. Your server stays open. */
  async close(): Promise<void> {
    this.beat.unsubscribe();
    this.hub.close();
    await this.listener.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
