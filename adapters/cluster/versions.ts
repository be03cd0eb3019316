/** Compares the version of a stored snapshot with that of the machine: an older snapshot is migrated, and a newer one is rejected. */
import type { AnyStateMachine } from 'xstate';
import { ActorError } from './errors.js';
import { isStoredState, type StoredState } from './stored-state.js';

/** A machine that the application registered under a kind. */
export interface Kind {
  readonly name: string;
  readonly machine: AnyStateMachine;
  readonly version: number;
  readonly migrate?: ((snapshot: any, version: number) => unknown) | undefined;
}

/**
 * The stored state, converted to this version of the machine.
 *
 * @throws ActorError with reason `version`.
 */
export function migrated(key: string, { version, migrate, name }: Kind, state: unknown): StoredState {
  if (!isStoredState(state))
    throw new ActorError(
      'version',
      `This release of Quiver cannot read the stored state of actor "${key}". Update this process.`,
    );
  if (state.version === version) return state;
  if (state.version > version || !migrate)
    throw new ActorError(
      'version',
      `Actor "${key}" was stored by version ${state.version} of "${name}", and this process has version ${version}. ` +
        `${state.version > version ? 'Deploy the new version here' : `Give versions: { ${name}: { version: ${version}, migrate } }`}.`,
    );
  return { ...state, version, snapshot: migrate(state.snapshot, state.version) as StoredState['snapshot'] };
}
