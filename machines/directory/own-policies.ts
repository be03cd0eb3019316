/**
 * NewParent as a custom function: the paper's family has as many members as there are ways to pick a node that a find has visited
 * (Algorithm 1). A policy has a name, which scenarios use, and each of its choices is checked.
 */
import { assign } from 'xstate';
import type { NodeId } from '../effects.js';
import { isObject } from '../checks.js';
import { ProtocolError, UsageError } from '../errors.js';
import { directoryMachine, type DirectoryContext } from './machine.js';
import { newParent, policies, type ReceivedFind } from './policies.js';

/**
 * Picks the node that the receiver of a find points to from now on: one of `visited`, the requester first and the last sender last. The
 * result must depend only on the arguments.
 * @public
 */
export type NewParent = (visited: readonly [NodeId, ...NodeId[]], receiver: NodeId) => NodeId;

export type OwnPolicies = Readonly<Record<string, NewParent>>;

/** The directory's chart with these policies, for nodes whose policy is one of them. */
export function machineWith(own: OwnPolicies): typeof directoryMachine {
  if (!isObject(own)) throw new UsageError('directoryWith needs an object of policies: { name: function }.');
  const noFunction = Object.keys(own).find((name) => typeof own[name] !== 'function');
  if (noFunction !== undefined)
    throw new UsageError(
      `Policy "${noFunction}" is not a function. Pass a function that picks one of the nodes that a find has visited.`,
    );
  const taken = Object.keys(own).find((name) => policies.some((known) => known === name));
  if (taken !== undefined)
    throw new UsageError(`Policy "${taken}" is built in. Choose a name other than ${policies.join(', ')}.`);
  const adoptParent = assign(({ context: { id, policy } }: { context: DirectoryContext }, find: ReceivedFind) => {
    const pick = Object.hasOwn(own, policy) ? own[policy] : undefined;
    return { parent: pick ? picked(policy, pick, find, id) : newParent(policy, find), edge: find.edge };
  });
  return directoryMachine.provide({ actions: { adoptParent } } as never);
}

function picked(policy: string, pick: NewParent, { visited }: ReceivedFind, receiver: NodeId): NodeId {
  const parent = pick([...visited] as [NodeId, ...NodeId[]], receiver);
  if (visited.includes(parent)) return parent;
  throw new ProtocolError(
    `Policy "${policy}" picked ${JSON.stringify(parent)} at ${receiver}, which the find has not visited. Pick one of ${visited.join(', ')}.`,
  );
}
