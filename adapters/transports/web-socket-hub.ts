/**
 * The hub that WebSocket peers meet at, for Node, on the package `ws`.
 *
 *     const hub = await webSocketHub({ port: 8080, admit: async ({ id, token }) => id === (await verified(token)) });
 *     const mounted = await webSocketHub({ server, path: '/quiver' });         // beside your own routes
 *
 * It listens on 127.0.0.1 unless told otherwise. Who may come in is for `ids` and `admit` to say, everybody unless one is given; pages
 * of other origins than the hub's own are refused unless `origins` names them. Every connection is bounded: so long to say who it is,
 * so many frames and bytes a second (what is more waits in the peer's own socket), so much that it has not taken; and one that does
 * not answer for three seconds is gone. The hub keeps nothing on disk: what is under way when it stops is lost.
 */
import type { IncomingMessage } from 'node:http';
import { interval, type SchedulerLike, type Subscription } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { environmentOf } from '../environment.js';
import { Hub, type PeerHello } from './hub.js';
import { BEAT_MS } from './through-hub.js';
import { LISTEN_LIMITS, listenAt, type Listener, type ListenLimits, type ListenOptions } from './web-socket-listener.js';

/** Who wants to come in. */
export interface Applicant {
  readonly id: NodeId;
  readonly token: string | undefined;
  /** The upgrade request: its headers, its address, with TLS its certificate. */
  readonly request: IncomingMessage;
}

export type HubLimits = ListenLimits;

export interface Admission {
  /** The only ids there are. */
  readonly ids?: readonly NodeId[];
  /** Whether a peer may come in. A promise that rejects is a no for now: the peer tries again. */
  readonly admit?: (applicant: Applicant) => boolean | Promise<boolean>;
}

export interface WebSocketHubOptions extends ListenOptions, Admission {}

export async function webSocketHub(options: WebSocketHubOptions): Promise<WebSocketHub> {
  const requests = new WeakMap<object, IncomingMessage>();
  const { clock } = environmentOf(options);
  const hub = new Hub({
    clock,
    beats: true,
    helloMs: options.limits?.helloMs ?? LISTEN_LIMITS.helloMs,
    refuses: (hello, line) => refusesFor(options, hello, requests.get(line)!),
  });
  const listener = await listenAt(options, (line, request) => {
    requests.set(line, request);
    hub.attach(line);
  });
  return new WebSocketHub(hub, listener, clock);
}

/** Why this peer may not come in; `null` when it may. @internal */
export async function refusesFor(rules: Admission, { id, token }: PeerHello, request: IncomingMessage): Promise<string | null> {
  if (rules.ids && !rules.ids.includes(id)) return 'it is not among the ids that are known here';
  const isAdmitted = !rules.admit || (await rules.admit({ id, token, request }));
  return isAdmitted ? null : 'it is not let in: its token or its id does not do';
}

export class WebSocketHub implements AsyncDisposable {
  private readonly beat: Subscription;

  constructor(
    private readonly hub: Hub,
    private readonly listener: Listener,
    clock: SchedulerLike,
  ) {
    this.beat = interval(BEAT_MS, clock).subscribe(() => {
      for (const line of listener.lines) line.beat();
      hub.beat();
    });
  }

  get port(): number {
    return this.listener.port;
  }

  async close(): Promise<void> {
    this.beat.unsubscribe();
    this.hub.close();
    await this.listener.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
