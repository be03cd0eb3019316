/**
 * What each process holds on to at the end of a run: its timers and connections, and of the nodes of this package that it has made what
 * their charts keep and who listens to them. The charts keep all that a protocol knows; what stands around them, and what the application
 * keeps, is not looked at.
 */
import { attendNodes, type AliveNode } from './alive-nodes.js';
import type { Process, VirtualWorld } from './world.js';

interface HeldNode {
  readonly node: AliveNode;
  readonly process: Process;
  readonly life: number;
  /** How many have listened to it from the beginning: a rehearsal that keeps the steps of its roles does. */
  readonly listening: number;
}

export class KeptAtEnd {
  private readonly nodes: HeldNode[] = [];

  constructor(private readonly world: VirtualWorld) {}

  /** Hears of every node that is made from now on, until what it gives is called. */
  listen(): () => void {
    return attendNodes((node, process) => {
      this.nodes.push({ node, process, life: process.life, listening: listenersOf(node) });
    });
  }

  /** Of each process that is up. */
  tell(): void {
    for (const process of this.world.processes.values()) {
      if (process.state === 'down') continue;
      const { id, life, pending, resetting } = process;
      const own = this.nodes.filter((held) => held.process === process && held.life === life);
      this.world.tell('holds', {
        peer: id,
        timers: pending,
        connections: resetting.size,
        kept: entriesIn(own.map(({ node }) => node.node.view())),
        listeners: own.reduce((sum, { node, listening }) => sum + listenersOf(node) - listening, 0),
      });
    }
  }
}

const listenersOf = ({ steps$, notifications$, heard$ }: AliveNode): number =>
  [steps$, notifications$, heard$].reduce((sum, { observers }) => sum + observers.length, 0);

/** How many entries the lists and objects of what a chart keeps have: it is plain data. */
function entriesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, entry: unknown) => sum + 1 + entriesIn(entry), 0);
}
