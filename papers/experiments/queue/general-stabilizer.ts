/**
 * The rival of the queue's repair: the arrow protocol, made self-stabilizing by the general technique of Awerbuch, Patt-Shamir and Varghese,
 * local checking and local correction. The queue's paper cites it without its rules (section 1). Here are its two parts on a rooted tree.
 *
 * Checking. A child periodically asks its parent whether the parent's pointer leads to the child. The answer, the finds sent behind the
 * question and the child's own pointer are a snapshot of the edge: the pointers across it and the finds on it must add up to 1.
 * Correction. Otherwise the child resets the edge: it removes the finds on it, and adopts a pointer that fits the one of its parent. So the
 * nodes are correct from the root downward, and a correction may make the next edge wrong. Assumes links that keep the order of messages.
 *
 * States:
 *
 *   starting   within the first step
 *   root       has no parent: it only answers
 *   idle       waits for the next check
 *   checking   waits for the parent's answer; `sent` counts the finds sent behind the question
 *   resetting  waits until the edge is empty; the pointer does not lead up, and finds from the parent are dropped
 */
import { assign, raise, setup } from 'xstate';
import { defineProtocol } from '../../../machines/define.js';
import { arm, effects, send, type NodeId, type Received, type TimerEvent } from '../../../machines/effects.js';
import type { Configuration, Topology } from '../../../machines/protocol.js';
import { isBoolean } from '../../../machines/shapes.js';

type Message =
  | { readonly type: 'find' | 'ask' | 'reset' }
  | { readonly type: 'state' | 'empty'; /** True if the parent's pointer leads to the child. */ readonly down: boolean };

export interface StabilizerInput {
  readonly node: NodeId;
  readonly parent: NodeId | null;
  readonly pointer: NodeId;
  /** Ticks between two checks: at least two round trips. */
  readonly period: number;
}

interface StabilizerContext extends StabilizerInput {
  readonly sent: number;
}

type Event = Received<Message> | TimerEvent | { readonly type: 'request' };
type In = { context: StabilizerContext; event: Event };
const fromOf = ({ event }: In): NodeId => (event as Received<Message>).from;
const isDown = ({ event }: In): boolean => (event as Extract<Message, { down: boolean }>).down;

const toParent = (type: 'ask' | 'reset') => send(({ context }: In) => ({ to: context.parent!, message: { type } }));
const answer = (type: 'state' | 'empty') =>
  send((args: In) => ({ to: fromOf(args), message: { type, down: args.context.pointer === fromOf(args) } }));
const onward = ({ context }: In) => ({ to: context.pointer, message: { type: 'find' as const } });
const nextCheck = arm(({ context }: In) => ({ timer: 'check', delay: context.period }));

/** Chart of one node. */
export const stabilizerMachine = setup({
  types: {} as { context: StabilizerContext; events: Event; input: StabilizerInput },
  actions: {
    ...effects<Message>(),
    findOfItsOwn: raise(({ context }) => ({ type: 'find' as const, from: context.node })),
    turnToSender: assign({ pointer: fromOf }),
    beginCheck: assign({ sent: 0 }),
    countSent: assign({ sent: ({ context }) => context.sent + 1 }),
    turnAway: assign({ pointer: ({ context: { node, parent, pointer } }) => (pointer === parent ? node : pointer) }),
    fit: assign({ pointer: (args: In) => (isDown(args) ? args.context.pointer : args.context.parent!) }),
  },
  guards: {
    isRoot: ({ context }) => context.parent === null,
    isFromParent: (args) => fromOf(args) === args.context.parent,
    pointsToSelf: ({ context }) => context.pointer === context.node,
    pointsUp: ({ context }) => context.pointer === context.parent,
    isLegal: (args) => (isDown(args) ? 1 : 0) + args.context.sent + (args.context.pointer === args.context.parent ? 1 : 0) === 1,
  },
}).createMachine({
  id: 'stabilizer',
  context: ({ input }) => ({ ...input, sent: 0 }),
  initial: 'starting',
  on: {
    request: { actions: 'findOfItsOwn' },
    find: [
      { guard: 'pointsToSelf', actions: 'turnToSender' },
      { guard: 'pointsUp', actions: [send(onward), 'countSent', 'turnToSender'] },
      { actions: [send(onward), 'turnToSender'] },
    ],
    ask: { actions: answer('state') },
    reset: { actions: answer('empty') },
    timer: { target: '.checking' },
  },
  states: {
    starting: {
      always: [
        { guard: 'isRoot', target: 'root' },
        { target: 'idle', actions: nextCheck },
      ],
    },
    root: {},
    idle: {},
    checking: {
      entry: ['beginCheck', toParent('ask'), nextCheck],
      on: { state: [{ guard: 'isLegal', target: 'idle' }, { target: 'resetting' }] },
    },
    resetting: {
      entry: ['turnAway', toParent('reset'), nextCheck],
      on: {
        find: [
          { guard: 'isFromParent' },
          { guard: 'pointsToSelf', actions: 'turnToSender' },
          { actions: [send(onward), 'turnToSender'] },
        ],
        empty: { target: 'idle', actions: 'fit' },
      },
    },
  },
});

/** Parent of each node of a tree that lists its nodes from the root downward. */
export const parentsOf = ({ links }: Pick<Topology, 'links'>): ReadonlyMap<NodeId, NodeId> =>
  new Map(links.map(([parent, child]) => [child, parent]));

/** The protocol with these pointers at the start. Command: `request`. */
export const stabilizerFrom = (pointerOf: (node: NodeId, topology: Topology) => NodeId, period: number) =>
  defineProtocol({
    name: 'general-stabilizer',
    charts: { stabilizer: stabilizerMachine },
    network: { reach: 'links', order: 'fifo' },
    input: (node, { topology }): StabilizerInput => ({
      node,
      parent: parentsOf(topology).get(node) ?? null,
      pointer: pointerOf(node, topology),
      period,
    }),
    messages: { find: {}, ask: {}, reset: {}, state: { down: isBoolean }, empty: { down: isBoolean } },
    commands: { request: {} },
  });

/** True if pointers and finds add up to 1 on each edge. */
export function isLegal({ nodes, flights, instance: { topology } }: Configuration): boolean {
  const points = (from: NodeId, to: NodeId) =>
    Number((nodes.get(from)!['stabilizer']!.context as StabilizerContext).pointer === to);
  const finds = (u: NodeId, v: NodeId) =>
    flights.filter(({ message, from, to }) => message.type === 'find' && ((from === u && to === v) || (from === v && to === u)))
      .length;
  return topology.links.every(([u, v]) => points(u, v) + points(v, u) + finds(u, v) === 1);
}
