/**
 * A world that follows a record: the driver that repeats a recorded run.
 *
 * Each line is a choice that the world makes, and its result must be the recorded one: state, messages, timers, notifications. The record
 * provides draws, the time, and which messages are lost or duplicated at sending. A state from outside (a corruption, a given start) is
 * taken from the record.
 *
 * Live nodes are followed in the same way, with two differences: they start one after the other, and their transport carries their
 * messages, whatever the links between them are.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Flight, Instance, NodeView, Protocol } from '../../machines/protocol.js';
import { STORAGE, type StorageContext, type Stored } from '../../machines/storage.js';
import { createMetric } from '../../network/topology/metric.js';
import { viewAfter, type NetworkLine, type StepLine, type TraceHeader } from '../../network/trace.js';
import type { WorldDriver, Fate, StepTaken, Witness } from '../../network/world/driver.js';
import type { Packet } from '../../network/world/flights.js';
import { createHost } from '../../network/world/hosts.js';
import { asksForSomething, startsOf, type Outcome, type TimerOrder } from '../../network/world/node.js';
import { NOT_FUSED, Script } from '../../network/world/script.js';
import { World } from '../../network/world/world.js';
import { jsonKey } from '../explore/json.js';
import { thrownText } from '../../machines/errors.js';

/** The error for a recorded step that the charts cannot take. */
export class Impossible extends Error {}

const text = (value: unknown): string => jsonKey(value, 'a step of the trace');
/** The stored state with which a live node has restarted, if it has storage. */
function storedIn({ roles }: StepLine): Stored | undefined {
  const storage: StorageContext | undefined = roles[STORAGE]?.context;
  return storage?.stored;
}

const timerKey = (node: NodeId, role: string, timer: string): string => `${node}\n${role}\n${timer}`;

export class FollowedWorld {
  readonly world: World;
  readonly started = new Set<NodeId>();
  /** The effects of nodes at their start, until the line that contains them. */
  private readonly beginnings = new Map<NodeId, Outcome>();
  /** Steps of the world that no line has confirmed yet. */
  private readonly steps: StepTaken[] = [];
  /** Messages in flight, by the numbers of the record. */
  private readonly packets = new Map<number, Packet>();
  /** Messages that are lost or doubled as they are sent are notified of before the step that sends them. */
  private predicted: NetworkLine[] = [];
  private launched: Packet | undefined;
  private answers: number[] = [];
  /** How many draws of the step that is being taken have been answered. */
  private asked = 0;
  private readonly deadlines = new Map<string, number>();
  private now = 0;

  constructor(
    private readonly protocol: Protocol,
    private readonly instance: Instance,
    private readonly header: TraceHeader,
    /** The draws of the nodes at their start, if their first lines do not contain them. */
    private readonly drawnAtStart: number[],
  ) {
    const { live } = header;
    const frame = {
      protocol: live ? { ...protocol, network: { ...protocol.network, reach: 'routed' as const } } : protocol,
      instance: live ? { ...instance, distance: () => 1 } : instance,
      script: new Script([], protocol),
      workload: undefined,
      budget: {},
      order: 'unordered' as const,
      fused: NOT_FUSED,
      measure: createMetric,
    };
    this.world = new World(frame, createHost('snapshots', protocol), this.driver(), this.witness());
    if (header.start) this.world.startFrom(header.start);
  }

  /** A node starts, a line contains the effects of its start, or another node has brought it in. */
  start(line: StepLine): void {
    const { node } = line;
    if (this.steps.length > 0) this.compare(line, {});
    else if (this.beginnings.has(node)) {
      const outcome = this.beginnings.get(node)!;
      this.beginnings.delete(node);
      this.attempt(line, () => this.world.settleStart(node, outcome));
      this.compare(line, this.viewOf(node));
    } else if (this.started.has(node) && !this.header.live) throw new Impossible(`${node} starts a second time`);
    else this.begin(line);
    this.started.add(node);
  }

  private instanceOf(node: NodeId): Instance {
    const own = this.header.ownOptions?.[node];
    const { frame } = this.world;
    return own ? { ...frame.instance, options: this.protocol.options(own, this.instance) } : frame.instance;
  }

  private begin(line: StepLine): void {
    const { node, drawn, event, roles } = line;
    const { world, header } = this;
    if (header.start) return this.compareState(line, {});
    const known = world.nodes.get(node);
    if (!known) throw new Impossible(`${node} starts, but no node has added it to the network`);
    const isStanding = header.live && event.type === 'stands';
    // One that was there before has been started again.
    known.restore(isStanding ? viewAfter({}, roles) : {});
    world.pendingOf(node).clear();
    if (isStanding) return;
    this.answers = drawn ? [...drawn] : this.drawnAtStart;
    const outcome = this.attempt(line, () =>
      world.open(node, startsOf(this.protocol, node, this.instanceOf(node), header.live && storedIn(line))),
    );
    if (asksForSomething(outcome)) this.beginnings.set(node, outcome);
    this.compareState(line, {});
  }

  /** A message, a timer, a command, or what a node is notified of a link. */
  take(line: StepLine): void {
    const { node: id, role, event, kind } = line;
    const { world } = this;
    const packet = kind === 'deliver' ? this.packetOf(line) : undefined;
    if (!this.started.has(id)) throw new Impossible(`${id} takes a step before it starts`);
    const before = this.viewOf(id);
    if (role === undefined || !(role in before))
      throw new Impossible(`${id} has no role "${role}" that could receive ${event.type}`);
    this.now = typeof event['at'] === 'number' && this.protocol.network.time ? event['at'] : line.at;
    this.answers = [...(line.drawn ?? [])];
    this.asked = 0;
    const { timer } = event;
    const isTaken = this.attempt(line, () => {
      if (packet) return world.make({ deliver: packet.id });
      if (kind === 'timer') return world.make({ timer: [id, role, timer!] });
      return world.dispatch({ kind, node: id, event });
    });
    if (!isTaken && kind === 'timer') throw new Impossible(`the timer ${timer} of ${id} expires, but it was not armed`);
    if (this.steps.length === 0) throw new Impossible(`${id} cannot receive ${text(event)} in its state`);
    if (this.answers.length > 0)
      throw new Impossible(
        `for ${event.type}, ${id} draws fewer random numbers than the record has: ${this.answers.length} are left`,
      );
    this.compare(line, before);
  }

  /** A crash, a restart, a start again; or a state from outside, with the timers that are armed in it. */
  applyFault(line: StepLine): void {
    const { node, kind, event, at } = line;
    // A line of an inspector about a live node that stopped reporting does not change the node.
    if (event.type !== kind) return;
    const before = this.viewOf(node);
    this.now = at;
    if (kind === 'crash' || kind === 'restart' || kind === 'reload') this.world.perform({ do: kind, node });
    else if (kind === 'corrupt') this.world.put(node, kind, viewAfter(before, line.roles), ordersOf(line));
    if (this.steps.length === 0) throw new Impossible(`${node} cannot ${kind} in its state`);
    this.compare(line, before);
  }

  /** A message appears, disappears or is doubled, or a channel changes. */
  happen(line: NetworkLine): void {
    const { kind, message = -1, between, up, event } = line;
    const [from, to] = between ?? ['', ''];
    if (kind === 'channel') this.setChannel(from, to, up ?? false);
    if (kind === 'placed' && event) this.place(message, from, to, event);
    const packet = this.packets.get(message);
    if (kind === 'lost' && packet) {
      this.packets.delete(message);
      this.world.traffic.lose(packet, 'loss');
    } else if (kind === 'lost') this.predicted.push(line);
    if (kind !== 'duplicated' || !event) return;
    if (this.likeOf(from, to, event)) this.place(message, from, to, event);
    else this.predicted.push(line);
  }

  /** A node is notified of a channel: of its peer by name, or by a port that the line or the topology gives to one. */
  receive({ node, event, peer }: StepLine): void {
    const reported = event['peer'];
    const other = typeof reported === 'string' ? reported : peer;
    if (other === undefined || !this.world.nodes.has(node)) return;
    this.setChannel(node, other, event.type === 'link.up');
    if (typeof reported === 'number') this.world.links.plugIn(node, other, reported);
  }

  private setChannel(from: NodeId, to: NodeId, up: boolean): void {
    const isNew = this.world.links.set(from, to, up);
    if (isNew && !this.header.live && this.protocol.network.reach === 'routed') this.world.traffic.reroute();
  }

  private place(id: number, from: NodeId, to: NodeId, message: Message): void {
    const known = this.header.start && this.likeOf(from, to, message, true);
    if (!known) this.world.traffic.place(from, to, message, 0);
    this.packets.set(id, known || this.launched!);
  }

  /** An equal message in flight on a channel; `isUnnumbered`: one that has no number in the record yet. */
  private likeOf(from: NodeId, to: NodeId, message: Message, isUnnumbered = false): Packet | undefined {
    const announced = new Set<Flight>(this.packets.values());
    const isLike = (packet: Flight) => text(packet.message) === text(message) && announced.has(packet) !== isUnnumbered;
    return this.world.flights.between(from, to).find(isLike);
  }

  private packetOf({ node, message, event }: StepLine): Packet {
    const packet = this.packets.get(message ?? -1);
    if (!packet || packet.to !== node)
      throw new Impossible(`message #${message} arrives at ${node}, but it was not in flight to ${node}`);
    const { from } = event;
    if (typeof from === 'string' && from !== packet.from)
      throw new Impossible(`message #${message} is from ${packet.from}, not from ${from}`);
    if (text(asSent(event)) !== text(asSent(packet.message)))
      throw new Impossible(
        `message #${message} contains ${JSON.stringify(packet.message)}, but the record has ${JSON.stringify(event)}`,
      );
    this.packets.delete(message!);
    return packet;
  }

  private viewOf(node: NodeId): NodeView {
    return this.world.nodes.get(node)?.view() ?? {};
  }

  // Comparison of the actual and the recorded result.

  private compare(line: StepLine, before: NodeView): void {
    const step = this.steps.shift()!;
    const { node, event, kind } = line;
    if (step.node !== node || step.kind !== kind)
      throw new Impossible(`in the next step, ${step.node} ${inWords(step.kind)}, but in the record ${node} ${inWords(kind)}`);
    if (step.role !== undefined && line.role !== step.role)
      throw new Impossible(`${node} receives ${event.type} in role "${step.role}", but the record has role "${line.role}"`);
    this.compareState(line, before);
    this.compareSent(line, step);
    const [ours, theirs] = [text(step.emitted), text(line.emitted)];
    if (ours !== theirs)
      throw new Impossible(`for ${event.type}, ${node} sends the notifications ${ours}, but the record has ${theirs}`);
    const orders = text(step.timers.map(({ role, timer, delay }) => [role, timer, delay]));
    if (orders !== text(line.timers ?? []))
      throw new Impossible(`for ${event.type}, ${node} sets the timers ${orders}, but the record has ${text(line.timers ?? [])}`);
    const [open] = this.predicted;
    this.predicted = [];
    if (open) throw new Impossible(`message #${open.message} is ${open.kind} in the record, but it was not in flight`);
  }

  private compareState({ node, roles, event }: StepLine, before: NodeView): void {
    const recorded = viewAfter(before, roles);
    const actual = this.viewOf(node);
    for (const role of new Set([...Object.keys(actual), ...Object.keys(recorded)])) {
      const [theirs, ours] = [text(recorded[role] ?? null), text(actual[role] ?? null)];
      if (theirs !== ours)
        throw new Impossible(`after ${event.type}, role "${role}" of ${node} is ${ours}, but the record has ${theirs}`);
    }
  }

  private compareSent({ node, event, sent }: StepLine, step: StepTaken): void {
    const ours = [...(step.sent as readonly Packet[])];
    for (const { id, to, message } of sent) {
      const packet = ours[0];
      if (packet && packet.to === to && text(packet.message) === text(message)) {
        ours.shift();
        if (this.packets.has(id)) throw new Impossible(`message #${id} is sent twice`);
        if (this.world.flights.get(packet.id)) this.packets.set(id, packet);
      } else if (!this.header.live || this.world.nodes.has(to))
        throw new Impossible(
          packet
            ? `for ${event.type}, ${node} sends ${text(packet.message)} to ${packet.to}, but the record has ${text(message)} to ${to}`
            : `for ${event.type}, ${node} does not send ${text(message)} to ${to}, which the record has`,
        );
    }
    const [left] = ours;
    if (left)
      throw new Impossible(`for ${event.type}, ${node} sends ${text(left.message)} to ${left.to}, which the record lacks`);
  }

  // Around the world.

  private driver(): WorldDriver {
    const nothing = () => {};
    return {
      now: () => this.now,
      draw: (bound) => this.answer(bound),
      corrupt: (bound) => this.answer(bound),
      fate: () => this.fate(),
      launched: (packet) => void (this.launched = packet),
      armed: (node, { role, timer }, delay) => void this.deadlines.set(timerKey(node, role, timer), this.now + delay),
      left: (node, { role, timer }) => this.deadlines.get(timerKey(node, role, timer))! - this.now,
      landed: nothing,
      disarmed: nothing,
      reactionPending: nothing,
      turn: nothing,
      done: nothing,
      released: nothing,
      emptied: nothing,
      slow: nothing,
      returning: nothing,
    };
  }

  private witness(): Witness {
    const nothing = () => {};
    return {
      step: (step) => void this.steps.push(step),
      lost: ({ flight, why }) => {
        if (why === 'no route') this.fulfill((line) => line.kind === 'lost' && isOf(line, flight));
      },
      duplicated: (flight) => {
        const line = this.fulfill((one) => one.kind === 'duplicated' && isOf(one, flight));
        if (line) this.packets.set(line.message!, this.launched!);
      },
      started: nothing,
      placed: nothing,
      channel: nothing,
      refused: nothing,
    };
  }

  private answer(bound: number): number {
    this.asked++;
    const value = this.answers.shift();
    if (value === undefined || value < 0 || value >= bound)
      throw new Impossible(`random number ${this.asked} of the step must be below ${bound}, but the record has ${value}`);
    return value;
  }

  /** The fate of the message sent just now, according to the record. */
  private fate(): Fate {
    const isThis = (line: NetworkLine) => line.why !== 'no route' && isOf(line, this.launched!);
    const found = this.predicted.find(isThis);
    if (!found) return 'kept';
    if (found.kind === 'duplicated') return 'doubled';
    this.fulfill((line) => line === found);
    return 'lost';
  }

  private fulfill(isIt: (line: NetworkLine) => boolean): NetworkLine | undefined {
    const line = this.predicted.find(isIt);
    this.predicted = this.predicted.filter((other) => other !== line);
    return line;
  }

  private attempt<T>({ node, event }: StepLine, run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof Impossible) throw error;
      throw new Impossible(`${node} fails when it receives ${text(event)}: ${thrownText(error).replaceAll('\n', ' ')}`);
    }
  }
}

const isOf = ({ between, event }: NetworkLine, { from, to, message }: Flight): boolean =>
  between?.[0] === from && between[1] === to && text(event) === text(message);

const IN_WORDS: Readonly<Record<string, string>> = {
  start: 'starts',
  deliver: 'receives a message',
  command: 'receives a command',
  timer: 'has a timeout',
};

const inWords = (kind: StepLine['kind']): string => IN_WORDS[kind] ?? `has the event ${kind}`;

/** A message without what the host of its receiver added. */
function asSent(message: Message): unknown {
  const { from: _, at: __, ...sent }: Message & { readonly from?: unknown; readonly at?: unknown } = message;
  return sent;
}

const ordersOf = ({ timers = [] }: StepLine): readonly TimerOrder[] =>
  timers.map(([role, timer, delay]) => ({ role, timer, delay }));
