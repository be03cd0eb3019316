/** Judges the properties of one fold in each state: by its totals, and once for all states with equal facts. */
import type { Fold, Folded } from '../../machines/folded.js';
import type { Configuration, Property } from '../../machines/protocol.js';
import { failed, truth } from '../../network/evaluation.js';
import { FactRows } from './fact-rows.js';
import type { Model } from './model.js';
import { SearchSum } from './sums.js';

/** The answers of this many properties fit into one number. */
const REMEMBERED = 31;

export class FoldJudge {
  private readonly sum: SearchSum;
  private readonly rows: FactRows;
  private readonly properties: (readonly [Property, Folded])[] = [];
  private readonly answers: boolean[] = [];
  private isWholeRead = false;

  constructor(fold: Fold, model: Model, whole: () => Configuration) {
    this.sum = new SearchSum(fold, model);
    this.rows = new FactRows(this.sum, model, fold.isOrdered === true);
    this.whole = () => {
      this.isWholeRead = true;
      return whole();
    };
  }

  private readonly whole: () => Configuration;

  /** Adds a property, and returns its answer in the current state. */
  add(property: Property, folded: Folded): () => boolean {
    const place = this.properties.push([property, folded]) - 1;
    return () => this.answers[place]!;
  }

  /** Judges a state. */
  enter(row: Int32Array, begin: number, length: number): void {
    const { properties, rows, answers } = this;
    const canRemember = properties.length <= REMEMBERED;
    const known = canRemember ? rows.find(row, begin, length) : undefined;
    if (known !== undefined) {
      for (let i = 0; i < properties.length; i++) answers[i] = ((known >>> i) & 1) === 1;
      return;
    }
    this.sum.goTo(row, begin, length);
    this.isWholeRead = false;
    let bits = 0;
    for (let i = 0; i < properties.length; i++) {
      answers[i] = this.judge(properties[i]!);
      if (answers[i]) bits |= 1 << i;
    }
    if (canRemember && !this.isWholeRead) rows.add(bits);
  }

  private judge([property, folded]: readonly [Property, Folded]): boolean {
    try {
      return truth(folded.holds(this.sum.totals, this.whole), 'holds');
    } catch (error) {
      return failed(property, error as Error);
    }
  }
}
