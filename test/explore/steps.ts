/**
 * Local steps: what a node in a given local state does with a given event, found by running its real charts, and remembered.
 *
 * In all the states of a system few pairs of local state and event differ, so the interpreter runs some thousand times while
 * millions of transitions are looked up. A step has one outcome, or, when it draws, one for every way in which the draws can fall.
 * Remembering is sound because charts are pure; `audit` runs a sample of the steps again to catch those that are not.
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
import { Newcomer } from './newcomers.js';
import { LACKING, type Numbering } from './numbering.js';
import type { Packets } from './packets.js';
import { Replicas, type Incoming, type LocalStep } from './replicas.js';
import type { SearchedSystem } from './system.js';

/** What the hot loop does not need of an outcome. */
export interface OutcomeDetail {
  readonly drawn: readonly number[];
  readonly emitted: readonly Message[];
}

/** How many steps the audit runs again, and how often at most where they are few: a guard that rolls dice often says the same twice. */
const AUDITED = 64;
const TIMES_MAX = 16;

export class LocalSteps {
  readonly locals: Locals;
  readonly events: LocalEvents;
  readonly replicas: Replicas;
  /** For each step: its first outcome and how many there are. */
  readonly first = new Ints();
  readonly count = new Ints();
  /** For each outcome: the next local state, and where in `sent` its letters stand, in the order of sending. */
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
  /** What each step was found for. */
  private readonly causes: (readonly [local: number, key: number] | undefined)[] = [];
  /** What stands for a step that nobody has run yet: it has no outcomes. */
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
    this.replicas = new Replicas(system);
  }

  ofPacket(local: number, packet: number): number {
    const step = this.known.get(local, 2 * packet);
    return step === -1 ? this.find(local, 2 * packet) : step;
  }

  ofEvent(local: number, event: number): number {
    const step = this.known.get(local, 2 * event + 1);
    return step === -1 ? this.find(local, 2 * event + 1) : step;
  }

  /** What becomes of an event for a node that has crashed: it is no longer owed. */
  ofIgnored(local: number, event: number): number {
    const known = this.ignored.get(local, event);
    if (known !== -1) return known;
    if (!this.numbering.isOpen) throw LACKING;
    const value = this.replicas.ignore(this.locals.get(local), this.incoming(2 * event + 1));
    const step = this.record([{ value, drawn: [] }]);
    this.ignored.set(local, event, step);
    return step;
  }

  /** How a node can start. */
  ofStart(node: number, instance: Instance): number {
    const roles = this.system.protocol.roles(this.system.nodes[node]!, instance);
    const key = `${node} ${plainKeyOf(roles) ?? this.starts.size}`;
    const known = this.starts.get(key);
    if (known !== undefined) return known;
    const step = this.record([...everyDraw((choose) => this.replicas.start(node, roles, choose), 'it')]);
    this.starts.set(key, step);
    return step;
  }

  /** The timers, reactions and unlimited commands that can be next in a local state. */
  enabled(local: number): readonly number[] {
    return (this.enabledIn[local] ??= this.findEnabled(local));
  }

  /** Looks at each outcome: the packet that it answers, -1 where it answers none, and the letters that it sends. */
  eachOutcome(look: (outcome: number, answered: number, outgoing: Int32Array) => void): void {
    for (let step = 0; step < this.first.length; step++) {
      const key = this.causes[step]?.[1] ?? -1;
      const answered = key % 2 === 0 ? key / 2 : -1;
      const first = this.first.data[step]!;
      for (let outcome = first; outcome < first + this.count.data[step]!; outcome++) {
        const at = this.sentAt.data[outcome]!;
        look(outcome, answered, this.sent.data.subarray(at, at + this.sentCount.data[outcome]!));
      }
    }
  }

  /** True if the chart has a transition for this event now. */
  accepts(local: number, event: number): boolean {
    const known = this.accepted.get(local, event);
    if (known !== -1) return known === 1;
    const accepts = this.replicas.accepts(this.locals.get(local), this.events.get(event).event);
    this.accepted.set(local, event, accepts ? 1 : 0);
    return accepts;
  }

  /** Has XState itself run a sample of the steps again; a difference means that something in a chart is not pure. */
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
    this.replicas.forget();
    const again = byXState(() => this.run(...cause));
    if (this.isRepeated(step, again)) return;
    const { node } = this.locals.get(cause[0]);
    throw new ProtocolError(
      `node ${this.system.nodes[node]}: two runs of the same step for "${this.incoming(cause[1]).event.type}" differ; ` +
        'guards, assigns and parameters must depend on context and event alone',
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
    return [...everyDraw((choose) => this.replicas.take(from, incoming, choose), 'it')];
  }

  private incoming(key: number): Incoming {
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

  /** Where two nodes bring in the same one, the network links it to the sooner of them, and that is not a part of a state. */
  private meet(newcomer: NodeId | undefined, node: number): void {
    const { instance, nodes, newcomers } = this.system;
    if (newcomer === undefined) return;
    const id = nodes[node]!;
    if (instance.rank(newcomer) < 0) throw new Newcomer(newcomer, id);
    const by = newcomers.get(newcomer) ?? id;
    if (by === id) return;
    const cure = `to be checked, "${newcomer}" must stand in the topology`;
    throw new ProtocolError(`node ${id} brings in "${newcomer}" as ${by} does; ${cure}`);
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
    const enabled = timers.map(([role, timer]) =>
      this.events.intern({ node, kind: 'timer', event: { type: 'timer', timer } as Message, role, timer }),
    );
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
