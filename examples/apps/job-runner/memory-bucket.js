/** The part of a JetStream bucket that a `JobStore` uses, in memory, for tests and rehearsals. It polls instead of watching. */
import { setTimeout as pause } from 'node:timers/promises';

/** @typedef {{ key: string, revision: number, json: () => any }} Entry */

export class MemoryBucket {
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  #revision = 0;
  #delayMs;

  /** @param {number} delayMs of each answer */
  constructor(delayMs) {
    this.#delayMs = delayMs;
  }

  /** @param {string} key */
  async get(key) {
    await pause(this.#delayMs);
    return this.#entries.get(key) ?? null;
  }

  /**
   * @param {string} key
   * @param {string} text
   */
  create(key, text) {
    return this.update(key, text, 0);
  }

  /**
   * Rejects a revision that is not the last one, with JetStream's error.
   * @param {string} key
   * @param {string} text
   * @param {number} revision
   */
  async update(key, text, revision) {
    await pause(this.#delayMs);
    if ((this.#entries.get(key)?.revision ?? 0) !== revision) throw Object.assign(new Error('wrong revision'), { code: 10071 });
    this.#entries.set(key, { key, revision: ++this.#revision, json: () => JSON.parse(text) });
    await pause(this.#delayMs);
    return this.#revision;
  }

  async watch() {
    let isOver = false;
    let seen = 0;
    const changed = () => [...this.#entries.values()].filter(({ revision }) => revision > seen);
    const all = async function* (/** @type {number} */ everyMs) {
      for (; !isOver; await pause(everyMs)) {
        const entries = changed().sort((a, b) => a.revision - b.revision);
        seen = entries.at(-1)?.revision ?? seen;
        yield* entries;
      }
    };
    return Object.assign(all(10 * this.#delayMs), { stop: () => void (isOver = true) });
  }
}
