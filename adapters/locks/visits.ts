/**
 * The visits of a browser tab: it arrives, leaves when the browser freezes the page or moves it to the back/forward cache, and returns with
 * a new id.
 *
 * No id participates twice. A tab that arrives therefore knows nothing that it could have forgotten, wherever it was (frozen, in the
 * back/forward cache, copied from another tab). The locks that it held before are lost for good.
 */
import { Subscription } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { EPOCHS } from '../../machines/locks/messages.js';
import type { LiveNode } from '../node/node.js';
import type { Linked, Transport } from '../transports/transport.js';

/** The used part of a page. `freeze` and `resume` are events of the document, the others of the window. */
export interface PageEvents {
  addEventListener(type: string, listener: () => void, options?: { readonly capture?: boolean }): void;
  removeEventListener(type: string, listener: () => void, options?: { readonly capture?: boolean }): void;
}

const GOING = ['freeze', 'pagehide'] as const;
const COMING = ['resume', 'pageshow'] as const;

export class Visits {
  private transport: Transport<Linked>;
  private isAway = false;
  private isOver = false;
  private waiting: ((transport: Transport<Linked>) => void) | undefined;
  private readonly listeners: readonly (readonly [type: string, listener: () => void])[];

  /** `page` is the window, which receives events of its document in the capture phase. Workers have none. */
  constructor(
    private readonly arrive: () => Transport<Linked>,
    private readonly page: PageEvents | undefined,
  ) {
    this.transport = arrive();
    this.listeners = [
      ...GOING.map((type) => [type, () => this.go()] as const),
      ...COMING.map((type) => [type, () => this.come()] as const),
    ];
    for (const [type, listener] of this.listeners) page?.addEventListener(type, listener, { capture: true });
  }

  /** The transport of the present visit. */
  get line(): Transport<Linked> {
    return this.transport;
  }

  /** Ends the last visit, and calls back with the transport of the next one once the page is active. */
  next(begin: (transport: Transport<Linked>) => void): void {
    this.waiting = begin;
    if (!this.isAway) this.come();
  }

  async end(): Promise<void> {
    this.isOver = true;
    for (const [type, listener] of this.listeners) this.page?.removeEventListener(type, listener, { capture: true });
    await this.transport.close();
  }

  private go(): void {
    this.isAway = true;
    // At once: a frozen page does not run any code.
    void this.transport.close();
  }

  private come(): void {
    this.isAway = false;
    const begin = this.waiting;
    if (!begin || this.isOver) return;
    this.waiting = undefined;
    this.transport = this.arrive();
    begin(this.transport);
  }

  /**
   * Declares that the cluster is new after each tab that this one has met has connected or has gone. If one of them has served, its state
   * takes precedence.
   */
  begin(node: LiveNode): void {
    const { transport } = this;
    const waiting = new Subscription();
    const found = (met: ReadonlySet<NodeId>) => {
      const { links }: EpochsContext = node.role(EPOCHS)!.context;
      if ([...met].some((peer) => transport.peers.has(peer) && !links.includes(peer))) return;
      waiting.unsubscribe();
      node.attempt('bootstrap');
    };
    node.ready.then(
      () => {
        const met = new Set(transport.peers);
        const look = () => queueMicrotask(() => !waiting.closed && node.role(EPOCHS) && found(met));
        waiting.add(node.steps$.subscribe(look));
        waiting.add(transport.events.subscribe(look));
        look();
      },
      () => {},
    );
  }
}
