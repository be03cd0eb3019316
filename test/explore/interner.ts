import { LACKING, type Numbering } from './numbering.js';

/** Numbers for values: equal keys get equal numbers, counted from 0 in the order in which they first appear. */
export class Interner<T> {
  readonly all: T[] = [];
  private readonly ids = new Map<string, number>();

  /** Without a `numbering` new numbers are always given out. */
  constructor(private readonly numbering?: Numbering) {}

  get size(): number {
    return this.all.length;
  }

  /**
   * `make` is called for a key that is new.
   *
   * @throws LACKING for a new key while numbering is closed.
   */
  intern(key: string, make: (id: number) => T): number {
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    if (this.numbering?.isOpen === false) throw LACKING;
    const id = this.all.length;
    this.ids.set(key, id);
    this.all.push(make(id));
    return id;
  }
}
