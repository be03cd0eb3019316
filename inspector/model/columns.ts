/**
 * Growable typed columns: what the inspector keeps of a million lines without a million objects.
 *
 * Items are addressed by their place in the whole trace; `drop` forgets the oldest and leaves all other places as they are.
 */
type Buffer = Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

export class Column {
  private buffer: Buffer;
  private count = 0;
  /** The place of the oldest item still kept. */
  first = 0;

  constructor(private readonly Kind: Int32ArrayConstructor | Float64ArrayConstructor) {
    this.buffer = new Kind(256);
  }

  /** One past the place of the newest item. */
  get end(): number {
    return this.first + this.count;
  }

  push(value: number): void {
    if (this.count === this.buffer.length) {
      const grown = new this.Kind(this.count * 2);
      grown.set(this.buffer);
      this.buffer = grown;
    }
    this.buffer[this.count++] = value;
  }

  /** `NaN` outside of what is kept. */
  at(place: number): number {
    const index = place - this.first;
    return index >= 0 && index < this.count ? this.buffer[index]! : NaN;
  }

  set(place: number, value: number): void {
    this.buffer[place - this.first] = value;
  }

  /** Forgets every item before `place`. */
  drop(place: number): void {
    const gone = Math.min(Math.max(place - this.first, 0), this.count);
    this.buffer.copyWithin(0, gone, this.count);
    this.count -= gone;
    this.first += gone;
  }

  /** The last place whose value is at most `value`, in a column that never falls; `first - 1` when there is none. */
  lastAtMost(value: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.buffer[middle]! <= value) low = middle + 1;
      else high = middle;
    }
    return this.first + low - 1;
  }
}

/** In a rising list, the place of the last item that is at most `value`; -1 when there is none. */
export function lastAtMost(rising: readonly number[], value: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rising[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
