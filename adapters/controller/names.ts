/**
 * Short unique numbers for many peers: identities without a central counter, mostly without a message.
 *
 *     const names = createNames({ transport, peers: ['a', 'b', 'c'] });
 *     const id = await names.next();
 *
 * No number is given twice, and every number is below four times the count of all that were given, the peers' own included. That holds
 * while the first peer stays: started anew under the same name, it begins anew as well. `createLastingNames` is for peers that crash.
 */
import type { ControllerOptions } from '../../machines/controller/options.js';
import { createControllerNode, Questions, type PeersOptions } from './controller-node.js';
import type { LiveNode } from '../node/node.js';

export const createNames = (options: PeersOptions): Names => new Names(options);

interface Named {
  readonly type: 'named';
  readonly name: number;
}

export class Names implements AsyncDisposable {
  readonly node: LiveNode<ControllerOptions>;
  readonly ready: Promise<void>;
  private readonly questions: Questions;

  constructor(options: PeersOptions) {
    this.node = createControllerNode({ name: 'names', ...options }, { kind: 'names' });
    this.ready = this.node.ready;
    this.questions = new Questions(this.node, ['named']);
  }

  async next(): Promise<number> {
    return (await this.questions.ask<Named>('name')).name;
  }

  close(): Promise<void> {
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
