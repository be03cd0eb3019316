/**
 * Ways through the graph of states, as the choices that lead along them.
 *
 * The search keeps only where each state was reached from; what led there is found by expanding that state again. Messages get the
 * numbers that a network gives them, in the order of sending along this way, so that the choices can be made there.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Choice } from '../../network/trace.js';
import type { Hop } from './lasso.js';
import type { Model } from './model.js';
import type { Store } from './store.js';
import { DELIVER, DOUBLE, LINK, LOCAL, LOSE, SCRIPT } from './successors.js';

export interface Walked {
  readonly choice: Choice;
  /** What happened, for a reader. */
  readonly text: string;
}

interface Sent {
  readonly id: number;
  readonly packet: number;
  /** The place of the sender, which the packet itself need not know. */
  readonly from: number;
}

export class Walk {
  private inFlight: Sent[] = [];
  private sent = 0;
  private readonly row: Int32Array;

  constructor(
    private readonly model: Model,
    private readonly store: Store,
    /** What is in flight at the start, in the order of sending. */
    start: readonly number[],
  ) {
    this.row = new Int32Array(store.longest);
    for (const packet of start) this.launch(packet, model.packets.get(packet).from);
  }

  /** Takes the first transition that leads from one state to another. */
  step(from: number, to: number): Walked {
    this.expand(from);
    for (let i = 0; i < this.model.successors.count; i++) if (this.leadsTo(i, to)) return this.take(i);
    throw new Error(`no transition leads from state ${from} to state ${to}`);
  }

  /** Takes a given transition. */
  hop({ from, successor }: Hop): Walked {
    this.expand(from);
    return this.take(successor);
  }

  private expand(state: number): void {
    this.model.successors.expand(this.row, this.store.load(state, this.row));
  }

  private leadsTo(successor: number, state: number): boolean {
    const { rows, begins } = this.model.successors;
    return this.store.is(state, rows, begins[successor]!, begins[successor + 1]! - begins[successor]!);
  }

  private take(i: number): Walked {
    const walked = this.make(i);
    if (this.model.system.protocol.network.time) this.recognise(i);
    return walked;
  }

  /** Packets whose times were numbered anew are known by their place in their channel. */
  private recognise(i: number): void {
    const { successors, packets, system } = this.model;
    const { rows, begins } = successors;
    const channels = new Map<number, number[]>();
    for (let at = begins[i]! + 1 + system.nodes.length; at < begins[i + 1]!; at++) {
      const channel = packets.channel.data[rows[at]!]!;
      channels.set(channel, [...(channels.get(channel) ?? []), rows[at]!]);
    }
    this.inFlight = this.inFlight.map((sent) => ({
      ...sent,
      packet: channels.get(packets.channel.data[sent.packet]!)!.shift()!,
    }));
  }

  private make(i: number): Walked {
    const { successors, steps } = this.model;
    const [kind, subject, outcome] = [successors.kinds[i]!, successors.subjects[i]!, successors.outcomes[i]!];
    const before = this.row[0]!;
    const [made, node, took] = this.cause(kind, subject, before);
    if (node === -1) return { choice: made, text: took };
    const sent = this.send(node, outcome, successors.rows[successors.begins[i]!]!);
    const { drawn, emitted } = steps.details[outcome]!;
    const choice = drawn.length === 0 ? made : { ...made, drawn };
    const change = this.change(this.row[1 + node]!, steps.next.data[outcome]!);
    const effects = [
      ...(drawn.length === 0 ? [] : [`draws ${drawn.join(', ')}`]),
      ...sent,
      ...emitted.map(({ type }) => `announces ${type}`),
    ];
    return { choice, text: `${took}${change}${effects.length === 0 ? '' : `; ${effects.join('; ')}`}` };
  }

  /** The choice, the node that takes a step (-1 for none), and what it takes. */
  private cause(kind: number, subject: number, world: number): [Choice, number, string] {
    const { packets, steps, worlds, system } = this.model;
    if (kind === DELIVER || kind === LOSE || kind === DOUBLE) {
      const { id, from } = kind === DOUBLE ? this.find(subject) : this.land(subject);
      const { to, message } = packets.get(subject);
      const told = `"${message.type}" #${id} from ${system.nodes[from]}`;
      if (kind === DELIVER) return [{ deliver: id }, to, `${system.nodes[to]} takes ${told}`];
      if (kind === LOSE) return [{ drop: id }, -1, `${told} to ${system.nodes[to]} is lost`];
      this.launch(subject, from);
      return [{ duplicate: id }, -1, `${told} to ${system.nodes[to]} is doubled`];
    }
    const { entry, purged } = kind === LOCAL ? { entry: undefined, purged: -1 } : worlds.moves(world)[subject]!;
    const { node, kind: what, event, role, timer, name = event.type } = steps.events.get(entry?.event ?? subject);
    const id = system.nodes[node]!;
    if (kind === SCRIPT) return [{ event: entry!.place }, node, `${id} is asked for ${describe(event)}`];
    if (kind === LINK) {
      if (purged !== -1) this.inFlight = this.inFlight.filter(({ packet }) => packets.channel.data[packet] !== purged);
      const { peer } = event as Message & { peer: NodeId };
      return [
        { notice: [id, peer] },
        node,
        `${id} hears that its link to ${peer} is ${event.type === 'link.up' ? 'up' : 'down'}`,
      ];
    }
    if (what === 'timer') return [{ timer: [id, role!, timer!] }, node, `timer ${timer} of ${id} fires`];
    return [{ command: [id, name] }, node, `${id} is asked for ${describe(event)}`];
  }

  private send(node: number, outcome: number, world: number): string[] {
    const { steps, worlds, packets, system } = this.model;
    const begin = steps.sentAt.data[outcome]!;
    const letters = Array.from(steps.sent.data.subarray(begin, begin + steps.sentCount.data[outcome]!));
    return letters.flatMap((letter) => {
      const packet = worlds.packet(world, letter);
      if (packet === -1) return [];
      const { to, message } = packets.get(packet);
      return [`sends ${describe(message)} #${this.launch(packet, node)} to ${system.nodes[to]}`];
    });
  }

  private change(before: number, after: number): string {
    const { locals } = this.model.steps;
    const [old, now] = [locals.get(before).view, locals.get(after).view];
    const changes = Object.entries(now).flatMap(([role, { value }]) => {
      const [was, is] = [JSON.stringify(old[role]?.value), JSON.stringify(value)];
      return was === is ? [] : [`${was ?? 'nothing'} → ${is}`];
    });
    return changes.length === 0 ? '' : ` (${changes.join(', ').replaceAll('"', '')})`;
  }

  private launch(packet: number, from: number): number {
    this.inFlight.push({ id: this.sent, packet, from });
    return this.sent++;
  }

  private find(packet: number): Sent {
    return this.inFlight.find((sent) => sent.packet === packet)!;
  }

  private land(packet: number): Sent {
    const landed = this.find(packet);
    this.inFlight = this.inFlight.filter((sent) => sent !== landed);
    return landed;
  }
}

/** An event as one would write it down: its type, and what else it carries. */
function describe({ type, ...rest }: Message): string {
  const fields = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest).replaceAll('"', '')}`;
  return `${type}${fields}`;
}
