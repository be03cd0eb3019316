/**
 * A whiteboard on four peers without a server: every peer applies the same strokes in the same order, so all of them end with one picture.
 *
 *     npx tsx examples/ordered-multicast.ts
 *
 * All peers paint the same cells at the same time. `createMulticast` gives their strokes one order. A peer paints a stroke when it is
 * delivered, its own strokes included, and so the last stroke on a cell is the same everywhere.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createMulticast, type Multicast } from 'xstate-quiver/queue';
import { messagePort, MessagePortHub } from 'xstate-quiver/transports';

interface Stroke {
  readonly cell: number;
  readonly color: string;
}

const PEERS = ['ann', 'bob', 'cy', 'dan'];
const CELLS = 8;
const STROKES_EACH = 20;

const hub = new MessagePortHub();

class Board {
  readonly cells = Array.from({ length: CELLS }, () => '.');
  private readonly multicast: Multicast<Stroke>;
  private strokes = 0;
  private finish!: () => void;
  readonly complete = new Promise<void>((resolve) => (this.finish = resolve));

  constructor(private readonly peer: string) {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    this.multicast = createMulticast<Stroke>({ transport: messagePort(port2, { id: peer }), peers: PEERS });
    this.multicast.addEventListener('message', (event) => {
      const { cell, color } = (event as CustomEvent<{ message: Stroke }>).detail.message;
      this.cells[cell] = color;
      if (++this.strokes === PEERS.length * STROKES_EACH) this.finish();
    });
  }

  async paint(): Promise<void> {
    for (let i = 0; i < STROKES_EACH; i++) {
      await pause(Math.random() * 5);
      await this.multicast.send({ cell: Math.floor(Math.random() * CELLS), color: this.peer[0]! });
    }
  }

  close(): Promise<void> {
    return this.multicast.close();
  }
}

const boards = PEERS.map((peer) => new Board(peer));
await Promise.all(boards.map((board) => board.paint()));
await Promise.all(boards.map(({ complete }) => complete));
const pictures = new Set(boards.map(({ cells }) => cells.join('')));
console.log(
  `${boards.length} boards, ${PEERS.length * STROKES_EACH} strokes, ${pictures.size} picture: ${[...pictures].join(' ')}`,
);
await Promise.all(boards.map((board) => board.close()));
hub.close();
