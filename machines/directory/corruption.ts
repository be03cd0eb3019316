/**
 * Arbitrary but well-typed states of the directory: any state with any pointer, any `next` where the state has one, and a find or a token
 * on any channel. The paper promises nothing after a corruption, and few states recover: docs/directory.md lists them.
 */
import type { NodeId } from '../effects.js';
import type { Choose, Corruption, Instance, NodeState } from '../protocol.js';
import type { DirectoryContext, DirectoryMessage } from './machine.js';
import type { DirectoryOptions } from './options.js';
import type { EdgeKind } from './policies.js';
import { DIRECTORY } from './view.js';

type DirectoryInstance = Instance<DirectoryOptions>;

/** All states of the directory's chart, from which a corruption chooses. */
export const DIRECTORY_STATES = [
  'idle',
  { waiting: 'last' },
  { waiting: 'followed' },
  { holding: 'idle' },
  { holding: { using: 'last' } },
  { holding: { using: 'followed' } },
] as const;
/** The states in which another node waits behind this one. */
const FOLLOWED = [2, 5];

export const directoryCorruption: Corruption<DirectoryOptions> = {
  isSurvived: false,
  node: arbitraryNode,
  channel: arbitraryChannel,
};

const anyNode = ({ topology }: DirectoryInstance, choose: Choose): NodeId => topology.nodes[choose(topology.nodes.length)]!;

const anyEdge = ({ options }: DirectoryInstance, choose: Choose): EdgeKind =>
  options.policy === 'bridge' && choose(2) === 1 ? 'bridge' : 'tree';

function arbitraryNode(id: NodeId, instance: DirectoryInstance, choose: Choose): NodeState {
  const state = choose(DIRECTORY_STATES.length);
  const context: DirectoryContext = {
    id,
    parent: anyNode(instance, choose),
    edge: anyEdge(instance, choose),
    policy: instance.options.policy,
    fence: null,
    next: FOLLOWED.includes(state) ? anyNode(instance, choose) : null,
    held: null,
    copyset: [],
    together: instance.options.together,
    joined: 0,
  };
  return { roles: { [DIRECTORY]: { chart: DIRECTORY, value: DIRECTORY_STATES[state]!, context } }, timers: [] };
}

function arbitraryChannel(_from: NodeId, _to: NodeId, instance: DirectoryInstance, choose: Choose): DirectoryMessage[] {
  switch (choose(3)) {
    case 0:
      return [];
    case 1:
      return [{ type: 'token', fence: null }];
    default: {
      const producer = anyNode(instance, choose);
      return [{ type: 'find', producer, visited: [producer], edge: anyEdge(instance, choose) }];
    }
  }
}
