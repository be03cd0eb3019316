/** A protocol of one small scripted chart, and worlds of it that record all calls of driver and witness. */
import { assign, emit, setup } from 'xstate';
import { defineProtocol } from '../../machines/define.js';
import { arm, disarm, draw, effects, send, type Message } from '../../machines/effects.js';
import { STORAGE, storageMachine } from '../../machines/storage.js';
import type { WorldFrame } from './environment.js';
import { createHost } from './hosts.js';
import { fusible, NOT_FUSED, Script, type Scripted } from './script.js';
import { World } from './world.js';

interface Context {
  readonly received: readonly string[];
}
type In = { context: Context; event: any };

/** Accepts `lock` when idle and `release` when locked. It sends the messages that events contain, and records what it receives. */
const chart = setup({
  types: { context: {} as Context, events: {} as any, emitted: {} as Message },
  actions: {
    ...effects(),
    receive: assign({
      received: ({ context, event }: In) => [
        ...context.received,
        [event.type, event.from ?? event.peer ?? event.timer ?? event.value].filter((part) => part !== undefined).join(' '),
      ],
    }),
  },
}).createMachine({
  context: { received: [] },
  initial: 'idle',
  states: {
    idle: { on: { lock: { target: 'locked', actions: emit({ type: 'locked' }) } } },
    locked: { on: { release: { target: 'idle', actions: emit({ type: 'released' }) } } },
  },
  on: {
    say: { actions: send(({ event }: In) => ({ to: event.to, message: { type: 'word' } })) },
    wind: { actions: arm(({ event }: In) => ({ timer: 'bell', delay: event.delay ?? 5 })) },
    unwind: { actions: disarm(() => ({ timer: 'bell' })) },
    throw: { actions: draw(() => ({ bound: 6 })) },
    bring: { actions: emit(({ event }: In) => ({ type: 'brings', id: event.id })) },
    ...Object.fromEntries(['word', 'timer', 'drawn', 'link.up', 'link.down'].map((type) => [type, { actions: 'receive' }])),
  },
} as any);

const command = (type: string, waits = false) => ({
  event: (fields: object) => ({ type, ...fields }),
  waits,
  completedBy: type === 'lock' ? ['released'] : [],
});
const NODES = ['a', 'b', 'c'];
const line = {
  nodes: NODES,
  links: [
    ['a', 'b', 1],
    ['b', 'c', 1],
  ],
} as const;

function protocolOf(more: Record<string, unknown> = {}) {
  const { corruption, mayFire, ...core } = more;
  const checks = { ...(corruption ? { corruption } : {}), ...(mayFire ? { mayFire } : {}) };
  const protocol = defineProtocol({
    name: 'box',
    charts: { box: chart as any, [STORAGE]: storageMachine },
    network: { reach: 'links', order: 'fifo' },
    roles: () => [{ role: 'box', chart: 'box', input: undefined }],
    route: () => 'box',
    messages: { word: {} },
    commands: {
      lock: command('lock', true),
      release: command('release'),
      say: command('say'),
      wind: command('wind'),
      unwind: command('unwind'),
      throw: command('throw'),
      bring: command('bring'),
    } as any,
    newcomer: (notification: any) => (notification.type === 'brings' ? notification.id : undefined),
    ...core,
  } as any);
  return Object.assign({}, protocol, checks);
}

export interface Choices {
  readonly events?: readonly Scripted[];
  readonly workload?: WorldFrame['workload'];
  readonly budget?: WorldFrame['budget'];
  readonly oneByOne?: boolean;
  readonly order?: 'fifo' | 'unordered';
  readonly fused?: WorldFrame['fused'];
  readonly more?: Record<string, unknown>;
}

export function frameOf({
  events = [],
  workload,
  budget = {},
  oneByOne = false,
  order = 'fifo',
  fused,
  more,
}: Choices = {}): WorldFrame {
  const protocol = protocolOf(more);
  const script = new Script(events, protocol);
  const instance = { topology: line, options: {}, rank: (node: string) => NODES.indexOf(node), distance: () => 4 } as any;
  return {
    protocol,
    instance,
    script,
    workload,
    budget,
    oneByOne,
    order,
    fused: fused ?? fusible(script),
    measure: () => ({ distance: () => 9 }) as any,
  };
}

export const ask = (node: string, name: string, fields = {}) => ({ do: 'command', node, name, fields }) as const;

/** A world that changes in place and records all calls of driver and witness. */
export function owned(choices: Choices = {}) {
  const frame = frameOf({ fused: NOT_FUSED, ...choices });
  const notified: string[] = [];
  const note =
    (what: string) =>
    (...args: any[]) =>
      void notified.push(
        [
          what,
          ...args
            .filter((arg) => arg !== undefined)
            .map((arg) => (typeof arg === 'object' ? (arg.timer ?? arg.id ?? JSON.stringify(arg)) : arg)),
        ].join(' '),
      );
  const driver = {
    now: () => 17,
    draw: (bound: number, node: string) => (notified.push(`draw ${bound} ${node}`), 4),
    fate: () => 'kept',
    corrupt: (bound: number) => bound - 1,
    left: () => 3,
    ...Object.fromEntries(
      [
        'launched',
        'landed',
        'emptied',
        'armed',
        'disarmed',
        'reactionPending',
        'turn',
        'done',
        'released',
        'slow',
        'returning',
      ].map((name) => [name, note(name)]),
    ),
  } as any;
  const witness = {
    started: () => {},
    step: ({ kind, node, event, role, at, index, drawn }: any) =>
      void notified.push(
        `${index}@${at} ${kind} ${node} ${event.type}${role ? ` in ${role}` : ''}${drawn.length > 0 ? ` drawn ${drawn}` : ''}`,
      ),
    lost: ({ flight, why }: any) => void notified.push(`lost ${flight.id} ${why}`),
    duplicated: note('duplicated'),
    placed: note('placed'),
    channel: ({ from, to, up }: any) => void notified.push(`channel ${from}${to} ${up ? 'up' : 'down'}`),
    refused: ({ node, event, why }: any) => void notified.push(`refused ${node ?? '-'} ${event.type}: ${why}`),
  } as any;
  const world = new World(frame, createHost('snapshots', frame.protocol), driver, witness);
  world.start();
  /** The records since the last call. */
  const news = () => notified.splice(0);
  return { world, news, received: (node: string) => world.nodes.get(node)!.role('box')!.context.received as readonly string[] };
}

export const give = (world: World, node: string, name: string, fields = {}) => world.perform(ask(node, name, fields));
