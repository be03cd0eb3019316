/**
 * Lists the gestures that a node allows: its protocol's commands with their fields, scenario events such as a crash, and an actor's events.
 */
import type { Command, Core } from '../machines/protocol.js';

/** The advice to the developer of a program that the page cannot change. */
export const HOW_TO_ALLOW =
  'Start it with QUIVER_REACH=1, or pass reach: true to inspect, createInspector, inspectAll or the plugin for Vite.';

export interface OfferedCommand {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: 'integer' | 'node'; readonly optional: boolean }[];
}

/** A module's path from the folder of the scenario, as in an import, and the exported name of its protocol. */
export interface OfferedModule {
  readonly path: string;
  readonly name: string;
}

/** The gestures that the page may offer: the commands and scenario events that a viewer can add to the run by hand. */
export interface Offer {
  readonly commands: readonly OfferedCommand[];
  /** Further verbs of scenario events that are possible here. */
  readonly does: readonly string[];
  /** The source of a protocol that is not part of Quiver, for a test that is saved with the scenario. */
  readonly module?: OfferedModule;
  /** For live nodes: the gestures in effect, in words. */
  readonly standing?: readonly string[];
  /** For an actor, which takes any event: the types that its machine names. */
  readonly events?: readonly string[];
}

/** The commands that the protocol accepts with the given options. */
export const offeredBy = ({ commands }: Pick<Core, 'commands'>, options: unknown): readonly OfferedCommand[] =>
  Object.entries(commands)
    .filter(([, { refusal }]) => (refusal?.(options, {}) ?? null) === null)
    .map(offered);

const offered = ([name, { fields = [] }]: [string, Command]): OfferedCommand => ({
  name,
  fields: fields.map(({ name, type, optional = false }) => ({ name, type, optional })),
});
