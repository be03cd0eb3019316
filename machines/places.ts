/** Promises that hold where they hold at every place: a place is judged again once something of it has changed. */
export class Places<P> {
  private readonly changed = new Set<P>();
  private readonly wrong = new Set<P>();

  constructor(private readonly holdsAt: (place: P) => boolean) {}

  /** Something of this place has changed. */
  touch(place: P): void {
    this.changed.add(place);
  }

  /** Something has changed that can only fix what is wrong. */
  touchWrong(): void {
    for (const place of this.wrong) this.changed.add(place);
  }

  /** True if it holds at every place that was ever touched. */
  get hold(): boolean {
    return this.exceptions === 0;
  }

  /** At how many of them it does not hold. */
  get exceptions(): number {
    for (const place of this.changed) {
      if (this.holdsAt(place)) this.wrong.delete(place);
      else this.wrong.add(place);
    }
    this.changed.clear();
    return this.wrong.size;
  }
}
