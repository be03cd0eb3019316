/** Performs a scenario's events at their times: commands at nodes, changes of links, faults. */
import type { NodeId } from '../machines/effects.js';
import type { Protocol, Instance } from '../machines/protocol.js';
import type { Application } from './application.js';
import type { Network } from './network.js';
import { Random } from './random.js';
import type { MessageEvent, ScenarioEvent } from './scenario/types.js';

export class Script {
  private readonly random: Random;

  constructor(
    private readonly network: Network,
    private readonly application: Application,
    private readonly protocol: Protocol,
    private readonly instance: Instance,
    seed: number,
  ) {
    this.random = new Random(seed, 'corruption');
  }

  readonly perform = (event: ScenarioEvent): void => {
    const { network } = this;
    switch (event.do) {
      case 'command':
        return this.application.command(event.node, event.name, event.fields);
      case 'cut':
        return network.channels.cut(...event.link);
      case 'join':
        return network.channels.join(...event.link, event.weight, event.ports);
      case 'up':
      case 'down':
        return network.channels.set(...event.channel, event.do === 'up');
      case 'clog':
      case 'unclog':
        return network.bus.setClogged(...event.channel, event.do === 'clog');
      case 'slow':
        return network.bus.slow(...event.channel, event.by);
      case 'drop':
      case 'duplicate':
      case 'hold':
      case 'deliver':
        return this.touch(event);
      case 'pause':
      case 'resume':
        return network.bus.setPaused(event.node, event.do === 'pause');
      case 'crash':
        return network.crash(event.node);
      case 'restart':
        return network.restart(event.node);
      case 'corrupt':
        return this.corrupt(event.nodes);
    }
  };

  private touch({ do: what, message }: MessageEvent): void {
    if (this.network.bus[what](message)) return;
    this.network.refused$.next({ event: { type: what }, why: `message ${message} is not in flight` });
  }

  /**
   * Arbitrary messages in flight on every channel between two of the nodes, then arbitrary typed states for the nodes: the state after
   * the last node's step is the corrupt one, whole.
   */
  private corrupt(nodes: readonly NodeId[]): void {
    const { corruption } = this.protocol;
    if (!corruption) return;
    const { links, bus } = this.network;
    const choose = (bound: number) => this.random.below(bound);
    const instance = { ...this.instance, topology: links.topology(this.instance.topology.nodes) };
    const chosen = new Set(nodes);
    for (const from of nodes) {
      for (const to of links.neighbours(from)) {
        if (chosen.has(to)) bus.replace(from, to, corruption.channel(from, to, instance, choose), links.weight(from, to));
      }
    }
    for (const node of nodes) {
      const { roles, timers } = corruption.node(node, instance, choose);
      this.network.putNode(node, 'corrupt', roles, timers);
    }
  }
}
