/**
 * The jobs, in a key-value bucket of NATS JetStream.
 *
 * The store, and not the lock, ensures that a job is finished once. A write contains the fencing token of the worker's lock. The store
 * rejects a smaller token than the job's last one, and the bucket accepts a write only for the revision that was read. In SQL this is one
 * line: `update jobs set … where id = $1 and state = 'open' and fence <= $2`.
 */
import { Kvm } from '@nats-io/kv';

/**
 * @typedef {object} Job
 * @property {string} kind name of its handler
 * @property {unknown} input argument of the handler
 * @property {'open' | 'done' | 'failed'} state
 * @property {number} fence largest fencing token under which it was started
 * @property {number} begun number of starts
 * @property {string} [by] worker that started it last
 * @property {unknown} [result]
 * @property {string} [error] of the last attempt
 */

/** Maximum number of starts of a job. A job that fails each time, or ends its process, then counts as failed. */
const BEGUN_MAX = 3;

/** Number of kept revisions of a job: one when it is added, two for each start. `nats kv history jobs ID` prints them. */
const HISTORY = 1 + 2 * BEGUN_MAX;

/** JetStream's error code of a write for a revision that is not the last one. */
const WRONG_REVISION = 10071;

export class StaleFenceError extends Error {
  /** @override */
  name = 'StaleFenceError';
}

export class JobStore {
  #bucket;

  /** @param {import('@nats-io/kv').KV} bucket */
  constructor(bucket) {
    this.#bucket = bucket;
  }

  /** @param {import('@nats-io/nats-core').NatsConnection} connection */
  static async open(connection) {
    return new JobStore(await new Kvm(connection).create('jobs', { history: HISTORY }));
  }

  /**
   * Adds a job. Returns `false` if a job with this id exists, in any state.
   * @param {string} id
   * @param {Pick<Job, 'kind' | 'input'>} job
   */
  async add(id, { kind, input }) {
    /** @type {Job} */
    const job = { kind, input, state: 'open', fence: 0, begun: 0 };
    return await this.#bucket.create(id, JSON.stringify(job)).then(() => true, unless(WRONG_REVISION));
  }

  /**
   * @param {string} id
   * @returns {Promise<Job | undefined>}
   */
  async get(id) {
    return (await this.#bucket.get(id))?.json();
  }

  /**
   * Yields all jobs now, and then each changed one, until the signal.
   * @param {AbortSignal} signal
   * @returns {AsyncGenerator<[id: string, job: Job]>}
   */
  async *watch(signal) {
    const entries = await this.#bucket.watch();
    signal.addEventListener('abort', () => entries.stop(), { once: true });
    for await (const entry of entries) yield [entry.key, entry.json()];
  }

  /**
   * Records that a job starts under this fence. Returns `undefined` if the job is no longer open.
   * @param {string} id
   * @param {number} fence
   * @param {string} by
   */
  async begin(id, fence, by) {
    const job = await this.#change(id, fence, (job) => {
      if (job.state !== 'open') return job;
      return job.begun < BEGUN_MAX ? { ...job, begun: job.begun + 1, by } : { ...job, state: 'failed' };
    });
    return job.state === 'open' ? job : undefined;
  }

  /**
   * Ends a job that was started under this fence, or records its error and leaves it open.
   * @param {string} id
   * @param {number} fence
   * @param {{ result: unknown } | { error: string }} outcome
   */
  async finish(id, fence, outcome) {
    await this.#change(id, fence, (job) => {
      if (job.state !== 'open') throw new StaleFenceError(`job "${id}" is already ${job.state}, by ${job.by}`);
      return 'error' in outcome ? { ...job, ...outcome } : { ...job, ...outcome, state: 'done' };
    });
  }

  /**
   * @param {string} id
   * @param {number} fence
   * @param {(job: Job) => Job} how
   * @returns {Promise<Job>}
   */
  async #change(id, fence, how) {
    for (;;) {
      const entry = await this.#bucket.get(id);
      if (!entry) throw new Error(`unknown job "${id}"`);
      /** @type {Job} */
      const job = entry.json();
      if (fence < job.fence)
        throw new StaleFenceError(
          `job "${id}" was started again under fence ${job.fence}, by ${job.by}; fence ${fence} is stale`,
        );
      const changed = how(job);
      if (changed === job) return job;
      const next = { ...changed, fence };
      const isWritten = await this.#bucket
        .update(id, JSON.stringify(next), entry.revision)
        .then(() => true, unless(WRONG_REVISION));
      if (isWritten) return next;
    }
  }
}

/**
 * Returns `false` for an error with this code, and throws any other error.
 * @param {number} code
 */
const unless = (code) => (/** @type {Error & { code?: number }} */ error) => {
  if (error.code === code) return false;
  throw error;
};
