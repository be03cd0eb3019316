/**
 * The nodes of a recorded run, taken along its trace: each step is taken again by the real charts, from the state that the trace has
 * come to, and must give the state, messages, timers and notifications that were recorded.
 */
import type { Address, Message, NodeId } from '../../machines/effects.js';
import type { Choose, Flight, LinksView, NodeView, Protocol, Instance } from '../../machines/protocol.js';
import { createHost, type Host } from '../../network/world/hosts.js';
import { Node, type Outcome } from '../../network/world/node.js';
import type { StepLine } from '../../network/trace.js';
import { keyOf } from '../explore/json.js';

/** What was recorded is not what the charts do. */
export class Impossible extends Error {}

export class TracedNodes {
  readonly views = new Map<NodeId, NodeView>();
  private readonly host: Host;
  /** What the nodes asked for when they started, until the line that tells of it. */
  private readonly beginnings = new Map<NodeId, Outcome>();
  private readonly armed = new Map<NodeId, Set<string>>();

  constructor(
    private readonly protocol: Protocol,
    private readonly instance: Instance<any>,
    private readonly links: LinksView & { peerAt(node: NodeId, port: number): NodeId | undefined },
  ) {
    this.host = createHost('snapshots', protocol);
  }

  /** A node appears. `drawn` answers what it draws when it starts; where the trace begins in a given state it is just put there. */
  open(line: StepLine, drawn: readonly number[], isGiven: boolean): void {
    if (isGiven) return this.put(line);
    const node = new Node(line.node, this.host);
    const outcome = node.start(this.protocol.roles(line.node, this.instance), answers(drawn));
    this.compareState(line, node.view(), {});
    this.beginnings.set(line.node, outcome);
  }

  /** What a node asked for when it started. */
  started(line: StepLine): void {
    const outcome = this.beginnings.get(line.node);
    if (!outcome) throw new Impossible(`${line.node} has started already`);
    this.beginnings.delete(line.node);
    this.compareOutcome(line, outcome);
  }

  /** A state from outside: a corruption, a restart, a crash. */
  put(line: StepLine): void {
    this.views.set(line.node, merged(this.views.get(line.node) ?? {}, line.roles));
    this.armed.delete(line.node);
    this.note(line);
  }

  take(line: StepLine): void {
    const { node: id, role, event } = line;
    const before = this.views.get(id);
    if (!before) throw new Impossible(`${id} takes a step before it has started`);
    if (role === undefined || !(role in before)) throw new Impossible(`${id} has no role "${role}" to take ${event.type}`);
    if (line.kind === 'timer' && !this.armed.get(id)?.delete(timerKey(role, event['timer'] as string))) {
      throw new Impossible(`the timer ${event['timer']} of ${id} goes off, and is not armed`);
    }
    const node = new Node(id, this.host);
    node.restore(before);
    const outcome = attempt(line, () => node.step(role, event, answers(line.drawn ?? [])));
    this.compareState(line, node.view(), before);
    this.compareOutcome(line, outcome);
  }

  private compareState({ node, roles, event }: StepLine, actual: NodeView, before: NodeView): void {
    const recorded = merged(before, roles);
    for (const role of new Set([...Object.keys(actual), ...Object.keys(recorded)])) {
      const [theirs, ours] = [text(recorded[role] ?? null), text(actual[role] ?? null)];
      if (theirs !== ours) throw new Impossible(`${event.type} brings ${node}, role "${role}", to ${ours}, not to ${theirs}`);
    }
    this.views.set(node, recorded);
  }

  private compareOutcome(line: StepLine, { sends, timers, emitted, closed }: Outcome): void {
    const { node, event } = line;
    const asked = sends.flatMap(({ to, message }) =>
      [to].flat().map((address) => ({ to: this.resolve(node, address), message })),
    );
    let next = 0;
    for (const { to, message } of line.sent) {
      const fits = (one: (typeof asked)[number]) =>
        (one.to === undefined || one.to === to) && text(one.message) === text(message);
      while (next < asked.length && !fits(asked[next]!)) this.mustBeUnheard(line, asked[next++]!);
      if (next++ >= asked.length) throw new Impossible(`${event.type} does not make ${node} send ${text(message)} to ${to}`);
    }
    while (next < asked.length) this.mustBeUnheard(line, asked[next++]!);
    const [ours, theirs] = [text(emitted), text(line.emitted)];
    if (ours !== theirs) throw new Impossible(`${event.type} makes ${node} announce ${ours}, not ${theirs}`);
    const orders = text(timers.map(({ role, timer, delay }) => [role, timer, delay]));
    if (orders !== text(line.timers ?? []))
      throw new Impossible(`${event.type} makes ${node} set its timers by ${orders}, not ${text(line.timers ?? [])}`);
    for (const role of closed)
      for (const key of this.armed.get(node) ?? []) if (key.startsWith(`${role} `)) this.armed.get(node)!.delete(key);
    this.note(line);
  }

  /** What a chart sends is missing in the trace: it must have had nowhere to go. */
  private mustBeUnheard(
    { node, event }: StepLine,
    { to, message }: { readonly to: NodeId | undefined; readonly message: Message },
  ): void {
    const isLost = to === undefined || !this.views.has(to) || (to !== node && !this.hasWay(node, to));
    if (!isLost) throw new Impossible(`${event.type} makes ${node} send ${text(message)} to ${to}, which is not there`);
  }

  private hasWay(from: NodeId, to: NodeId): boolean {
    if (this.protocol.network.reach === 'links') return this.links.up(from, to);
    const reached = new Set([from]);
    for (const node of reached) for (const peer of this.links.neighbours(node)) reached.add(peer);
    return reached.has(to);
  }

  private resolve(node: NodeId, address: Address): NodeId | undefined {
    return typeof address === 'number' ? this.links.peerAt(node, address) : address;
  }

  private note({ node, timers = [] }: StepLine): void {
    const armed = this.armed.get(node) ?? new Set<string>();
    for (const [role, timer, delay] of timers) {
      if (delay === null) armed.delete(timerKey(role, timer));
      else armed.add(timerKey(role, timer));
    }
    this.armed.set(node, armed);
  }
}

const timerKey = (role: string, timer: string): string => `${role} ${timer}`;

const text = (value: unknown): string => keyOf(value, 'a step of the trace');

function merged(before: NodeView, changes: StepLine['roles']): NodeView {
  const all = Object.entries({ ...before, ...changes });
  return Object.fromEntries(all.flatMap(([role, view]) => (view === null ? [] : [[role, view]])));
}

function answers(drawn: readonly number[]): Choose {
  let asked = 0;
  return (bound) => {
    const value = drawn[asked++];
    if (value === undefined || value < 0 || value >= bound)
      throw new Impossible(`draw ${asked}, below ${bound}, was answered by ${value}`);
    return value;
  };
}

function attempt(line: StepLine, run: () => Outcome): Outcome {
  try {
    return run();
  } catch (error) {
    if (error instanceof Impossible) throw error;
    throw new Impossible(`${line.node} cannot take ${text(line.event)}: ${(error as Error).message.replaceAll('\n', ' ')}`);
  }
}

/** The delivered message as the chart received it, without what the host added. */
export const isDelivered = ({ event }: StepLine, { message }: Flight): boolean => {
  const { from: _, at: __, ...received } = event as Message & Record<string, unknown>;
  const { from: ___, at: ____, ...sent } = message as Message & Record<string, unknown>;
  return text(received) === text(sent);
};
