/**
 * Redis as a shared storage. A table is a hash. Each value is stored with its revision, which a script compares before it writes.
 *
 * Redis stores acknowledged writes as safely as its persistence is configured: with `appendonly yes` and `appendfsync always` they survive
 * a crash of its machine. A replica that takes over may lack the last writes.
 */
import type { SchedulerLike } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { checkOptions, environment, hasMethods, must, optional, someText } from '../options.js';
import { sharedStorage, type SharedStorage, type SharedStore } from './shared.js';

/**
 * Options for `redisStorage`.
 *
 * @public
 */
export interface RedisStorageOptions {
  /** A connected client of `redis` or `ioredis`. You close it; Quiver never does. */
  readonly client:
    | { call(command: string, ...args: string[]): Promise<unknown> }
    | { sendCommand(args: readonly string[]): Promise<unknown> };
  /** Id of the peer. */
  readonly peer: NodeId;
  /** Prefix of the names of all keys. @defaultValue `quiver` */
  readonly prefix?: string;
  /** @defaultValue the clock of the platform */
  readonly clock?: SchedulerLike | undefined;
}

const CHECKS = {
  client: must(
    'a connected client of redis or ioredis, as in await createClient().connect()',
    (value) => hasMethods(value, 'call') || hasMethods(value, 'sendCommand'),
  ),
  peer: someText,
  prefix: optional(someText),
  clock: environment.clock,
};

/** Value and revision of a field are one text: `revision value`. */
const PUT = `
local there = redis.call('HGET', KEYS[1], ARGV[1])
local revision = there and string.match(there, '^%d+') or ''
if revision ~= ARGV[3] then return false end
local next = string.format('%.0f', tonumber(revision == '' and '0' or revision) + 1)
redis.call('HSET', KEYS[1], ARGV[1], next .. ' ' .. ARGV[2])
return next`;

/**
 * Creates the storage of a peer in Redis. Used with `createCluster`, it also stores the copies of all actors. All members use the same
 * prefix.
 *
 * @param options a client of ioredis or node-redis, the id of this peer, and the prefix of the keys (default `quiver`).
 * @returns a storage for the option `storage`.
 * @throws UsageError for an option that is missing or wrong.
 * @example
 * ```ts
 * import { createClient } from 'redis';
 * import { redisStorage } from 'xstate-quiver/storage';
 *
 * const client = await createClient({ url: 'redis://localhost' }).connect();
 * const storage = redisStorage({ client, peer: 'a' }); // for createCluster({ transport, peers, storage, machines })
 * ```
 * @public
 */
export function redisStorage(options: RedisStorageOptions): SharedStorage {
  checkOptions('redisStorage', options, CHECKS);
  const { client, peer, prefix = 'quiver', clock } = options;
  const command = (...args: readonly [string, ...string[]]): Promise<unknown> =>
    'call' in client ? client.call(...args) : client.sendCommand(args);
  return sharedStorage({ store: redisStore(command, prefix), peer, clock });
}

function redisStore(command: (...args: readonly [string, ...string[]]) => Promise<unknown>, prefix: string): SharedStore {
  const hash = (table: string): string => `${prefix}:${table}`;
  return {
    get: async (table, key) => {
      const found = (await command('HGET', hash(table), key)) as string | null;
      if (found === null) return null;
      const space = found.indexOf(' ');
      return { revision: found.slice(0, space), value: found.slice(space + 1) };
    },
    put: async (table, key, value, revision) =>
      (await command('EVAL', PUT, '1', hash(table), key, value, revision === null ? '' : String(revision))) as string | null,
    delete: async (table, key) => void (await command('HDEL', hash(table), key)),
    keys: async (table) => (await command('HKEYS', hash(table))) as readonly string[],
  };
}
