/** Strings numbered in the order of their first appearance, so that columns can hold them as integers. */
export class Interned {
  readonly names: string[] = [];
  private readonly numbers = new Map<string, number>();

  /** The string's number; a new string gets the next one. */
  add(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    this.numbers.set(name, this.names.length);
    return this.names.push(name) - 1;
  }

  /** -1 for a string that has not appeared. */
  find(name: string): number {
    return this.numbers.get(name) ?? -1;
  }

  get size(): number {
    return this.names.length;
  }
}
