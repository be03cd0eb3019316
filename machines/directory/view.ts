/** The directory's global state in the paper's terms: pointers, finds, token, queue. Properties and summaries use it. */
import type { NodeId } from '../effects.js';
import { statePath } from '../checks.js';
import type { Configuration, Flight, NodeView } from '../protocol.js';
import type { DirectoryContext, Token } from './machine.js';
import type { Find } from './policies.js';

export const DIRECTORY = 'directory';

export type FindFlight = Flight & { readonly message: Find };

export const directoryContext = (node: NodeView): DirectoryContext => node[DIRECTORY]!.context;
export const stateOf = (node: NodeView): string => statePath(node[DIRECTORY]!);
export const isRequesting = (node: NodeView): boolean => stateOf(node).startsWith('waiting');
export const holdsToken = (node: NodeView): boolean => stateOf(node).startsWith('holding');
export const isUsing = (node: NodeView): boolean => stateOf(node).startsWith('holding.using');

export const finds = (c: Configuration): FindFlight[] => c.flights.filter((f): f is FindFlight => f.message.type === 'find');

export const tokens = (c: Configuration): (Flight & { readonly message: Token })[] =>
  c.flights.filter((f): f is Flight & { readonly message: Token } => f.message.type === 'token');

/** The nodes that wait for `node`: the chain of `next` pointers from it, cut where it would close a cycle. */
export function waitingFor(node: NodeId, c: Configuration): NodeId[] {
  const chain: NodeId[] = [];
  for (let at = nextOf(node, c); at !== null && !chain.includes(at); at = nextOf(at, c)) chain.push(at);
  return chain;
}

export function nextOf(node: NodeId, c: Configuration): NodeId | null {
  const view = c.nodes.get(node);
  return view ? directoryContext(view).next : null;
}

/** Black edges: the pointers without self-loops. */
export function pointers(c: Configuration): (readonly [NodeId, NodeId])[] {
  const edges: (readonly [NodeId, NodeId])[] = [];
  for (const [id, node] of c.nodes) {
    const { parent } = directoryContext(node);
    if (parent !== id) edges.push([id, parent]);
  }
  return edges;
}

/** True if a node's pointer and next match its state (Lemma 3), and additional requests wait only while its own is pending. */
export function pointerFitsState(id: NodeId, node: NodeView): boolean {
  const { parent, next, joined } = directoryContext(node);
  const state = stateOf(node);
  if (joined > 0 && !isRequesting(node)) return false;
  if (state === 'idle') return parent !== id && next === null;
  return state.endsWith('followed') ? parent !== id && next !== null : parent === id && next === null;
}
