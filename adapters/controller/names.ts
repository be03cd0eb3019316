/**
 * Short unique numbers for many peers without a central counter, mostly without messages.
 *
 * No number is issued twice, and every number is less than four times the count of all issued ones, including those of the peers. This
 * requires that the first peer stays: if it restarts under the same name, it starts from the beginning. For peers that may crash, use
 * `createNames({ locks })`.
 */
import type { ControllerOptions } from '../../machines/controller/options.js';
import { checkOptions } from '../options.js';
import { PEERS_CHECKS } from './checks.js';
import { createControllerNode, type PeersOptions } from './controller-node.js';
import type { LiveNode } from '../node/node.js';
import { Questions } from '../node/questions.js';
import type { NodeActor } from '../node/node-logic.js';

interface Named {
  readonly type: 'named';
  readonly name: number;
}

/**
 * A source of unique numbers at one peer; `createNames` creates it.
 *
 * @public
 */
export class Names implements AsyncDisposable {
  /** The node of the names, with its notifications and its state. */
  readonly node: LiveNode<ControllerOptions>;
  /** Resolves when this peer participates; rejects if its transport cannot connect. */
  readonly ready: Promise<void>;
  private readonly questions: Questions;

  constructor(options: PeersOptions) {
    checkOptions('createNames', options, PEERS_CHECKS);
    this.node = createControllerNode({ name: 'names', ...options }, { kind: 'names' });
    this.ready = this.node.ready;
    this.questions = new Questions('set of names', this.node, ['named']);
  }

  /** The object as an XState actor: see `LiveNode`. */
  get actor(): NodeActor {
    return this.node.actor;
  }

  /**
   * Returns a number that is issued only once.
   *
   * @throws ClosedError if the names are closed; ConnectionError if this peer has lost its connection to the others.
   */
  async next(): Promise<number> {
    return (await this.questions.ask<Named>('name')).name;
  }

  /** Stops participating; the transport stays open. */
  close(): Promise<void> {
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
