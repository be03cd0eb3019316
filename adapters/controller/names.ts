/**
 * Short unique numbers for many peers: identities without a central counter, mostly without a message.
 *
 * No number is given twice, and every number is below four times the count of all that were given, the peers' own included. That holds
 * while the first peer stays: started again under the same name, it begins again as well. `createNames({ locks })` is for peers that crash.
 */
import type { ControllerOptions } from '../../machines/controller/options.js';
import { checkOptions } from '../options.js';
import { PEERS_CHECKS } from './checks.js';
import { createControllerNode, Questions, type PeersOptions } from './controller-node.js';
import type { LiveNode } from '../node/node.js';
import type { NodeActor } from '../node/node-logic.js';

interface Named {
  readonly type: 'named';
  readonly name: number;
}

/**
 * Unique numbers as one peer draws them; `createNames` makes it.
 *
 * @public
 */
export class Names implements AsyncDisposable {
  /** The node under the names: its notices and state, for those who want to see more. */
  readonly node: LiveNode<ControllerOptions>;
  /** Resolves once this peer takes part; rejects if its transport cannot connect. */
  readonly ready: Promise<void>;
  private readonly questions: Questions;

  constructor(options: PeersOptions) {
    checkOptions('createNames', options, PEERS_CHECKS);
    this.node = createControllerNode({ name: 'names', ...options }, { kind: 'names' });
    this.ready = this.node.ready;
    this.questions = new Questions(this.node, ['named']);
  }

  /** The object as an XState actor: see `LiveNode`. */
  get actor(): NodeActor {
    return this.node.actor;
  }

  /**
   * A number that nobody else was given and nobody will be.
   *
   * @throws ClosedError when the names are closed; ConnectionError when this peer has lost its way to the others.
   */
  async next(): Promise<number> {
    return (await this.questions.ask<Named>('name')).name;
  }

  /** Takes part no longer; the transport stays open. */
  close(): Promise<void> {
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
