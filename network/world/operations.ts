/**
 * The execution of a chart's guards and actions: the only part of XState that is implemented a second time.
 *
 * A step from memory (`remembering.ts`) is a sequence of these. Each receives the context and the event as XState would pass them. It
 * returns the result that the path may depend on: a guard its value, an action whether it assigned and which events it raised.
 */
import type { Message } from '../../machines/effects.js';
import { EMIT, type Collector } from './kernel.js';

export type GuardAnswer = boolean | string;
/** A guard or an action of a chart, as a function of the step that is repeated from memory. */
export type Operation = (run: Run) => GuardAnswer;
export type Params = ((args: Args) => unknown) | undefined;
type Computed = (args: Args, params: unknown) => any;

/** The arguments of a guard or an action: the context and the event. If it uses anything else, XState takes the step. */
export class Args {
  constructor(
    readonly context: any,
    readonly event: Message,
  ) {}

  get self(): never {
    return beyondMemory();
  }
  get system(): never {
    return beyondMemory();
  }
  get spawn(): never {
    return beyondMemory();
  }
}

function beyondMemory(): never {
  throw new Error('internal: only XState can take this step');
}

/** The execution of one step that is repeated from memory: its events, assignments and effects. */
export class Run {
  args: Args;
  /** The event of the step, and those that were raised in it. */
  readonly events: Message[];
  private current = 0;

  constructor(
    context: unknown,
    event: Message,
    readonly asked: Collector | null,
  ) {
    this.args = new Args(context, event);
    this.events = [event];
  }

  turnTo(event: number): void {
    if (event === this.current) return;
    this.current = event;
    this.args = new Args(this.args.context, this.events[event]!);
  }

  assign(context: unknown): void {
    this.args = new Args(context, this.args.event);
  }
}

const ASSIGNED = '\n';

/** The result of an action that the path may depend on: whether it assigned, and the types of the events that it raised. */
export const answerOf = (hasAssigned: boolean, raised: readonly Message[]): string =>
  (hasAssigned ? ASSIGNED : '') + raised.map(({ type }) => type).join('\n');

export const asking =
  (guard: Computed, params: Params): Operation =>
  ({ args }) =>
    Boolean(guard(args, params?.(args)));

function isEmpty(assigned: object): boolean {
  for (const _ in assigned) return false;
  return true;
}

export function assigning(assignment: Computed | Readonly<Record<string, unknown>>, params: Params): Operation {
  if (typeof assignment === 'function') {
    return (run) => {
      const { args } = run;
      const assigned = assignment(args, params?.(args));
      // Contexts are immutable, so an equal one is not copied.
      if (!isEmpty(assigned)) run.assign(Object.assign({}, args.context, assigned));
      return ASSIGNED;
    };
  }
  const entries = Object.entries(assignment);
  return (run) => {
    const { args } = run;
    const given = params?.(args);
    const context = { ...args.context };
    for (const [key, value] of entries) context[key] = typeof value === 'function' ? value(args, given) : value;
    run.assign(context);
    return ASSIGNED;
  };
}

export const raising =
  (event: Message | Computed, params: Params): Operation =>
  (run) => {
    const raised: Message = typeof event === 'function' ? event(run.args, params?.(run.args)) : event;
    run.events.push(raised);
    return raised.type;
  };

export const emitting =
  (event: Message | Computed, params: Params): Operation =>
  ({ args, asked }) => {
    asked!.add(EMIT, { event: typeof event === 'function' ? event(args, params?.(args)) : event });
    return '';
  };

export const performing =
  (type: string, params: Params): Operation =>
  ({ args, asked }) => {
    asked!.add(type, params?.(args));
    return '';
  };

export const enqueuing =
  (collect: Computed, params: Params, operationOf: (action: unknown) => Operation | undefined): Operation =>
  (run) => {
    const { args, events } = run;
    const queue: Operation[] = [];
    const add = (operation: Operation | undefined) => void queue.push(operation ?? beyondMemory);
    const enqueue = Object.assign((action: unknown) => add(operationOf(action)), {
      assign: (assignment: Computed) => add(assigning(assignment, undefined)),
      raise: (event: Message, options?: unknown) => add(options === undefined ? raising(event, undefined) : undefined),
      emit: (event: Message) => add(emitting(event, undefined)),
    });
    collect(Object.assign(new Args(args.context, args.event), { enqueue, check: beyondMemory }), params?.(args));
    const known = events.length;
    for (const operation of queue) operation(run);
    return answerOf(run.args.context !== args.context, events.slice(known));
  };

/** The chart receives another event within the step, such as one that was raised or XState's own event for a finished state. */
export const receiving =
  (event: Message): Operation =>
  ({ events }) => {
    events.push(event);
    return '';
  };
