/**
 * Local steps: the reaction of a node in a given local state to a given event. A step is found by running the node's production charts,
 * and is then cached.
 *
 * A system has few different pairs of local state and event, so the interpreter runs some thousand times while millions of transitions
 * are looked up. A step has one outcome, or, if it draws, one for every sequence of answers. Caching is sound because charts are pure;
 * `audit` repeats a sample of the steps to detect charts that are not.
 */
import { byXState } from '../../network/world/kernel.js';
import type { Message, NodeId } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import type { Instance } from '../../machines/protocol.js';
import { everyDraw } from './draws.js';
import { LocalEvents } from './events.js';
import { Ints, PairMap } from './ints.js';
import { plainKeyOf } from './json.js';
import type { OutgoingMessages } from './outgoing-messages.js';
import { Locals } from './locals.js';
import { nodeJoins } from './restart.js';
import { NOT_NUMBERED, type Numbering } from './numbering.js';
import type { Packets } from './packets.js';
import { RestorableNodes, type IncomingEvent, type LocalStep } from './restorable-nodes.js';
import type { SearchedSystem } from './system.js';

/** Details of an outcome that the hot loop does not need. */
export interface OutcomeDetail {
  readonly drawn: readonly number[];
  readonly emitted: readonly Message[];
}

/**
 * Number of steps that the audit repeats, and the maximum number of repetitions of each. A random guard often gives the same
 * result twice.
 */
const AUDITED = 64;
const TIMES_MAX = 16;

export class LocalSteps {
  readonly locals: Locals;
  readonly events: LocalEvents;
  readonly nodes: RestorableNodes;
  /** For each step, its first outcome and the number of its outcomes. */
  readonly first = new Ints();
  readonly count = new Ints();
  /** For each outcome, the next local state, and the range in `sent` of the messages that it sends, in the order of sending. */
  readonly next = new Ints();
  readonly sentAt = new Ints();
  readonly sentCount = new Ints();
  readonly sent = new Ints();
  readonly details: OutcomeDetail[] = [];
  /** True if any step draws. */
  branches = false;
  private readonly known = new PairMap();
  private readonly accepted = new PairMap();
  private readonly ignored = new PairMap();
  private readonly starts = new Map<string, number>();
  /** The local state and event of each step. */
  private readonly causes: (readonly [local: number, key: number] | undefined)[] = [];
  /** A step without outcomes, which represents steps that have not been run yet. */
  private readonly unknown: number;
  private readonly enabledIn: (readonly number[] | undefined)[] = [];

  constructor(
    private readonly system: SearchedSystem,
    private readonly packets: Packets,
    private readonly outgoing: OutgoingMessages,
    private readonly numbering: Numbering,
  ) {
    this.locals = new Locals(system.nodes, numbering);
    this.events = new LocalEvents(system.nodes, numbering);
    this.unknown = this.record([]);
    this.nodes = new RestorableNodes(system);
  }

  ofPacket(local: number, packet: number): number {
    const step = this.known.get(local, 2 * packet);
    return step === -1 ? this.find(local, 2 * packet) : step;
  }

  ofEvent(local: number, event: number): number {
    const step = this.known.get(local, 2 * event + 1);
    return step === -1 ? this.find(local, 2 * event + 1) : step;
  }

  /** The step of a crashed node for one of its pending events: the event is no longer pending. */
  ofIgnored(local: number, event: number): number {
    const known = this.ignored.get(local, event);
    if (known !== -1) return known;
    if (!this.numbering.isOpen) throw NOT_NUMBERED;
    const value = this.nodes.ignore(this.locals.get(local), this.incoming(2 * event + 1));
    const step = this.record([{ value, drawn: [] }]);
    this.ignored.set(local, event, step);
    return step;
  }

  ofStart(node: number, instance: Instance): number {
    const roles = this.system.protocol.roles(this.system.nodes[node]!, instance);
    const key = `${node} ${plainKeyOf(roles) ?? this.starts.size}`;
    const known = this.starts.get(key);
    if (known !== undefined) return known;
    const step = this.record([...everyDraw((choose) => this.nodes.start(node, roles, choose), 'the chart')]);
    this.starts.set(key, step);
    return step;
  }

  /** The timers, reactions and unlimited commands that can happen next in a local state. */
  enabled(local: number): readonly number[] {
    return (this.enabledIn[local] ??= this.findEnabled(local));
  }

  /** True if the chart has a transition for this event. */
  accepts(local: number, event: number): boolean {
    const known = this.accepted.get(local, event);
    if (known !== -1) return known === 1;
    const accepts = this.nodes.accepts(this.locals.get(local), this.events.get(event).event);
    this.accepted.set(local, event, accepts ? 1 : 0);
    return accepts;
  }

  /** Repeats a sample of the steps with XState itself. A difference means that some chart is not pure. */
  audit(): void {
    const stride = Math.ceil(this.causes.length / AUDITED);
    const times = Math.min(TIMES_MAX, Math.ceil((4 * AUDITED) / this.causes.length));
    for (let time = 0; time < times; time++) {
      for (let step = 0; step < this.causes.length; step += stride) {
        const cause = this.causes[step];
        if (cause) this.repeat(step, cause);
      }
    }
  }

  private repeat(step: number, cause: readonly [local: number, key: number]): void {
    this.nodes.forget();
    const again = byXState(() => this.run(...cause));
    if (this.isRepeated(step, again)) return;
    const { node } = this.locals.get(cause[0]);
    throw new ProtocolError(
      `node ${this.system.nodes[node]}: two runs of the step for "${this.incoming(cause[1]).event.type}" differ. ` +
        'Make guards, assigns and params depend only on context and event.',
    );
  }

  private find(local: number, key: number): number {
    if (!this.numbering.isOpen) {
      this.numbering.miss(local, key);
      return this.unknown;
    }
    const step = this.record(this.run(local, key));
    this.packets.checkSenders();
    this.known.set(local, key, step);
    this.causes[step] = [local, key];
    return step;
  }

  private run(local: number, key: number): { value: LocalStep; drawn: readonly number[] }[] {
    const from = this.locals.get(local);
    const incoming = this.incoming(key);
    return [...everyDraw((choose) => this.nodes.take(from, incoming, choose), 'the chart')];
  }

  private incoming(key: number): IncomingEvent {
    if (key % 2 === 1) {
      const { event, role, reaction, timer, kind } = this.events.get((key - 1) / 2);
      return { event, role, timer, reaction, reloads: kind === 'reload' };
    }
    return { event: this.packets.event(key / 2) };
  }

  private record(outcomes: readonly { value: LocalStep; drawn: readonly number[] }[]): number {
    const step = this.first.push(this.next.length);
    this.count.push(outcomes.length);
    if (outcomes.length > 1) this.branches = true;
    for (const { value, drawn } of outcomes) {
      for (const notification of value.emitted) this.meet(this.system.protocol.newcomer?.(notification), value.local.node);
      this.next.push(this.locals.intern(value.local));
      this.sentAt.push(this.sent.length);
      this.sentCount.push(value.sends.length);
      for (const { to, message } of value.sends) this.sent.push(this.outgoing.intern(value.local.node, to, message));
      this.details.push({ drawn, emitted: value.emitted });
    }
    return step;
  }

  /**
   * Checks a node that a notification announces. If two nodes announce the same one, the network links it to the first, and
   * states do not contain which that is.
   */
  private meet(newcomer: NodeId | undefined, node: number): void {
    const { instance, nodes, newcomers } = this.system;
    if (newcomer === undefined) return;
    const id = nodes[node]!;
    if (instance.rank(newcomer) < 0) throw nodeJoins(newcomer, id);
    const by = newcomers.get(newcomer) ?? id;
    if (by === id) return;
    throw new ProtocolError(`Nodes ${id} and ${by} both announce "${newcomer}". Add "${newcomer}" to the topology to check it.`);
  }

  private isRepeated(step: number, outcomes: readonly { value: LocalStep }[]): boolean {
    if (outcomes.length !== this.count.data[step]) return false;
    return outcomes.every(({ value: { local, sends } }, i) => {
      const outcome = this.first.data[step]! + i;
      const at = this.sentAt.data[outcome]!;
      return (
        this.locals.intern(local) === this.next.data[outcome] &&
        sends.length === this.sentCount.data[outcome] &&
        sends.every(({ to, message }, j) => this.outgoing.intern(local.node, to, message) === this.sent.data[at + j])
      );
    });
  }

  private findEnabled(local: number): readonly number[] {
    const { node, timers, reactions } = this.locals.get(local);
    const enabled = timers.map(([role, timer]) => {
      const event = { type: 'timer', timer };
      return this.events.intern({ node, kind: 'timer', event, role, timer });
    });
    for (const reaction of new Set(reactions)) {
      const { event } = this.system.reactions[reaction]!;
      enabled.push(this.events.intern({ node, kind: 'reaction', event, reaction }));
    }
    for (const { name, event, node: only } of this.system.unlimited) {
      if (only !== undefined && only !== this.system.nodes[node]) continue;
      const command = this.events.intern({ node, kind: 'command', event, name });
      if (this.accepts(local, command)) enabled.push(command);
    }
    return enabled;
  }
}
