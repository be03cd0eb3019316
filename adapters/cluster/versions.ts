/** Compares the version of a stored snapshot with that of the machine: an older snapshot is migrated, and a newer one is rejected. */
import type { AnyStateMachine } from 'xstate';
import { isObject } from '../../machines/checks.js';
import { thrownText } from '../../machines/errors.js';
import type { StoredSnapshot } from './cluster-options.js';
import { ActorError } from './errors.js';
import { isStoredState, notJson, type StoredState } from './stored-state.js';

/** The statuses of XState's snapshots. */
const STATUSES: readonly unknown[] = ['active', 'done', 'error', 'stopped'];

/** A machine that the application registered under a kind. */
export interface Kind {
  readonly name: string;
  readonly machine: AnyStateMachine;
  readonly version: number;
  readonly migrate?: ((snapshot: StoredSnapshot, version: number) => unknown) | undefined;
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
  return { ...state, version, snapshot: migratedSnapshot(key, { version, migrate, name }, state) };
}

/** The result of the application's `migrate`, which is stored only if it is a snapshot. */
function migratedSnapshot(
  key: string,
  { version, migrate, name }: Pick<Kind, 'version' | 'migrate' | 'name'>,
  state: StoredState,
): StoredState['snapshot'] {
  const failed = (why: string, cause?: unknown) =>
    new ActorError(
      'version',
      `Actor "${key}" cannot be migrated from version ${state.version} of "${name}" to ${version}: ${why}. Return the new snapshot from versions.${name}.migrate.`,
      { cause },
    );
  let snapshot: unknown;
  try {
    snapshot = migrate!(structuredClone<unknown>(state.snapshot) as StoredSnapshot, state.version);
  } catch (error) {
    throw failed(`migrate threw an error: ${thrownText(error)}`, error);
  }
  if (!isObject(snapshot) || !STATUSES.includes(snapshot['status']) || !('value' in snapshot) || !isObject(snapshot['context']))
    throw failed(`migrate did not return a snapshot with a status (${STATUSES.join(', ')}), a value and a context`);
  const why = notJson(snapshot);
  if (why !== null) throw failed(`the snapshot that migrate returned is not JSON: ${why}`);
  return snapshot as StoredState['snapshot'];
}
