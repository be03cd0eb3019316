/**
 * The questions that searches and runs put to the charts of a protocol, each once, so that a mutant can be compared.
 *
 * A chart is deterministic. A node behaves the same with a mutant as with the chart if every start, every step, and every test whether an
 * event is taken has the same result. A mutant with the same results for all questions of a search therefore has the same graph of states
 * and transitions there, and no property can distinguish the two in that search.
 */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Effect, Message } from '../../machines/effects.js';
import type { Protocol, RoleView } from '../../machines/protocol.js';
import { byXState } from '../../network/world/kernel.js';
import { begin, macrostep, restore, takesEvent, type Stepped } from '../../network/world/remembering.js';
import { jsonKey } from '../explore/json.js';

/** To start, to take an event in a state, or whether one is taken there. */
type Question =
  | { readonly kind: 'start'; readonly input: unknown }
  | { readonly kind: 'step' | 'accept'; readonly value: RoleView['value']; readonly context: unknown; readonly event: Message };

interface Asked {
  readonly question: Question;
  /** The chart's own answer, computed for the first mutant. */
  answer?: string;
}

/** The questions that runs have put to the charts of one protocol. */
export class TakenSteps {
  private readonly asked = new Map<string, Map<string, Asked>>();

  constructor(private readonly protocol: Protocol) {}

  /** Records the questions of `run` to a protocol that behaves like the original. */
  during<T>(run: (protocol: Protocol) => T): T {
    const charts = Object.entries(this.protocol.charts).map(([name, chart]) => [name, this.listening(name, chart)]);
    return byXState(() => run({ ...this.protocol, charts: Object.fromEntries(charts) }));
  }

  /** The number of different questions to a chart. */
  count(chart: string): number {
    return this.asked.get(chart)?.size ?? 0;
  }

  /** True if a mutant of the chart has the same answers to all of them. */
  areSameOn(chart: string, mutant: AnyStateMachine): boolean {
    const original = this.protocol.charts[chart]!;
    for (const asked of this.asked.get(chart)?.values() ?? []) {
      asked.answer ??= this.answer(original, asked.question);
      if (asked.answer !== this.answer(mutant, asked.question)) return false;
    }
    return true;
  }

  private listening(name: string, chart: AnyStateMachine): AnyStateMachine {
    const known = this.asked.get(name) ?? new Map<string, Asked>();
    this.asked.set(name, known);
    const note = (question: Question): void => {
      const key = jsonKey(question, `what chart ${name} is asked`);
      if (!known.has(key)) known.set(key, { question });
    };
    const noteEvent = (kind: 'step' | 'accept', { value, context }: AnyMachineSnapshot, event: Message): void =>
      note({ kind, value, context, event });
    const copy = chart.provide({}) as AnyStateMachine;
    const { getInitialSnapshot, transition, getTransitionData } = copy;
    copy.getInitialSnapshot = (scope, input) => {
      note({ kind: 'start', input });
      return getInitialSnapshot.call(copy, scope, input);
    };
    copy.transition = (snapshot, event, scope) => {
      noteEvent('step', snapshot as AnyMachineSnapshot, event as Message);
      return transition.call(copy, snapshot, event, scope);
    };
    copy.getTransitionData = (snapshot, event) => {
      noteEvent('accept', snapshot as AnyMachineSnapshot, event as Message);
      return getTransitionData.call(copy, snapshot, event);
    };
    return copy;
  }

  private answer(machine: AnyStateMachine, question: Question): string {
    try {
      if (question.kind === 'start') return this.textOf(begin(machine, question.input));
      const { kind, event } = question;
      const snapshot = restore(machine, question);
      return kind === 'accept' ? `${takesEvent(machine, snapshot, event)}` : this.textOf(macrostep(machine, snapshot, event));
    } catch {
      return 'throws';
    }
  }

  private textOf({ snapshot: { value, context }, effects }: Stepped): string {
    return jsonKey([value, context, ...this.asPerformed(effects)], 'the answer of a chart');
  }

  /**
   * The effects of a step in a node: messages, timers, events within the node after the step, and notifications, each in its order. An
   * opened role may cause all of them immediately.
   */
  private asPerformed(effects: readonly Effect[]): readonly (readonly Effect[])[] {
    const isWired = this.protocol.wiring !== undefined;
    const within = ['tell', 'draw', 'store', 'close', ...(isWired ? ['send', 'emit'] : [])];
    const kinds = [['send'], ['arm', 'disarm', 'close'], within, ['emit']];
    return kinds.map((kind) => effects.filter(({ type }) => type === 'open' || kind.includes(type)));
  }
}
