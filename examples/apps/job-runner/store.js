/**
 * The jobs, in a key-value bucket of NATS JetStream.
 *
 * What keeps a job from being finished twice stands here, and not in the lock: whoever writes hands over the fence of the lock under which
 * it works, an older one than the job has seen is refused, and the bucket takes a write only on top of the revision that was read.
 * In SQL it is one line: `update jobs set … where id = $1 and state = 'open' and fence <= $2`.
 */
import { Kvm } from '@nats-io/kv';

/**
 * @typedef {object} Job
 * @property {string} kind says which handler does it
 * @property {unknown} input what the handler is given
 * @property {'open' | 'done' | 'failed'} state
 * @property {number} fence the largest under which anybody has begun it
 * @property {number} begun how often
 * @property {string} [by] who has begun it last
 * @property {unknown} [result]
 * @property {string} [error] of the last attempt
 */

/** So often a job is begun at most: what fails each time, or ends its process, is given up. */
const BEGUN_MAX = 3;

/** Every step of a job is kept: one as it was added, two for each beginning. `nats kv history jobs ID` shows them. */
const HISTORY = 1 + 2 * BEGUN_MAX;

/** JetStream's answer to a write on a revision that is not the last one. */
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
   * A new job; `false` if there is one of that id, whatever has become of it.
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
   * All jobs as they are now, and then whatever changes, until the signal.
   * @param {AbortSignal} signal
   * @returns {AsyncGenerator<[id: string, job: Job]>}
   */
  async *watch(signal) {
    const entries = await this.#bucket.watch();
    signal.addEventListener('abort', () => entries.stop(), { once: true });
    for await (const entry of entries) yield [entry.key, entry.json()];
  }

  /**
   * Notes that a job is begun under this fence. `undefined` if there is nothing to do any more.
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
   * Ends a job that was begun under this fence, or leaves it open with what went wrong.
   * @param {string} id
   * @param {number} fence
   * @param {{ result: unknown } | { error: string }} outcome
   */
  async finish(id, fence, outcome) {
    await this.#change(id, fence, (job) => {
      if (job.state !== 'open') throw new StaleFenceError(`job "${id}" is ${job.state} already, by ${job.by}`);
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
      if (!entry) throw new Error(`there is no job "${id}"`);
      /** @type {Job} */
      const job = entry.json();
      if (fence < job.fence)
        throw new StaleFenceError(`job "${id}" was begun under fence ${job.fence} since, by ${job.by}; ${fence} is too old`);
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
 * `false` for an answer of that code; any other error is thrown on.
 * @param {number} code
 */
const unless = (code) => (/** @type {Error & { code?: number }} */ error) => {
  if (error.code === code) return false;
  throw error;
};
