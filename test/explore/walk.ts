/**
 * Paths through the graph of states, as the choices that lead along them.
 *
 * The search only stores the parent of each state. The transition between them is found by expanding the parent again. Messages get the
 * numbers that a network would assign, in the order of sending along this path, so that a simulation can replay the choices.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Choice } from '../../network/world/choice.js';
import type { LocalEvent } from './events.js';
import type { Hop } from './lasso.js';
import type { Model } from './model.js';
import type { FirstState } from './starts.js';
import type { States } from './store.js';
import type { Symmetry } from './symmetry.js';
import { DELIVER, DOUBLE, LINK, LOCAL, LOSE } from './successors.js';
import { fieldsOf } from '../../machines/checks.js';

export interface Walked {
  readonly choice: Choice;
  /** A description of what happened, for people. */
  readonly text: string;
}

/** The cause of a transition: the choice, and the nodes that take a step for it. */
interface Cause {
  readonly choice: Choice;
  readonly text?: string;
  readonly takers: readonly { readonly node: number; readonly took: string }[];
}

interface Sent {
  readonly id: number;
  readonly packet: number;
  /** The sender's position; a packet does not always contain it. */
  readonly from: number;
}

export class Walk {
  private inFlight: Sent[] = [];
  private sent = 0;
  /** The current state of the path; with symmetry it may be an image of the state that the search stores. */
  private readonly row: Int32Array;
  private length: number;
  /** The state in which the path starts again, after a corruption. */
  start: FirstState | undefined;

  constructor(
    private readonly model: Model,
    private readonly store: States,
    private readonly symmetry: Symmetry | undefined,
    { row, sent }: FirstState,
  ) {
    this.row = new Int32Array(store.longest);
    this.row.set(row);
    this.length = row.length;
    for (const packet of sent) this.launch(packet, model.packets.get(packet).from);
  }

  /** Takes the first transition that leads to a state. */
  step(to: number): readonly Walked[] {
    this.expand();
    for (let i = 0; i < this.model.successors.count; i++) if (this.leadsTo(i, to)) return this.take(i);
    throw new Error(`no transition leads from the current state of the path to state ${to}`);
  }

  /** Takes a given transition. */
  hop({ successor }: Hop): readonly Walked[] {
    this.expand();
    return this.take(successor);
  }

  private expand(): void {
    this.model.successors.expand(this.row, this.length);
  }

  private leadsTo(successor: number, state: number): boolean {
    const { rows, begins } = this.model.successors;
    const begin = begins[successor]!;
    const length = begins[successor + 1]! - begin;
    if (!this.symmetry) return this.store.is(state, rows, begin, length);
    return this.store.is(state, this.symmetry.representative(rows, begin, length), 0, length);
  }

  private take(i: number): readonly Walked[] {
    const { kinds, subjects, rows, begins } = this.model.successors;
    const duplicated = this.model.system.lasting && kinds[i] === DELIVER ? [this.double(this.copyOf(subjects[i]!, 0))] : [];
    const isCorrupted = kinds[i] === LINK && this.model.environments.moves(this.row[0]!)[subjects[i]!]!.kind === 'corrupt';
    const walked = isCorrupted ? [] : [...duplicated, this.make(i)];
    if (this.model.system.protocol.network.time) this.recognize(i);
    this.length = begins[i + 1]! - begins[i]!;
    this.row.set(rows.subarray(begins[i], begins[i + 1]));
    if (isCorrupted) this.restart();
    return walked;
  }

  /** Starts the path again after a corruption, because a network cannot replay a corruption as a choice. */
  private restart(): void {
    const row = Array.from(this.row.subarray(0, this.length));
    const sent = row.slice(1 + this.model.system.nodes.length);
    this.start = { row, sent };
    [this.inFlight, this.sent] = [[], 0];
    for (const packet of sent) this.launch(packet, this.model.packets.get(packet).from);
  }

  /** Finds packets whose times were renumbered by their position in their channel. */
  private recognize(i: number): void {
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
    const environment = successors.rows[successors.begins[i]!]!;
    const { choice, text, takers } = this.cause(successors.kinds[i]!, successors.subjects[i]!);
    const outcomes = [successors.outcomes[i]!, successors.seconds[i]!];
    const drawn = takers.flatMap((_, taker) => steps.details[outcomes[taker]!]!.drawn);
    const lines = takers.map(({ node, took }, taker) => `${took}${this.consequences(node, outcomes[taker]!, environment)}`);
    return { choice: drawn.length === 0 ? choice : { ...choice, drawn }, text: [text, ...lines].filter(Boolean).join('; then ') };
  }

  private cause(kind: number, subject: number): Cause {
    if (kind === DELIVER) return this.delivery(subject);
    if (kind === LOSE || kind === DOUBLE) return this.fault(kind, subject);
    const { events } = this.model.steps;
    if (kind === LOCAL) {
      const { node, kind: what, event, role, timer, name = event.type } = events.get(subject);
      const id = this.name(node);
      if (what === 'timer')
        return { choice: { timer: [id, role!, timer!] }, takers: [{ node, took: `timer ${timer} of ${id} fires` }] };
      return { choice: { command: [id, name] }, takers: [{ node, took: `${id} receives the command ${describe(event)}` }] };
    }
    const { kind: what, choice, node, notified, purged } = this.model.environments.moves(this.row[0]!)[subject]!;
    const takers = notified.map(({ node, event }) => ({ node, took: `${this.name(node)} ${receives(events.get(event))}` }));
    const { channel } = this.model.packets;
    this.inFlight = this.inFlight.filter(({ packet }) => !purged.includes(channel.data[packet]!));
    if (what === 'crash') return { choice, takers, text: `${this.name(node)} crashes` };
    if (what === 'restart') return { choice, takers, text: `${this.name(node)} restarts` };
    if (takers.length > 0) return { choice, takers };
    if (what === 'command') return { choice, takers, text: `${this.name(node)} gets a command that waits or is lost` };
    return { choice, takers, text: `a link of ${this.name(node)} changes without a notification` };
  }

  private delivery(packet: number): Cause {
    const { id, from } = this.land(this.copyOf(packet, 0));
    const { to, message } = this.model.packets.get(packet);
    const received = `"${message.type}" #${id} from ${this.name(from)}`;
    const choice = { deliver: id };
    if (!this.model.environments.isCrashed(this.row[0]!, to))
      return { choice, takers: [{ node: to, took: `${this.name(to)} takes ${received}` }] };
    return { choice, text: `${received} is lost at ${this.name(to)}, which has crashed`, takers: [] };
  }

  /** The loss or duplication of the message at this position of the row. */
  private fault(kind: number, place: number): Cause {
    const packet = this.row[place]!;
    const before = this.row.subarray(1 + this.model.system.nodes.length, place).filter((other) => other === packet).length;
    const sent = this.copyOf(packet, before);
    if (kind === DOUBLE) return { ...this.double(sent), takers: [] };
    return { choice: { drop: this.land(sent).id }, text: `${this.describeSent(sent)} is lost`, takers: [] };
  }

  private double(sent: Sent): Walked {
    this.launch(sent.packet, sent.from);
    return { choice: { duplicate: sent.id }, text: `${this.describeSent(sent)} is duplicated` };
  }

  private describeSent({ id, packet, from }: Sent): string {
    const { to, message } = this.model.packets.get(packet);
    return `"${message.type}" #${id} from ${this.name(from)} to ${this.name(to)}`;
  }

  /** The changes, messages and notifications of a node's step. */
  private consequences(node: number, outcome: number, environment: number): string {
    const { steps } = this.model;
    const { drawn, emitted } = steps.details[outcome]!;
    const change = this.change(this.row[1 + node]!, steps.next.data[outcome]!);
    const effects = [
      ...(drawn.length === 0 ? [] : [`draws ${drawn.join(', ')}`]),
      ...this.send(node, outcome, environment),
      ...emitted.map(({ type }) => `emits ${type}`),
    ];
    return `${change}${effects.length === 0 ? '' : `; ${effects.join('; ')}`}`;
  }

  private name(node: number): NodeId {
    return this.model.system.nodes[node]!;
  }

  private send(node: number, outcome: number, environment: number): string[] {
    const { steps, environments, packets } = this.model;
    const begin = steps.sentAt.data[outcome]!;
    const outgoing = Array.from(steps.sent.data.subarray(begin, begin + steps.sentCount.data[outcome]!));
    return outgoing.flatMap((outgoingMessage) => {
      const packet = environments.packet(environment, outgoingMessage);
      if (packet === -1) return [];
      const { to, message } = packets.get(packet);
      return [`sends ${describe(message)} #${this.launch(packet, node)} to ${this.name(to)}`];
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

  /** The copy of a packet in flight before which `before` other copies were sent. */
  private copyOf(packet: number, before: number): Sent {
    return this.inFlight.filter((sent) => sent.packet === packet)[before]!;
  }

  private land(landed: Sent): Sent {
    this.inFlight = this.inFlight.filter((sent) => sent !== landed);
    return landed;
  }
}

function receives({ kind, event }: LocalEvent): string {
  if (kind === 'reload') return 'restarts from its storage';
  if (kind !== 'link') return `receives the command ${describe(event)}`;
  const { peer } = fieldsOf(event);
  return `is notified that its link to ${String(peer)} is ${event.type === 'link.up' ? 'up' : 'down'}`;
}

/** An event as text: its type and its other fields. */
function describe({ type, ...rest }: Message): string {
  const fields = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest).replaceAll('"', '')}`;
  return `${type}${fields}`;
}
