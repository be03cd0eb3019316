/** Assigns numbers to values, so that a search stores and compares numbers: equal keys get the same number, counted from 0. */
import { NOT_NUMBERED, type Numbering } from './numbering.js';

/** Ids for values: equal keys get equal ids, counted from 0 in the order in which they first appear. */
export class Interner<T> {
  readonly all: T[] = [];
  private readonly ids = new Map<string, number>();

  /** Without a `numbering`, every new key gets an id. */
  constructor(private readonly numbering?: Numbering) {}

  get size(): number {
    return this.all.length;
  }

  /**
   * Returns the id of a key.
   *
   * @param make creates the value of a new key.
   * @throws NOT_NUMBERED for a new key while numbering is closed.
   */
  intern(key: string, make: (id: number) => T): number {
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    if (this.numbering?.isOpen === false) throw NOT_NUMBERED;
    const id = this.all.length;
    this.ids.set(key, id);
    this.all.push(make(id));
    return id;
  }
}
