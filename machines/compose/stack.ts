/**
 * Stacking: the notice of one part issues a command to another part of the same node.
 *
 * A command waits in the role `stack` until its chart accepts it. It is taken in a separate step, by a timer without delay. The account and
 * the properties of a part therefore see each command like a command of an application.
 *
 * States:
 *
 *   idle    no command in the queue is accepted, or the queue is empty
 *   armed   a command is accepted, and the timer is armed for it
 *   due     the timer expired: within the step the command is taken, or parked because its chart no longer accepts it
 * Invariant between two steps: the state is not `due`, and in `idle` no command in the queue is accepted by its chart.
 */
import { assign, setup } from 'xstate';
import { arm, chartTypes, effects, type Message, type NodeId } from '../effects.js';
import { isIntegerOf } from '../checks.js';
import { UsageError } from '../errors.js';
import type { ChartSamples, Command, Configuration, NodeView, Property, RoleView, Step } from '../protocol.js';
import type { Part } from './parts.js';

/**
 * One line of a stack: the notice `on` of one part issues the command `do` of another.
 *
 * @public
 */
export interface StackRule {
  /** The part and its notice, as in `lead.leader`. */
  readonly on: string;
  /** The part and its command, as in `lock.request`. */
  readonly do: string;
  /** True if this notice at this node issues the command. @defaultValue always */
  when?(notice: any, node: NodeId): boolean;
  /** The fields of the command. @defaultValue none */
  fields?(notice: any, node: NodeId): Readonly<Record<string, unknown>>;
}

export const STACK = 'stack';

export interface StackContext {
  /** Pending commands, oldest first, each with its part's prefix. */
  readonly queue: readonly Message[];
  /** True if the last command that was due was parked. */
  readonly isParked: boolean;
}

type Indexed = { readonly index: number };

type StackEvent =
  | { readonly type: 'issue'; readonly command: Message }
  | ({ readonly type: 'ready' | 'turn' } & Indexed)
  | { readonly type: 'park' | 'timer' };

/** Name of the timer that is armed for a command. */
const timerOf = (command: Message): string => JSON.stringify(command);

/** The chart of the role `stack`: keeps commands until their part accepts them. */
export const stackMachine = setup({
  types: chartTypes<{ context: StackContext; events: StackEvent }>(),
  actions: {
    ...effects(),
    enqueue: assign(({ context }, { command }: { readonly command: Message }) => ({ queue: [...context.queue, command] })),
    take: assign(({ context }, { index }: Indexed) => ({ queue: context.queue.toSpliced(index, 1), isParked: false })),
    park: assign({ isParked: true }),
  },
}).createMachine({
  id: 'stack',
  context: { queue: [], isParked: false },
  initial: 'idle',
  on: { issue: { actions: { type: 'enqueue', params: ({ event }) => event } } },
  states: {
    idle: {
      on: {
        ready: {
          target: 'armed',
          actions: arm(({ context, event }) => ({ timer: timerOf(context.queue[event.index]!), delay: 0 })),
        },
      },
    },
    armed: { on: { timer: 'due' } },
    due: {
      on: {
        turn: { target: 'idle', actions: { type: 'take', params: ({ event }) => event } },
        park: { target: 'idle', actions: 'park' },
      },
    },
  },
});

/** Events for generated tests of the stack: up to two commands wait. */
export const stackSamples: readonly ChartSamples[] = [
  {
    input: undefined,
    events: ({ queue }: StackContext) => [
      ...(queue.length < 2 ? [{ type: 'issue', command: { type: 'x' } }] : []),
      ...(queue.length > 0 ? ['ready', 'turn'].map((type) => ({ type, index: 0 })) : []),
      { type: 'timer' },
      { type: 'park' },
    ],
  },
];

/** Next action of a node's stack within a step: an event for its chart, and the command that is taken with it. */
export function nextOfStack(
  { value, context }: RoleView<StackContext>,
  accepts: (command: Message) => boolean,
): { readonly event: Message; readonly command?: Message } | null {
  if (value === 'armed') return null;
  const index = context.queue.findIndex(accepts);
  const isIdle = value === 'idle';
  if (index < 0) return isIdle ? null : { event: { type: 'park' } };
  const event = { type: isIdle ? 'ready' : 'turn', index };
  return isIdle ? { event } : { event, command: context.queue[index]! };
}

/** Command that was taken in a step of the stack; `null` if none. */
export function commandTaken({ role, event }: Step, view: Readonly<Record<string, RoleView>> | undefined): Message | null {
  const stack: StackContext | undefined = view?.[STACK]?.context;
  return role === STACK && stack?.isParked === false ? JSON.parse(event['timer']) : null;
}

/** True if the stack of a node waits for its parts, and not for its timer. */
export const isStackAtRest = (view: NodeView): boolean => view[STACK]?.value !== 'armed';

/**
 * Properties: each command that a notice has issued is eventually taken.
 *
 * Applications may go on forever, so a queue need not become empty. But a run that repeats states takes as many commands as it issues:
 * if no command is taken, the number of commands stays the same. One property watches odd numbers, one watches even ones. A command that
 * is passed by others of its name, with other fields, is not found.
 */
export const everyCommandIsTaken = (rules: readonly StackRule[]): readonly Property[] =>
  [...new Set(rules.map((rule) => rule.do))].flatMap((type) =>
    ['', ', also behind another'].map((place, rest): Property => {
      const waits = (c: Configuration, node: NodeId): boolean => {
        const stack: StackContext | undefined = c.nodes.get(node)?.[STACK]?.context;
        const number = stack?.queue.filter((command) => command.type === type).length ?? 0;
        return number > 0 && number % 2 !== rest;
      };
      return {
        name: `every ${type} of the stack is taken${place}`,
        description: `A node does not keep the same ${['odd', 'even'][rest]} number of waiting ${type} commands forever.`,
        kind: 'eventually',
        when: waits,
        holds: (c, node) => !waits(c, node),
      };
    }),
  );

/** The commands that a notice, with its part's prefix, issues at a node. */
export function issuedBy(rules: readonly StackRule[], parts: readonly Part[], notice: Message, node: NodeId): readonly Message[] {
  return rules.flatMap((rule, index) => {
    if (rule.on !== notice.type) return [];
    const inner = partOf(parts, rule.on)!.innerMessage(notice);
    if (rule.when?.(inner, node) === false) return [];
    const part = partOf(parts, rule.do)!;
    const command = part.protocol.commands[part.inner(rule.do)]!;
    const given = rule.fields?.(inner, node) ?? {};
    const wrong = command.fields?.find((field) => !isGiven(given[field.name], field));
    if (wrong)
      throw new UsageError(
        `stack[${index}].fields: the ${wrong.name} for ${rule.do} is ${JSON.stringify(given[wrong.name])} after ${rule.on} at ${node}. Return ${wrong.type === 'node' ? 'the id of a node' : 'an integer'}`,
      );
    return [part.outerMessage(command.event(given))];
  });
}

type Field = NonNullable<Command['fields']>[number];

function isGiven(value: unknown, { type, min = Number.MIN_SAFE_INTEGER, optional = false }: Field): boolean {
  if (value === undefined) return optional;
  return type === 'node' ? typeof value === 'string' : isIntegerOf(value, min);
}

export const partOf = (parts: readonly Part[], name: string): Part | undefined => parts.find((part) => part.owns(name));

/** Rejects rules with unknown names, and rules that form a cycle. */
export function checkStack(rules: unknown, parts: readonly Part[], complain: (why: string) => never): readonly StackRule[] {
  if (!Array.isArray(rules)) complain("stack is not a list. Pass rules, as in [{ on: 'lead.leader', do: 'lock.request' }]");
  const checked: readonly StackRule[] = rules;
  for (const [index, rule] of checked.entries()) {
    checkRule(rule, `stack[${index}]`, parts, complain);
    const same = checked.slice(0, index).findIndex((other) => RULE_KEYS.every((key) => other[key] === rule[key]));
    if (same >= 0)
      complain(`stack[${index}] repeats stack[${same}], so ${rule.on} would issue ${rule.do} twice. Remove one of them`);
  }
  const circle = circleOf(checked, parts);
  if (circle)
    complain(
      `stack contains a cycle: ${circle.join(' → ')}. A part must not command itself, directly or through others. Remove one of these rules`,
    );
  return checked;
}

const RULE_KEYS: readonly (keyof StackRule)[] = ['on', 'do', 'when', 'fields'];

function checkRule(rule: StackRule, place: string, parts: readonly Part[], complain: (why: string) => never): void {
  if (typeof rule !== 'object' || rule === null || typeof rule.on !== 'string' || typeof rule.do !== 'string')
    complain(
      `${place} needs on and do. Pass a notice and a command with their parts, as in { on: 'lead.leader', do: 'lock.request' }`,
    );
  const unknown = Object.keys(rule).find((key) => !RULE_KEYS.some((known) => known === key));
  if (unknown !== undefined) complain(`${place}.${unknown} is not known. The members of a rule are ${RULE_KEYS.join(', ')}`);
  for (const key of ['when', 'fields'] as const)
    if (rule[key] !== undefined && typeof rule[key] !== 'function')
      complain(`${place}.${key} is not a function. Pass a function of the notice`);
  const from = named(rule.on, `${place}.on`, parts, complain);
  const notices = noticesOf(from);
  if (!notices.includes(from.inner(rule.on)))
    complain(
      `${place}.on is "${rule.on}", and "${from.inner(rule.on)}" is not a notice of ${from.protocol.name}. Its notices: ${notices.join(', ') || 'none'}`,
    );
  const to = named(rule.do, `${place}.do`, parts, complain);
  const commands = Object.keys(to.protocol.commands);
  if (!commands.includes(to.inner(rule.do)))
    complain(
      `${place}.do is "${rule.do}", and "${to.inner(rule.do)}" is not a command of ${to.protocol.name}. Its commands: ${commands.join(', ') || 'none'}`,
    );
  const required = (to.protocol.commands[to.inner(rule.do)]!.fields ?? []).filter(({ optional }) => !optional);
  if (required.length > 0 && !rule.fields)
    complain(
      `${place}.do is "${rule.do}", which needs ${required.map(({ name }) => name).join(' and ')}. Return them from fields`,
    );
}

function named(name: string, place: string, parts: readonly Part[], complain: (why: string) => never): Part {
  return (
    partOf(parts, name) ??
    complain(
      `${place} is "${name}", which begins with no part. Begin it with a part and a dot; the parts are ${parts.map((part) => part.name).join(', ')}`,
    )
  );
}

/** Notices that a protocol declares; by default, those that complete its commands. */
const noticesOf = ({ protocol: { notices, commands } }: Part): readonly string[] =>
  notices ?? [...new Set(Object.values(commands).flatMap(({ completedBy }) => completedBy))];

/** The parts of a cycle, with the first one again at its end. */
function circleOf(rules: readonly StackRule[], parts: readonly Part[]): readonly string[] | undefined {
  const next = (part: Part): Part[] => rules.filter(({ on }) => part.owns(on)).map((rule) => partOf(parts, rule.do)!);
  const search = (path: readonly Part[]): readonly Part[] | undefined => {
    const last = path.at(-1)!;
    if (path.indexOf(last) < path.length - 1) return path.slice(path.indexOf(last));
    for (const part of next(last)) {
      const found = search([...path, part]);
      if (found) return found;
    }
    return undefined;
  };
  for (const part of parts) {
    const found = search([part]);
    if (found) return found.map(({ name }) => name);
  }
  return undefined;
}

/** Creates a function that throws an error about the composition of this name. */
export function complaint(name: string): (why: string) => never {
  return (why) => {
    throw new UsageError(`compose("${name}"): ${why}`);
  };
}
