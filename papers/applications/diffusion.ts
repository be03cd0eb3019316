/**
 * A diffusing computation under the resource controller: it spreads from the root along the links, and stops when M nodes take part.
 *
 * Paper: Afek, Awerbuch, Plotkin, Saks, section 3. The controller's tree grows with the computation: a node joins the tree with a permit
 * before it receives the computation, and takes a permit to take part in it. Nodes that the computation has not reached send and receive
 * nothing, so its cost depends on the participants only.
 *
 * The root can learn whether a majority of n nodes is in its component (section 1): with `M = ⌊n/2⌋` and `W = 0`, the permits are exhausted if
 * and only if more than M nodes request one.
 *
 * States of the application's role, in the region `work`:
 *
 *   idle       the computation has not reached the node
 *   asking     it has requested a permit
 *   inviting   it takes part, and lets one neighbor after the other join
 *   done       it takes part, and all its neighbors have been invited
 *   refused    it was refused a permit
 * In the region `signal` of the root: `open`, and `exhausted` from the first rejection.
 */
import { assign, setup } from 'xstate';
import { defineProtocol } from '../../machines/define.js';
import { effects, send, tell, type NodeId, type Received } from '../../machines/effects.js';
import type { Configuration, Property } from '../../machines/protocol.js';
import { controllerCore } from '../../machines/controller/core.js';
import { controller } from '../../machines/controller/index.js';
import { deliveryRole, MAIN, requestRole } from '../../machines/controller/messages.js';
import type { ControllerOptions } from '../../machines/controller/options.js';
import { controllerVariants } from '../../machines/controller/variants.js';
import { APPLICATION, propertyBelow } from './layer.js';

interface Spread {
  readonly type: 'spread';
}

interface Joined {
  readonly type: 'joined';
  readonly child: NodeId;
}

export interface DiffusionContext {
  /** Neighbors that have not been invited. */
  readonly vacant: number;
}

type Event = { readonly type: 'begin' | 'granted' | 'rejected' | 'exhausted' } | Joined | Received<Spread>;

const takeOne = tell(() => ({ role: requestRole('R'), message: { type: 'take', amount: 1 } }));
const letJoin = tell(() => ({ role: requestRole('N'), message: { type: 'child' } }));
const spreadToChild = send(({ event: { child } }: { event: Joined }) => ({ to: child, message: { type: 'spread' as const } }));

export const diffusionMachine = setup({
  types: {} as { context: DiffusionContext; events: Event; input: DiffusionContext },
  actions: {
    ...effects<Spread>(),
    countChild: assign(({ context }) => ({ vacant: context.vacant - 1 })),
  },
  guards: { isLast: ({ context }) => context.vacant === 0 },
}).createMachine({
  id: 'diffusion',
  context: ({ input }) => input,
  type: 'parallel',
  states: {
    work: {
      initial: 'idle',
      states: {
        idle: { on: { begin: 'asking', spread: 'asking' } },
        asking: { entry: takeOne, on: { granted: 'inviting', rejected: 'refused' } },
        inviting: {
          initial: 'next',
          states: {
            next: { always: [{ guard: 'isLast', target: '#done' }, { target: 'joining' }] },
            joining: {
              entry: letJoin,
              on: {
                joined: { target: 'next', actions: [spreadToChild, 'countChild'] },
              },
            },
          },
        },
        done: { id: 'done' },
        refused: {},
      },
    },
    signal: { initial: 'open', states: { open: { on: { exhausted: 'exhausted' } }, exhausted: {} } },
  },
});

type Config = Configuration<any>;
type Value = { readonly work: unknown; readonly signal: string };

const valueOf = (c: Config, node: NodeId): Value => c.nodes.get(node)![APPLICATION]!.value as never;
const nodesIn = (c: Config, is: (work: unknown) => boolean): NodeId[] =>
  [...c.nodes.keys()].filter((node) => is(valueOf(c, node).work));

const isTakingPart = (work: unknown): boolean => work === 'done' || typeof work === 'object';
const isReached = (work: unknown): boolean => work !== 'idle';
const isExhausted = (c: Config): boolean => valueOf(c, c.instance.options.root).signal === 'exhausted';

export const participants = (c: Config): number => nodesIn(c, isTakingPart).length;
const reached = (c: Config): number => nodesIn(c, isReached).length;

/** True if the computation reaches a node, or ought to: it has begun, and the permits are not used up. */
const isDue = (c: Config, node: NodeId): boolean =>
  valueOf(c, node).work === 'idle' && reached(c) > 0 && reached(c) <= c.instance.options.M;

export const diffusionProperties: readonly Property<ControllerOptions>[] = [
  {
    name: 'at most M take part',
    kind: 'always',
    description: 'No more nodes take part than there are permits.',
    holds: (c) => participants(c) <= c.instance.options.M,
  },
  {
    name: 'the signal means a majority',
    kind: 'always',
    description: 'The permits are exhausted only if more than M - W nodes were reached.',
    holds: (c) => !isExhausted(c) || reached(c) > c.instance.options.M - c.instance.options.W,
  },
  {
    name: 'a majority is noticed',
    kind: 'eventually',
    description: 'If more than M nodes were reached, the root learns that the permits are exhausted.',
    when: (c, node) => node === c.instance.options.root && reached(c) > c.instance.options.M,
    holds: (c) => isExhausted(c),
  },
  {
    name: 'it spreads while permits last',
    kind: 'eventually',
    description: 'The computation reaches every node, unless more than M nodes were reached before.',
    when: isDue,
    holds: (c, node) => !isDue(c, node),
  },
];

const LISTENED = [requestRole('R'), deliveryRole('R'), MAIN];
const OWN = { spread: {} };

/** The diffusing computation. Command: `begin`, at the root. Options: those of the controller; by default the tree contains only the root. */
export const diffusion = defineProtocol<ControllerOptions>(
  {
    name: 'diffusion',
    charts: { ...controllerCore.charts, [APPLICATION]: diffusionMachine },
    network: { reach: 'links', order: 'fifo' },
    options: (raw, graph) => {
      const root = raw['root'] ?? graph.topology.nodes[0]!;
      return controllerVariants({ kind: 'modified', parents: { [String(root)]: root }, ...raw }, graph);
    },
    roles: (node, instance) => [
      ...controllerCore.roles(node, instance),
      { role: APPLICATION, chart: APPLICATION, input: { vacant: (instance.options.vacant[node] ?? []).length } },
    ],
    route: (event, node) => (event.type === 'begin' || event.type in OWN ? APPLICATION : controllerCore.route(event, node)),
    wiring: {
      listener: (role) => (LISTENED.includes(role) ? APPLICATION : undefined),
      isInner: (role) => role === requestRole('R'),
    },
    newcomer: controllerCore.newcomer!,
    messages: { ...controllerCore.messages, ...OWN } as never,
    commands: { begin: {} },
  },
  {
    properties: (instance) => [
      ...controller.properties(instance).map((one) => propertyBelow('controller', one, OWN)),
      ...diffusionProperties,
    ],
  },
  {
    paper: controller.paper,
    observe: () => {
      let [own, ofController] = [0, 0];
      return {
        record: ({ sent }) => {
          for (const { message } of sent) {
            if (message.type in OWN) own++;
            else ofController++;
          }
        },
        summary: (c) => ({
          participants: participants(c),
          exhausted: isExhausted(c),
          messages: { own, controller: ofController },
        }),
        meters: () => [],
      };
    },
  },
);
