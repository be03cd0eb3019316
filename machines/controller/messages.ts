/** Messages between the nodes of a resource controller, and local messages between the roles of one node, which cost nothing. */
import { send, tell, type NodeId } from '../effects.js';
import type { Scale } from './bins.js';

/** The two controllers of a node: R gives the resource, N lets nodes join and names them. */
export type Controller = 'R' | 'N';

interface Of {
  readonly of: Controller;
}

/** Request for the refill of an empty bin of this level; travels up to its supervisor. */
export interface Request extends Of {
  readonly type: 'request';
  readonly level: number;
}

/** Refill of a bin of this level; `first` is its first name, if permits are names. */
export interface Permit extends Of {
  readonly type: 'permit';
  readonly level: number;
  readonly first: number | null;
}

/** Rejects a request, permanently. */
interface Reject extends Of {
  readonly type: 'reject';
  readonly level: number;
}

/** Defers a request until the next change. */
interface Defer extends Of {
  readonly type: 'defer';
  readonly level: number;
}

export type Reply = Permit | Reject | Defer;

/** Permits on their way back to the root, from a leaf that left. */
export interface Return extends Of {
  readonly type: 'return';
  readonly permits: number;
}

/** Contents of a deposit bin of this level that was full, on their way up. */
export interface Deposit {
  readonly type: 'deposits';
  readonly level: number;
  readonly permits: number;
}

/** Sizes of the bins of both controllers between two changes of the tree, equal at every node. */
export interface Terms {
  readonly R: Scale;
  readonly N: Scale;
  /** False once the resource is exhausted: every bin of R stays empty. */
  readonly alive: boolean;
}

/** The parent's first message to a new leaf: its depth, its name and the current terms. */
export interface Welcome {
  readonly type: 'welcome';
  readonly depth: number;
  readonly name: number | null;
  readonly terms: Terms;
}

/** Report of a subtree: its participants, leaves that left it since the last change, and permits of R from its bins. */
export interface Holdings {
  readonly count: number;
  readonly departed: number;
  readonly permits: number;
}

export type Collect = { readonly type: 'collect' };
export type Echo = { readonly type: 'echo' } & Holdings;
/** A leaf's last message; `departed` counts the leaf and those that left it before. */
export type Leave = { readonly type: 'leave'; readonly departed: number };
export type Epoch = { readonly type: 'epoch'; readonly terms: Terms };
/** Notification that the way to the root is lost. */
export type Severed = { readonly type: 'severed' };

export type ControllerMessage = Request | Reply | Return | Deposit | Welcome | Collect | Echo | Leave | Epoch | Severed;

/** Returns the permits of the request procedure, then with them those of the delivery process; `sever` waits for nothing. */
export interface Settle {
  readonly type: 'settle' | 'sever';
  readonly permits: number;
  /** Permits given to the local application. */
  readonly issued: number;
  /** Permits among these that a rejected request had gathered; `null` if none was rejected. */
  readonly keptBack: number | null;
  /** Names given to the local application: they count as participants. */
  readonly names: readonly number[];
}

/** The parts of a node that hold permits: its two controllers and a bank's deposit bins. */
export type NodePart = Controller | 'D';

/** Options of the protocol that every node knows and that never change. */
export interface Settings {
  readonly parts: readonly NodePart[];
  /** True if delivery processes wait for the answer to one request before they send the next. */
  readonly pipelined: boolean;
  /** True if a node with pending requests waits for them before it echoes; `premature` loses permits (E16). */
  readonly echo: 'quiet' | 'premature';
}

/** Report of one part of the node. `signaled` is the root's notification that the resource is exhausted. */
export interface Settled {
  readonly type: 'settled';
  readonly part: NodePart;
  readonly permits: number;
  /** Permits given to the local application, minus its deposits. */
  readonly issued: number;
  /** As in `Settle`. */
  readonly keptBack: number | null;
  readonly names: readonly number[];
  readonly signaled: boolean;
}

/** Notification of a change to one controller of a node. */
export interface NewTerms {
  readonly type: 'epoch';
  readonly scale: Scale;
  readonly alive: boolean;
}

export const MAIN = 'main';
export const DEPOSITS = 'D';
export const NEWCOMER = 'newcomer';
const REQUEST_ROLES: Readonly<Record<Controller, string>> = { R: 'R.request', N: 'N.request' };
const DELIVERY_ROLES: Readonly<Record<Controller, string>> = { R: 'R.delivery', N: 'N.delivery' };
export const requestRole = (of: Controller): string => REQUEST_ROLES[of];
export const deliveryRole = (of: Controller): string => DELIVERY_ROLES[of];

interface Side extends Of {
  readonly id: NodeId;
}

/**
 * Answers the links that a request arrived on. The node's own name represents the internal link to its request procedure, which costs
 * nothing.
 */
export const answer = <A extends { context: Side }>(params: (args: A) => { links: readonly NodeId[]; message: Reply }) =>
  [
    send((args: A) => {
      const { links, message } = params(args);
      return { to: links.filter((link) => link !== args.context.id), message };
    }),
    tell((args: A) => {
      const { links, message } = params(args);
      return { role: links.includes(args.context.id) ? requestRole(args.context.of) : [], message };
    }),
  ] as const;
