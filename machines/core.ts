/**
 * Completes a core with defaults for the members that its description omits.
 *
 * `defineCore` also validates the description, for authors of protocols. The built-in protocols are validated in every test, so an
 * application that uses only one of them does not load the validation.
 */
import type { Message } from './effects.js';
import { UsageError } from './errors.js';
import type { Command, CommandDescription, Core, CoreDescription } from './protocol.js';
import { isOfShape } from './shapes.js';

/** Core of a running protocol: its instance exists, so options and reactions are no longer needed. */
export type RunningCore<O = unknown, N extends string = string> = Omit<Core<O, N>, 'options' | 'reactions'> & {
  /** Why a message that is not accepted is refused, in words that follow its sender; `null` if it is malformed. */
  readonly refusal?: (message: Message) => string | null;
};

export function coreOf<O = Record<string, never>, N extends string = string>(description: CoreDescription<O, N>): Core<O, N> {
  const { charts, network, messages = {} } = description;
  const commands: Readonly<Record<string, CommandDescription>> = description.commands ?? {};
  const only = Object.keys(charts)[0]!;
  const { input, roles = (node, instance) => [{ role: only, chart: only, input: input?.(node, instance) }] } = description;
  const { accepts = (message, instance) => isOfShape(message, messages, instance) } = description;
  const { input: _, ...rest } = description;
  return {
    options: (raw) => (refuseOptions(raw, description.name), {} as O),
    route: () => only,
    reactions: () => [],
    ...rest,
    network: { addressing: 'names', order: 'unordered', time: false, ...network },
    roles,
    accepts,
    commands: Object.fromEntries(
      Object.entries(commands).map(([name, command]) => [name, completeCommand(name, command)]),
    ) as Record<N, Command>,
  };
}

function completeCommand(name: string, command: CommandDescription): Command {
  return { event: (given) => ({ ...ofFields(command, given), type: name }), waits: false, completedBy: [], ...command };
}

const ofFields = ({ fields = [] }: CommandDescription, given: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(fields.flatMap(({ name }) => (given[name] === undefined ? [] : [[name, given[name]]])));

function refuseOptions(raw: Readonly<Record<string, unknown>>, name: string): void {
  const [unknown] = Object.keys(raw);
  if (unknown !== undefined) throw new UsageError(`Unknown option options.${unknown}. Protocol ${name} has no options.`);
}
