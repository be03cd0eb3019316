/**
 * The cards, as the server stores them: in memory and in a file.
 *
 * A write contains the fencing token of its card's lock. The store rejects a smaller token than the card's last one, so a former holder
 * cannot overwrite the text of the next one.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * @typedef {object} Card
 * @property {string} id
 * @property {string} text
 * @property {string} column
 * @property {string} by last writer
 * @property {number} fence largest fencing token of a write
 */

export class Cards {
  /** @type {Map<string, Card>} */
  #cards = new Map();
  /** @type {Set<(card: Card) => void>} */
  #watchers = new Set();
  #file;

  /** @param {string} file created if missing */
  constructor(file) {
    this.#file = file;
    try {
      for (const card of JSON.parse(readFileSync(file, 'utf8'))) this.#cards.set(card.id, card);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error;
    }
  }

  /**
   * Changes the given fields of a card. Returns `false`, without a change, if the card has been written with a larger fence.
   * @param {Pick<Card, 'id' | 'by' | 'fence'> & Partial<Card>} change
   */
  write(change) {
    const before = this.#cards.get(change.id) ?? { text: '', column: 'to do', fence: 0 };
    if (change.fence < before.fence) return false;
    const card = { ...before, ...change };
    this.#cards.set(card.id, card);
    writeFileSync(`${this.#file}.new`, JSON.stringify([...this.#cards.values()]));
    renameSync(`${this.#file}.new`, this.#file);
    for (const watcher of this.#watchers) watcher(card);
    return true;
  }

  /**
   * Calls the watcher for each card now, and then for each change, until the returned function is called.
   * @param {(card: Card) => void} watcher
   */
  watch(watcher) {
    for (const card of this.#cards.values()) watcher(card);
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }
}
