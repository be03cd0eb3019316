/**
 * Resources of each process at the end of a run: its timers and connections, and for the nodes of this package, the size of their charts'
 * data and their listeners. The charts contain everything that a protocol knows. The data of adapters and the application is not measured.
 */
import { watchNodes, type LiveNodeView } from './alive-nodes.js';
import type { Process, VirtualWorld } from './world.js';

interface HeldNode {
  readonly node: LiveNodeView;
  readonly process: Process;
  readonly life: number;
  /** Number of listeners from the beginning; a rehearsal that records role steps adds some. */
  readonly listening: number;
}

export class OpenResources {
  private readonly nodes: HeldNode[] = [];

  constructor(private readonly world: VirtualWorld) {}

  /** Watches every new node until the returned function is called. */
  listen(): () => void {
    return watchNodes((node, process) => {
      this.nodes.push({ node, process, life: process.life, listening: listenersOf(node) });
    });
  }

  /** Reports the resources of each process that is up. */
  report(): void {
    for (const process of this.world.processes.values()) {
      if (process.state === 'down') continue;
      const { id, life, pending, resetting } = process;
      const own = this.nodes.filter((held) => held.process === process && held.life === life);
      this.world.report('holds', {
        peer: id,
        timers: pending,
        connections: resetting.size,
        kept: entriesIn(own.map(({ node }) => node.node.view())),
        listeners: own.reduce((sum, { node, listening }) => sum + listenersOf(node) - listening, 0),
      });
    }
  }
}

const listenersOf = ({ steps$, notifications$, observations$ }: LiveNodeView): number =>
  [steps$, notifications$, observations$].reduce((sum, { observers }) => sum + observers.length, 0);

/** Number of entries in the lists and objects of a chart's context, which is plain data. */
function entriesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, entry: unknown) => sum + 1 + entriesIn(entry), 0);
}
