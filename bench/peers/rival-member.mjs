// Sends events for one entity to a rival of cluster actors: `node rival-member.mjs postgres|bullmq PORT HANDLES`.
import { load } from './measure.mjs';

const [kind, port, handles] = process.argv.slice(2);
process.on('disconnect', () => process.exit());

const LANES_MAX = 16;
const connection = { host: '127.0.0.1', port: Number(port) };

const RIVALS = {
  /** Locks the row, reads the state, and writes the next one. */
  postgres: async () => {
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ ...connection, user: 'quiver', database: 'postgres', max: LANES_MAX });
    return async () => {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const { rows } = await client.query("select state from actors where id = 'hot' for update");
        await client.query("update actors set state = $1 where id = 'hot'", [{ n: rows[0].state.n + 1 }]);
        await client.query('commit');
      } finally {
        client.release();
      }
    };
  },
  /** A queue for the entity. One worker with a concurrency of 1 handles its jobs in order; senders wait until their job is done. */
  bullmq: async () => {
    const { Queue, QueueEvents, Worker } = await import('bullmq');
    const queue = new Queue('hot', { connection, defaultJobOptions: { removeOnComplete: 1_000 } });
    queue.setMaxListeners(2 * LANES_MAX);
    const events = new QueueEvents('hot', { connection });
    await events.waitUntilReady();
    let n = 0;
    if (handles === 'true') await new Worker('hot', async () => ({ n: ++n }), { connection, concurrency: 1 }).waitUntilReady();
    return async () => (await queue.add('ADD', {})).waitUntilFinished(events);
  },
};

const send = await RIVALS[kind]();
process.on('message', async ({ what, ms, lanes }) => process.send({ what, ...(await load(send, ms, lanes)) }));
process.send({ what: 'ready' });
