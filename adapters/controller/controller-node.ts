/**
 * The node under a quota, a bank or a source of names: a resource controller over the peers, as a star around the first of them
 * unless a tree is given.
 *
 * A peer that leaves in order hands back what its bins hold. One that goes otherwise takes it along, and the others go on without it;
 * those below it are cut off, and what they ask fails. Nobody comes back: a peer that starts again needs a new name for all.
 * One that is only suspected to be gone does not come back either: give such transports a patience longer than a process may stall.
 */
import { controllerCore } from '../../machines/controller/index.js';
import type { Message, NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { Inspect } from '../../network/world/kernel.js';
import { ClosedError, ConnectionError } from '../transports/errors.js';
import type { InEnvironment } from '../environment.js';
import { createNode, type LiveNode } from '../node/node.js';
import { linkFor } from '../links.js';
import type { Transport } from '../transports/transport.js';

export interface PeersOptions extends InEnvironment {
  /** Connected by the node, closed by whoever made it. */
  readonly transport: Transport;
  /** All who take part, this one included; everybody must give the same list, in any order. */
  readonly peers: readonly NodeId[];
  /** Only peers of the same name share; every kind of thing has its own name unless given. */
  readonly name?: string;
  /** The parent of every peer, the root its own. */
  readonly parents?: Readonly<Record<NodeId, NodeId>>;
  /** XState's own option: an observer of the node's live actors. */
  readonly inspect?: Inspect | undefined;
}

export function createControllerNode(
  given: PeersOptions,
  options: Readonly<Record<string, unknown>>,
  nextCommand?: () => Message | null,
): LiveNode {
  const { peers, name, parents, inspect, clock, crypto } = given;
  const nodes = [...new Set(peers)].sort();
  if (!nodes.includes(given.transport.id))
    throw new UsageError(`peer "${given.transport.id}" is not among the peers ${nodes.join(', ')}. List it`);
  const tree = parents ?? Object.fromEntries(nodes.map((peer) => [peer, nodes[0]!]));
  const root = nodes.find((peer) => tree[peer] === peer);
  if (root === undefined) throw new UsageError('parents has no root. Map one of the peers to itself');
  const { transport, release } = linkFor('the node', given);
  const node = createNode({
    transport,
    protocol: controllerCore,
    topology: { nodes, links: nodes.filter((peer) => peer !== root).map((peer) => [tree[peer] ?? root, peer, 1] as const) },
    options: { ...options, root, parents: tree },
    inspect,
    clock,
    crypto,
    ...(name === undefined ? {} : { name }),
    ...(nextCommand ? { nextCommand } : {}),
  });
  void node.closed.then(release);
  return node;
}

/** Questions to a node that it answers one by one, in the order in which they were asked; none stays unanswered. */
export class Questions {
  private readonly open: { readonly answer: (notification: Message) => void; readonly fail: (error: Error) => void }[] = [];
  private failure: Error | null = null;

  constructor(
    private readonly node: LiveNode,
    answers: readonly string[],
  ) {
    const who = `node "${node.id}" of "${node.name}"`;
    node.notifications$.subscribe((notification) => {
      if (answers.includes(notification.type)) this.open.shift()?.answer(notification);
      if (notification.type === 'severed')
        this.fail(new ConnectionError(`${who} has lost its way to the others. Begin anew under a new name`));
    });
    void node.closed.then((error) => this.fail(error ?? new ClosedError(`${who} was closed`)));
  }

  /** Nothing waits for an answer. */
  get isIdle(): boolean {
    return this.open.length === 0;
  }

  private fail(error: Error): void {
    this.failure ??= error;
    for (const { fail } of this.open.splice(0)) fail(this.failure);
  }

  ask<N extends Message>(command: string, fields: Readonly<Record<string, unknown>> = {}): Promise<N> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      const question = { answer: resolve as (notification: Message) => void, fail: reject };
      this.open.push(question);
      try {
        this.node.command(command, fields);
      } catch (error) {
        this.open.splice(this.open.indexOf(question), 1);
        reject(error);
      }
    });
  }
}

export function requireAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 1)
    throw new UsageError(`an amount of ${amount}: give a whole number of at least 1`);
}
