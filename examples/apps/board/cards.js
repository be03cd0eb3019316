/**
 * The cards, as the server keeps them: in memory and in a file. What keeps two people from writing over each other stands here: a write carries
 * the fence of its card's lock, and one with a smaller fence than the card has seen is refused.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * @typedef {object} Card
 * @property {string} id
 * @property {string} text
 * @property {string} column
 * @property {string} by who has written it last
 * @property {number} fence the largest with which it was written
 */

export class Cards {
  /** @type {Map<string, Card>} */
  #cards = new Map();
  /** @type {Set<(card: Card) => void>} */
  #watchers = new Set();
  #file;

  /** @param {string} file is there, or is made */
  constructor(file) {
    this.#file = file;
    try {
      for (const card of JSON.parse(readFileSync(file, 'utf8'))) this.#cards.set(card.id, card);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error;
    }
  }

  /**
   * Changes what it is given of a card, and leaves the rest. `false` if somebody with a larger fence has written it: nothing has changed.
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
   * Tells all cards as they are, and then each that changes, until the function that it returns is called.
   * @param {(card: Card) => void} watcher
   */
  watch(watcher) {
    for (const card of this.#cards.values()) watcher(card);
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }
}
