/** A node whose medium and clock the test controls, with a chart that performs the commands of the test. */
import { assign, emit, setup } from 'xstate';
import { onTestFinished, vi } from 'vitest';
import { defineCore } from '../../machines/define.js';
import { arm, disarm, draw, effects, send, store, type Address, type Message } from '../../machines/effects.js';
import type { Core, CoreDescription } from '../../machines/protocol.js';
import { VirtualClock } from '../../network/clock.js';
import { createTransport, type DriverListener } from '../transports/driver.js';
import { inProcessGuarantees } from '../transports/guarantees.js';
import type { Guarantees, Json } from '../transports/transport.js';
import { createNode, type LiveNode } from './node.js';
import type { LiveStep, NodeOptions } from './node-options.js';
import type { PeerObservation } from './node-options.js';

export type Event = Message & Readonly<Record<string, any>>;
type In = { event: Event };

/** Performs commands, and reports what it receives. `work` waits for `rest`. */
const parrot = setup({
  types: { events: {} as Event, context: {} as { counted: number } },
  actions: {
    ...effects(),
    count: assign({ counted: ({ context }) => context.counted + 1 }),
    fail: assign(() => {
      throw new Error('mine');
    }),
  },
}).createMachine({
  context: { counted: 0 },
  initial: 'idle',
  on: {
    say: { actions: send(({ event: { to, text } }: In) => ({ to: to as Address, message: { type: 'word', text } as Message })) },
    babble: { actions: send(() => ({ to: 'b', message: { type: 'babble' } })) },
    word: { actions: [emit(({ event }) => ({ ...event, type: 'arrived' })), 'count'] },
    'link.up': { actions: emit(({ event }) => ({ ...event, type: 'came' })) },
    'link.down': { actions: emit(({ event }) => ({ ...event, type: 'went' })) },
    ring: { actions: arm(({ event }: In) => ({ timer: event['timer'] as string, delay: event['delay'] as number })) },
    hush: { actions: disarm(({ event }: In) => ({ timer: event['timer'] as string })) },
    timer: { actions: emit(({ event }) => ({ type: 'rang', timer: event['timer'] })) },
    dice: { actions: draw(() => ({ bound: 6 })) },
    drawn: { actions: emit(({ event }) => ({ type: 'fell', value: event['value'] })) },
    keep: { actions: store(({ event }: In) => ({ key: event['key'] as string, value: event['value'] })) },
    stored: { actions: emit(({ event }) => ({ type: 'kept', key: event['key'] })) },
    nextCommand: { actions: emit({ type: 'paid' }) },
    fail: { actions: 'fail' },
  },
  states: { idle: { on: { work: 'busy' } }, busy: { on: { rest: 'idle' } } },
});

export const description: CoreDescription = {
  name: 'parrot',
  charts: { parrot },
  network: { reach: 'routed' },
  options: (raw) => raw as never,
  accepts: (message) => (message as Event).type === 'word' && typeof (message as Event)['text'] === 'string',
  commands: Object.fromEntries(
    ['say', 'babble', 'ring', 'hush', 'dice', 'keep', 'fail', 'rest', 'work'].map((name) => [
      name,
      { waits: name === 'work', event: (fields: object) => ({ ...fields, type: name }) },
    ]),
  ),
};
export const parrotCore = defineCore(description);
export const linkedCore = defineCore({ ...description, network: { reach: 'links' } });

interface Made {
  readonly node: LiveNode;
  readonly medium: DriverListener;
  readonly clock: VirtualClock;
  /** Messages that were sent: the receiver, and the message in its envelope. */
  readonly sent: (readonly [to: string, message: Json])[];
  readonly steps: LiveStep[];
  readonly notifications: Message[];
  readonly arrived: PeerObservation[];
}

interface Hand {
  readonly protocol?: Core;
  readonly guarantees?: Guarantees;
  /** Actions of the medium before the node has started. */
  readonly before?: (medium: DriverListener) => void;
  readonly send?: () => void;
}

/** Node `a` among `a`, `b` and `c`. It starts a microtask later. */
export function made({
  guarantees = inProcessGuarantees,
  before,
  send = () => {},
  ...hand
}: Hand & Partial<NodeOptions> = {}): Made {
  let medium!: DriverListener;
  const sent: [string, Json][] = [];
  const transport = createTransport('a', guarantees as typeof inProcessGuarantees, (given) => {
    medium = given;
    given.opened({
      send: (to, message) => {
        sent.push([to, message]);
        send();
      },
      close: () => {},
    });
    before?.(given);
  });
  const clock = new VirtualClock();
  const node = createNode({
    transport,
    protocol: parrotCore,
    topology: { nodes: ['a', 'b', 'c'], links: [['a', 'b', 1]] },
    clock,
    ...hand,
  });
  const of = {
    node,
    medium,
    clock,
    sent,
    steps: [] as LiveStep[],
    notifications: [] as Message[],
    arrived: [] as PeerObservation[],
  };
  node.steps$.subscribe((step) => of.steps.push(step));
  node.notifications$.subscribe((notification) => of.notifications.push(notification));
  node.observations$.subscribe((arrived) => of.arrived.push(arrived));
  onTestFinished(() => node.close());
  return of;
}

/** A parrot that has started and received no command yet. */
export async function started(options: Hand & Partial<NodeOptions> = {}): Promise<Made> {
  const all = made(options);
  await all.node.ready;
  for (const list of [all.sent, all.steps, all.notifications, all.arrived]) list.length = 0;
  return all;
}

export const envelope = (message: object, name = 'parrot') => ({ v: 1, name, message }) as Json;
export const word = (text: string) => envelope({ type: 'word', text });
export const receivedMessage = (from: Address, text: string, more: object = {}) => ({ type: 'arrived', from, text, ...more });
export const hello = (isAnswer = false) => envelope({ type: 'node.hello', isAnswer });
export const bye = envelope({ type: 'node.bye' });
export const valueOf = (node: LiveNode) => node.view()['parrot']?.value;
export const countOf = (node: LiveNode) => (node.view()['parrot']!.context as { counted: number }).counted;
export const warnings = () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  return () => warn.mock.calls.map(([text]) => text as string);
};
