/** Offers of a page: the commands of a node with their fields, and the events that fit. */
import type { Command, Core } from '../machines/protocol.js';

export interface OfferedCommand {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: 'integer' | 'node'; readonly optional: boolean }[];
}

/** A module as an import names it from the folder of the scenario, and what it exports the protocol as. */
export interface OfferedModule {
  readonly path: string;
  readonly name: string;
}

/** Things that the page may offer. */
export interface Offer {
  readonly commands: readonly OfferedCommand[];
  /** The verbs of scenario events that can be done here beside them. */
  readonly does: readonly string[];
  /** Where a protocol that is not ours comes from, for a test that is saved beside the scenario. */
  readonly module?: OfferedModule;
  /** For what is alive: what is held up by hand now, in words. */
  readonly standing?: readonly string[];
  /** For an actor, which takes any event: the types that its machine names. */
  readonly events?: readonly string[];
}

/** The commands that make sense with the options. */
export const offeredBy = ({ commands }: Pick<Core, 'commands'>, options: unknown): readonly OfferedCommand[] =>
  Object.entries(commands)
    .filter(([, { refusal }]) => (refusal?.(options, {}) ?? null) === null)
    .map(offered);

const offered = ([name, { fields = [] }]: [string, Command]): OfferedCommand => ({
  name,
  fields: fields.map(({ name, type, optional = false }) => ({ name, type, optional })),
});
