/** Promises about every place: a place is judged again after a change that concerns it. */
export class Places<P> {
  private readonly changed = new Set<P>();
  private readonly wrong = new Set<P>();

  constructor(private readonly holdsAt: (place: P) => boolean) {}

  /** Marks a place for a new judgment. */
  touch(place: P): void {
    this.changed.add(place);
  }

  /** Marks the places with violations, after a change that cannot cause new ones. */
  touchWrong(): void {
    for (const place of this.wrong) this.changed.add(place);
  }

  /** True if the promise holds at every place that was ever touched. */
  get hold(): boolean {
    return this.exceptions === 0;
  }

  /** Number of places with violations. */
  get exceptions(): number {
    for (const place of this.changed) {
      if (this.holdsAt(place)) this.wrong.delete(place);
      else this.wrong.add(place);
    }
    this.changed.clear();
    return this.wrong.size;
  }
}
