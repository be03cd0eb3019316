/**
 * All that can happen next in a run without time: a message arrives, is lost or doubled where the scenario lets it be, a timer goes
 * off, an event of the scenario comes (those of one node, one channel or one link in their order), the application reacts.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Reaction, Step } from '../../machines/protocol.js';
import type { ScenarioEvent } from '../../network/scenario/types.js';
import type { Simulation } from '../../network/simulation.js';
import type { Choice } from '../../network/trace.js';
import { describeState } from '../../network/transcript.js';

export interface Next {
  readonly choice: Choice;
  /** What it is like: a kind of thing that happens to a node in some state. */
  readonly likeness: string;
}

/** What only delays messages changes nothing where they may take any time anyhow. */
const DELAYS: ReadonlySet<ScenarioEvent['do']> = new Set(['clog', 'unclog', 'slow', 'pause', 'resume', 'hold', 'deliver']);

export class Possibilities {
  /** The events that have not come, by lanes: of each only the first can. */
  private readonly lanes = new Map<string, number[]>();
  /** Reactions that the application owes. */
  private readonly owed: { readonly node: NodeId; readonly event: Reaction['event'] }[] = [];

  constructor(private readonly simulation: Simulation) {
    const { events, protocol, options } = simulation.scenario;
    for (const [place, event] of events.entries()) if (!DELAYS.has(event.do)) this.append(laneOf(event), place);
    const later = protocol.reactions(options).filter(({ after }) => after > 0);
    simulation.network.steps$.subscribe(({ node, emitted }: Step) => {
      for (const { type } of emitted) for (const { on, event } of later) if (on === type) this.owed.push({ node, event });
    });
  }

  all(): readonly Next[] {
    return [...this.messages(), ...this.timers(), ...this.events(), ...this.reactions()];
  }

  /** Notes a choice that is made: an event comes once, and a reaction is no longer owed. */
  made(choice: Choice): void {
    if ('event' in choice) for (const lane of this.lanes.values()) if (lane[0] === choice.event) lane.shift();
    if (!('command' in choice)) return;
    const [node, type] = choice.command;
    const place = this.owed.findIndex((owed) => owed.node === node && owed.event.type === type);
    if (place >= 0) this.owed.splice(place, 1);
  }

  private append(lane: string, place: number): void {
    const places = this.lanes.get(lane);
    if (places) places.push(place);
    else this.lanes.set(lane, [place]);
  }

  private *messages(): Generator<Next> {
    const { network, scenario } = this.simulation;
    const { order, loss, duplicate } = scenario.network;
    const channels = new Set<string>();
    for (const { id, from, to, message } of network.bus.flights) {
      const isFirst = !channels.has(`${from}\n${to}`);
      channels.add(`${from}\n${to}`);
      const { type } = message;
      if (isFirst || order === 'unordered') yield this.next({ deliver: id }, to, type);
      if (loss > 0) yield this.next({ drop: id }, to, `${type} lost`);
      if (duplicate > 0) yield this.next({ duplicate: id }, to, `${type} doubled`);
    }
  }

  private *timers(): Generator<Next> {
    const { network, scenario } = this.simulation;
    const { mayFire } = scenario.protocol;
    for (const id of network.nodes.keys()) {
      for (const { role, timer } of network.timers.of(id)) {
        if (mayFire && !mayFire(network.configuration, id, role, timer)) continue;
        yield this.next({ timer: [id, role, timer] }, id, `timer ${timer}`);
      }
    }
  }

  private *events(): Generator<Next> {
    const { network, scenario } = this.simulation;
    for (const [place] of this.lanes.values()) {
      if (place === undefined) continue;
      const event = scenario.events[place]!;
      const node = 'node' in event ? event.node : 'link' in event ? event.link[0] : scenario.graph.topology.nodes[0]!;
      if (event.do === 'command' && network.isDown(node)) continue;
      yield this.next({ event: place }, node, event.do === 'command' ? event.name : event.do);
    }
  }

  private *reactions(): Generator<Next> {
    for (const { node, event } of this.owed) yield this.next({ command: [node, event.type] }, node, event.type);
  }

  private next(choice: Choice, node: NodeId, what: string): Next {
    const roles = Object.values(this.simulation.configuration.nodes.get(node) ?? {});
    return { choice, likeness: `${roles.map(({ value }) => describeState(value)).join(' ')} ${what}` };
  }
}

function laneOf(event: ScenarioEvent): string {
  if ('node' in event) return event.node;
  if ('link' in event) return event.link.toSorted().join('\n');
  return 'channel' in event ? event.channel.join('\n') : event.do;
}
