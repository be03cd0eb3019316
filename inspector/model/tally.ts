/**
 * Counts for the plots, updated while lines arrive: messages by type, their cost, messages in flight, nodes in each state, and wrong nodes.
 *
 * A row is kept at regular distances of lines. If there are too many rows, every second one is removed and the distance doubles. A plot of
 * any length therefore has a few thousand points, without a second pass.
 */
import type { Overlay, RoleView } from '../../machines/protocol.js';
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
  private last: Pick<Row, 'line' | 'at' | 'inFlight'> | null = null;
  private readonly sent: number[] = [];
  private readonly inState: number[] = [];
  /** By the number of the slot; -1 for a role that was closed. */
  private readonly stateOf: number[] = [];
  /** The numbers of plain states, by chart: almost all are, and to write out their names for every line would cost more than all else. */
  private readonly plain = new Map<string, Map<string, number>>();
  private readonly wrongNodes = new Set<number>();
  private cost = 0;

  /** Rising rows, the newest line's among them. */
  rows(): Row[] {
    const isKept = this.last === null || this.last.line === this.kept.at(-1)?.line;
    return isKept ? [...this.kept] : [...this.kept, this.row(this.last!)];
  }

  send(type: string, cost: number): void {
    const number = this.types.add(type);
    this.sent[number] = (this.sent[number] ?? 0) + 1;
    this.cost += cost;
  }

  /** A role is in another state now, or closed; the number of the state, -1 for none. */
  move(slot: number, view: RoleView | null): number {
    const before = this.stateOf[slot] ?? -1;
    if (before >= 0) this.inState[before]!--;
    const state = view ? this.numberOf(view) : -1;
    this.stateOf[slot] = state;
    if (state >= 0) this.inState[state] = (this.inState[state] ?? 0) + 1;
    return state;
  }

  mark(node: number, { tone, edges = [] }: Overlay): void {
    if (tone === 'wrong' || edges.some((edge) => edge.wrong)) this.wrongNodes.add(node);
    else this.wrongNodes.delete(node);
  }

  /** To be called after each line. */
  lineRead(line: number, at: number, inFlight: number): void {
    this.last = { line, at, inFlight };
    if (line % this.stride === 0) this.keep(this.row(this.last));
  }

  private row({ line, at, inFlight }: Pick<Row, 'line' | 'at' | 'inFlight'>): Row {
    const { cost, sent, inState, wrongNodes } = this;
    return { line, at, inFlight, cost, sent: [...sent], inState: [...inState], wrong: wrongNodes.size };
  }

  private numberOf({ chart, value }: RoleView): number {
    if (typeof value !== 'string') return this.states.add(`${chart}: ${valueText(value)}`);
    let numbers = this.plain.get(chart);
    if (!numbers) this.plain.set(chart, (numbers = new Map()));
    let number = numbers.get(value);
    if (number === undefined) numbers.set(value, (number = this.states.add(`${chart}: ${value}`)));
    return number;
  }

  private keep(row: Row): void {
    if (this.kept.push(row) < ROWS_MAX) return;
    this.stride *= 2;
    const everySecond = this.kept.filter(({ line }) => line % this.stride === 0);
    this.kept.splice(0, this.kept.length, ...everySecond);
  }
}
