/**
 * A protocol that never ends by itself, to be stopped by a budget: a node throws a ball to its next neighbor, and each receiver throws it
 * on, forever. Several nodes may begin.
 */
import { assign, setup } from 'xstate';
import { defineProtocol } from '../../../machines/define.js';
import { effects, send, type Message, type NodeId } from '../../../machines/effects.js';

interface Context {
  readonly neighbors: readonly NodeId[];
  /** Next neighbor to throw to. */
  readonly turn: number;
}
type In = { context: Context };

const ball = ({ context: { neighbors, turn } }: In) => ({ to: neighbors[turn]!, message: { type: 'ball' } });

const playerMachine = setup({
  types: {} as { context: Context; events: Message; input: Pick<Context, 'neighbors'> },
  actions: { ...effects(), turnOn: assign(({ context: { neighbors, turn } }) => ({ turn: (turn + 1) % neighbors.length })) },
}).createMachine({
  id: 'player',
  context: ({ input }) => ({ ...input, turn: 0 }),
  initial: 'playing',
  states: {
    playing: {
      on: {
        begin: { actions: [send(ball), 'turnOn'] },
        ball: { actions: [send(ball), 'turnOn'] },
      },
    },
  },
});

export const balls = defineProtocol(
  {
    name: 'balls',
    charts: { player: playerMachine },
    network: { reach: 'links', order: 'fifo' },
    input: (id, { topology: { links } }) => ({ neighbors: links.flatMap(([u, v]) => (u === id ? [v] : v === id ? [u] : [])) }),
    messages: { ball: {} },
    commands: { begin: {} },
  },
  { properties: () => [] },
);
