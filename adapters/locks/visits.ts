/**
 * A tab as its cluster knows it: it comes, goes when the browser freezes the page or puts it aside, and comes back as somebody else.
 *
 * Nobody takes part under an id that has taken part before: so a tab that comes knows nothing that it could have forgotten, wherever it was
 * (frozen, in the cache for going back, copied from another one), and what it held before it went is lost to it for good.
 */
import { Subscription } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { EPOCHS } from '../../machines/locks/messages.js';
import type { LiveNode } from '../node/node.js';
import type { Linked, Transport } from '../transports/transport.js';

/** What is used of a page, by its name: `freeze` and `resume` are told to the document, the others to the window. */
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

  /** `page` is the window: what is told to its document comes by there first. Workers have none. */
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

  /** The present line to the others. */
  get line(): Transport<Linked> {
    return this.transport;
  }

  /** The last visit has ended: calls back with the line of the next one, once the page is there. */
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
    // At once: a frozen page does nothing more.
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
   * Says that the cluster is new, once whoever this tab has met as it came has been heard, or has gone: where somebody of them has served, its word
   * counts for more.
   */
  begin(node: LiveNode): void {
    const { transport } = this;
    const waiting = new Subscription();
    const found = (met: ReadonlySet<NodeId>) => {
      const { links } = node.role(EPOCHS)!.context as EpochsContext;
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
