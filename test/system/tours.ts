/**
 * Walks through a whole system, over the bus: deliveries, losses, timers, commands, faults and changes of links, one at a time.
 *
 * The states of a system are too many to tour them all, so the walks are drawn, from a seed. At each step that is taken which has been
 * taken least often in a node of that state. A walk that covered something that none before it did is kept, up to the last such step;
 * when so many in a row show nothing new (the patience), it is enough.
 */
import type { Protocol } from '../../machines/protocol.js';
import type { NodeId } from '../../machines/effects.js';
import { Random } from '../../network/random.js';
import { Simulation } from '../../network/simulation.js';
import { describeState } from '../../network/transcript.js';
import type { Choice } from '../../network/world/choice.js';
import { enabled } from '../../network/world/enabled.js';
import { Coverage } from '../coverage/coverage.js';
import { onCharts, systemsOf, type System } from './systems.js';
import { requireProtocol } from '../../network/scenario/required.js';

export interface SystemWalk {
  readonly system: System;
  readonly choices: readonly Choice[];
}

const SEED = 1;
const STEPS_MAX = 80;
const PATIENCE = 12;

/**
 * Walks through all small systems of a protocol, drawn from a fixed seed, and what they cover. A walk is kept when it covers
 * something that none before it did.
 */
export function systemWalks(protocol: Protocol): { readonly walks: readonly SystemWalk[]; readonly coverage: Coverage } {
  requireProtocol('systemWalks', protocol);
  const coverage = new Coverage(protocol);
  const walks = coverage.during((observed) =>
    systemsOf(protocol).flatMap((system) => new Touring(system, observed, coverage).walks()),
  );
  return { walks, coverage };
}

class Touring {
  private readonly random: Random;
  /** How often each likeness was chosen. */
  private readonly tries = new Map<string, number>();

  constructor(
    private readonly system: System,
    private readonly observed: Protocol,
    private readonly coverage: Coverage,
  ) {
    this.random = new Random(SEED, `system ${system.index}`);
  }

  walks(): SystemWalk[] {
    const walks: SystemWalk[] = [];
    for (let idle = 0; idle < PATIENCE; idle++) {
      const choices = this.walk();
      if (choices.length === 0) continue;
      walks.push({ system: this.system, choices });
      idle = -1;
    }
    return walks;
  }

  /** One walk, up to its last step that covered something new. */
  private walk(): readonly Choice[] {
    const { coverage } = this;
    const choices: Choice[] = [];
    const simulation = new Simulation(onCharts(this.system, this.observed), { host: 'snapshots', watch: false, choices });
    let drawn: number[] = [];
    simulation.network.steps$.subscribe((step) => (drawn = [...drawn, ...step.drawn]));
    simulation.start();
    let useful = 0;
    while (choices.length < STEPS_MAX) {
      const next = this.leastTried(nextSteps(simulation));
      if (!next) break;
      const before = coverage.covered;
      drawn = [];
      choices.push(next.choice);
      simulation.advance();
      if (drawn.length > 0) choices[choices.length - 1] = { ...next.choice, drawn };
      if (coverage.covered > before) useful = choices.length;
    }
    return choices.slice(0, useful);
  }

  private leastTried(all: readonly Next[]): Next | undefined {
    const triesOf = ({ likeness }: Next) => this.tries.get(likeness) ?? 0;
    const least = Math.min(...all.map(triesOf));
    const candidates = all.filter((next) => triesOf(next) === least);
    if (candidates.length === 0) return undefined;
    const next = this.random.pick(candidates);
    this.tries.set(next.likeness, least + 1);
    return next;
  }
}

interface Next {
  readonly choice: Choice;
  /** The kind of the choice: something that happens to a node in some state. */
  readonly likeness: string;
}

/** All next choices of a run without time, each with its kind. */
function nextSteps(simulation: Simulation): readonly Next[] {
  return [...enabled(simulation.network.world)].map((choice) => {
    const { node, what } = aboutOf(choice, simulation);
    const roles = Object.values(simulation.configuration.nodes.get(node) ?? {});
    return { choice, likeness: `${roles.map(({ value }) => describeState(value)).join(' ')} ${what}` };
  });
}

/** The node that a choice concerns, and what happens there. */
function aboutOf(choice: Choice, { network, scenario }: Simulation): { readonly node: NodeId; readonly what: string } {
  const flight = (id: number, fate: string) => {
    const { to, message } = network.world.flights.get(id)!;
    return { node: to, what: `${message.type}${fate}` };
  };
  if ('deliver' in choice) return flight(choice.deliver, '');
  if ('drop' in choice) return flight(choice.drop, ' lost');
  if ('duplicate' in choice) return flight(choice.duplicate, ' doubled');
  if ('timer' in choice) return { node: choice.timer[0], what: `timer ${choice.timer[2]}` };
  if ('turn' in choice) return { node: choice.turn, what: 'turn' };
  if ('command' in choice) return { node: choice.command[0], what: choice.command[1] };
  if ('notification' in choice)
    return { node: choice.notification[0], what: network.links.up(...choice.notification) ? 'link down' : 'link up' };
  const event = scenario.events[choice.event]!;
  const node = 'node' in event ? event.node : 'link' in event ? event.link[0] : scenario.graph.topology.nodes[0]!;
  return { node, what: event.do === 'command' ? event.name : event.do };
}
