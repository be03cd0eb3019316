/**
 * The node under a quota, a bank or a source of names: a resource controller over the peers, as a star around the first of them
 * unless a tree is given.
 *
 * Assumes, as the protocol does, that the peers on the list stay. One that leaves in order hands back what its bins hold; one that
 * dies takes it along, and if it was not a leaf cuts off those below.
 */
import { controller } from '../machines/controller/index.js';
import type { Message, NodeId } from '../machines/effects.js';
import { UsageError } from '../machines/errors.js';
import { ClosedError } from './errors.js';
import { createNode, type LiveNode } from './node.js';
import type { Reliable, Transport } from './transport.js';

export interface PeersOptions {
  /** Connected by the node, closed by whoever made it. */
  readonly transport: Transport<Reliable>;
  /** All who take part, this one included; everybody must give the same list, in any order. */
  readonly peers: readonly NodeId[];
  /** Only peers of the same name share; every kind of thing has a name of its own unless given. */
  readonly name?: string;
  /** The parent of every peer, the root its own. */
  readonly parents?: Readonly<Record<NodeId, NodeId>>;
}

export function createControllerNode(
  { transport, peers, name, parents }: PeersOptions,
  options: Readonly<Record<string, unknown>>,
): LiveNode {
  const nodes = [...new Set(peers)].sort();
  if (!nodes.includes(transport.id))
    throw new UsageError(`peer "${transport.id}" is not among the peers ${nodes.join(', ')}; list it`);
  const tree = parents ?? Object.fromEntries(nodes.map((peer) => [peer, nodes[0]!]));
  const root = nodes.find((peer) => tree[peer] === peer);
  if (root === undefined) throw new UsageError('parents has no root; map one of the peers to itself');
  return createNode({
    transport,
    protocol: controller,
    topology: { nodes, links: nodes.filter((peer) => peer !== root).map((peer) => [tree[peer] ?? root, peer, 1] as const) },
    options: { ...options, root, parents: tree },
    ...(name === undefined ? {} : { name }),
  });
}

/** Questions to a node that it answers one by one, in the order in which they were asked; none stays unanswered. */
export class Questions {
  private readonly open: { readonly answer: (notice: Message) => void; readonly fail: (error: Error) => void }[] = [];

  constructor(
    private readonly node: LiveNode,
    answers: readonly string[],
  ) {
    node.notices$.subscribe((notice) => {
      if (answers.includes(notice.type)) this.open.shift()?.answer(notice);
    });
    void node.closed.then((error) => {
      for (const { fail } of this.open.splice(0))
        fail(error ?? new ClosedError(`node "${node.id}" of "${node.name}" was closed`));
    });
  }

  ask<N extends Message>(command: string, fields: Readonly<Record<string, unknown>> = {}): Promise<N> {
    return new Promise((resolve, reject) => {
      const question = { answer: resolve as (notice: Message) => void, fail: reject };
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
