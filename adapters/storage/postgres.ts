/**
 * Postgres as a shared storage. One table contains a row for each key, with a revision that each write increases. A write contains the
 * revision that it replaces, so that one statement compares and writes.
 */
import type { SchedulerLike } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { checkOptions, environment, hasMethods, must, optional, someText } from '../options.js';
import { sharedStorage, type SharedStorage, type SharedStore } from './shared.js';

/**
 * Options for `postgresStorage`.
 *
 * @public
 */
export interface PostgresStorageOptions {
  /** A pool or a client of `pg`, or another one with the same `query`. You close it; Quiver never does. */
  readonly client: {
    query(text: string, values: unknown[]): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  };
  /** Id of the peer. */
  readonly peer: NodeId;
  /** Name of the table, which is created if it does not exist. Clusters with different names may share it. @defaultValue `quiver` */
  readonly table?: string;
  /** @defaultValue the clock of the platform */
  readonly clock?: SchedulerLike | undefined;
}

const NAME = /^[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?$/;
const CHECKS = {
  client: must('a pool or a client of pg, as in new pg.Pool()', (value) => hasMethods(value, 'query')),
  peer: someText,
  table: optional(
    must(
      'the name of a table in lower case, as in "quiver" or "app.quiver"',
      (value) => typeof value === 'string' && NAME.test(value),
    ),
  ),
  clock: environment.clock,
};

/**
 * Creates the storage of a peer in Postgres. Used with `createCluster`, it also stores the copies of all actors. All members use the same
 * table.
 *
 * @param options a client or pool of `pg`, the id of this peer, and the table (default `quiver`).
 * @returns a storage for the option `storage`.
 * @throws UsageError for an option that is missing or wrong.
 * @example
 * ```ts
 * import pg from 'pg';
 * import { postgresStorage } from 'xstate-quiver/storage';
 *
 * const client = new pg.Pool({ connectionString: 'postgres://localhost/app' });
 * const storage = postgresStorage({ client, peer: 'a' }); // for createCluster({ transport, peers, storage, machines })
 * ```
 * @public
 */
export function postgresStorage(options: PostgresStorageOptions): SharedStorage {
  checkOptions('postgresStorage', options, CHECKS);
  const { client, peer, table = 'quiver', clock } = options;
  return sharedStorage({ store: postgresStore(client, table), peer, clock });
}

function postgresStore(client: PostgresStorageOptions['client'], table: string): SharedStore {
  let created: Promise<unknown> | null = null;
  const create = () =>
    client.query(
      `create table if not exists ${table} (kind text, key text, revision bigint not null, value text not null, primary key (kind, key))`,
      [],
    );
  const query = async (text: string, values: unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    // If two processes create the table at the same time, one of them fails and the table exists.
    created ??= create().catch(create);
    await created.catch((error: unknown) => {
      created = null;
      throw error;
    });
    return (await client.query(text, values)).rows;
  };
  return {
    get: async (kind, key) => {
      const [row] = await query(`select value, revision from ${table} where kind = $1 and key = $2`, [kind, key]);
      return row ? { value: String(row['value']), revision: String(row['revision']) } : null;
    },
    put: async (kind, key, value, revision) => {
      const [row] =
        revision === null
          ? await query(`insert into ${table} values ($1, $2, 1, $3) on conflict do nothing returning revision`, [
              kind,
              key,
              value,
            ])
          : await query(
              `update ${table} set value = $3, revision = revision + 1 where kind = $1 and key = $2 and revision = $4 returning revision`,
              [kind, key, value, revision],
            );
      return row ? String(row['revision']) : null;
    },
    delete: async (kind, key) => void (await query(`delete from ${table} where kind = $1 and key = $2`, [kind, key])),
    keys: async (kind) => (await query(`select key from ${table} where kind = $1`, [kind])).map(({ key }) => String(key)),
  };
}
