/**
 * What the plots show, counted while the lines come in: messages by type, their cost, how many are on their way, how many nodes are in
 * each state, and how many stand wrong.
 *
 * A row is kept every so many lines; when there are too many rows, every second one goes and the distance doubles. A plot of any
 * length is so a few thousand points, without a second pass.
 */
import { isStep, type TraceLine } from '../../network/trace.js';
import { Interned } from './interned.js';
import { valueText } from './values.js';

export interface Row {
  readonly line: number;
  readonly at: number;
  /** Messages sent so far, by the number of their type. */
  readonly sent: readonly number[];
  readonly cost: number;
  readonly inFlight: number;
  /** How many roles are in each state, by the state's number. */
  readonly inState: readonly number[];
  readonly wrong: number;
}

const ROWS_MAX = 2048;

export class Tally {
  readonly types = new Interned();
  /** States as `chart: value`. */
  readonly states = new Interned();
  private readonly kept: Row[] = [];
  private stride = 1;
  private last: Row | null = null;
  private readonly sent: number[] = [];
  private readonly inState: number[] = [];
  private readonly stateOf = new Map<string, number>();
  private readonly wrongNodes = new Set<string>();
  private cost = 0;

  /** Rising rows, the newest line's among them. */
  rows(): Row[] {
    const newest = this.kept.at(-1);
    return this.last && this.last !== newest ? [...this.kept, this.last] : [...this.kept];
  }

  add(place: number, line: TraceLine, inFlight: number): void {
    if (isStep(line)) {
      for (const { message, cost } of line.sent) {
        const type = this.types.add(message.type);
        this.sent[type] = (this.sent[type] ?? 0) + 1;
        this.cost += cost ?? 0;
      }
      for (const [role, view] of Object.entries(line.roles)) {
        this.move(`${line.node} ${role}`, view ? this.states.add(`${view.chart}: ${valueText(view.value)}`) : -1);
      }
      if (line.overlay) {
        const wrong = line.overlay.tone === 'wrong' || (line.overlay.edges ?? []).some((edge) => edge.wrong);
        if (wrong) this.wrongNodes.add(line.node);
        else this.wrongNodes.delete(line.node);
      }
    }
    const due = place % this.stride === 0;
    const row = { line: place, at: line.at, cost: this.cost, inFlight, wrong: this.wrongNodes.size };
    if (due) this.keep({ ...row, sent: [...this.sent], inState: [...this.inState] });
    else this.last = { ...row, sent: this.sent, inState: this.inState };
  }

  private move(slot: string, state: number): void {
    const before = this.stateOf.get(slot);
    if (before !== undefined && before >= 0) this.inState[before]!--;
    this.stateOf.set(slot, state);
    if (state >= 0) this.inState[state] = (this.inState[state] ?? 0) + 1;
  }

  private keep(row: Row): void {
    this.last = row;
    if (this.kept.push(row) < ROWS_MAX) return;
    this.stride *= 2;
    const everySecond = this.kept.filter(({ line }) => line % this.stride === 0);
    this.kept.splice(0, this.kept.length, ...everySecond);
  }
}
