// How each rival takes the lock, waiting as long as it must: `acquire()` resolves with what gives it back.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Etcd3, EtcdLockFailedError } from 'etcd3';
import { Redis } from 'ioredis';
import { default as Redlock } from 'redlock';

/** A lock of redlock and of etcd is free again so long after its holder died; both renew it before. */
export const LIFE_S = 5;

/** redlock tuned to retry every 5 ± 5 ms forever; with its defaults, acquires give up. */
export function redlockOn(port) {
  const redis = new Redis(port);
  const client = new Redlock([redis], { retryCount: -1, retryDelay: 5, retryJitter: 5 });
  return {
    acquire: async () => {
      const lock = await client.acquire(['lock'], LIFE_S * 1000);
      return () => lock.release();
    },
    requests: async () => Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))[1]),
    close: () => redis.quit(),
  };
}

/** etcd3's lock fails if another client has it. A watch reports its release, so that few attempts fail. */
export async function etcdOn(port) {
  const client = new Etcd3({ hosts: `http://127.0.0.1:${port}` });
  const watcher = await client.watch().key('lock').create();
  const acquire = async () => {
    while (true) {
      const gone = once(watcher, 'delete');
      try {
        const lock = await client.lock('lock').ttl(LIFE_S).acquire();
        return () => lock.release();
      } catch (error) {
        if (!(error instanceof EtcdLockFailedError)) throw error;
      }
      // The release may have happened before the watch started. Then the next attempt succeeds.
      await Promise.race([gone, pause(1_000)]);
    }
  };
  const requests = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return [...text.matchAll(/^grpc_server_handled_total\{.*\} (\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  return { acquire, requests, close: () => client.close() };
}
