/** Performs a scenario's events at their times: commands at nodes, changes of links, faults. */
import type { NodeId } from '../machines/effects.js';
import type { Protocol, Setup } from '../machines/protocol.js';
import type { Application } from './application.js';
import type { Network } from './network.js';
import { Random } from './random.js';
import type { ScenarioEvent } from './scenario/types.js';

export class Script {
  private readonly random: Random;

  constructor(
    private readonly network: Network,
    private readonly application: Application,
    private readonly protocol: Protocol,
    private readonly setup: Setup,
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
        return network.cut(...event.link);
      case 'join':
        return network.join(...event.link, event.weight, event.ports);
      case 'up':
      case 'down':
        return network.setChannel(...event.channel, event.do === 'up');
      case 'clog':
      case 'unclog':
        return network.bus.setClogged(...event.channel, event.do === 'clog');
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

  /** Arbitrary typed states for the nodes, and arbitrary messages in flight on every channel between two of them. */
  private corrupt(nodes: readonly NodeId[]): void {
    const { corruption } = this.protocol;
    if (!corruption) return;
    const choose = (bound: number) => this.random.below(bound);
    for (const node of nodes) {
      const { roles, timers } = corruption.node(node, this.setup, choose);
      this.network.putNode(node, 'corrupt', roles, timers);
    }
    const chosen = new Set(nodes);
    for (const from of nodes) {
      for (const to of this.network.links.neighbours(from)) {
        if (chosen.has(to))
          this.network.bus.replace(
            from,
            to,
            corruption.channel(from, to, this.setup, choose),
            this.network.links.weight(from, to),
          );
      }
    }
  }
}
