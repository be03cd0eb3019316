/**
 * Answers for states with equal facts. Many states of a search differ only in what a fold leaves out, such as a message that it counts
 * like another one. The properties of the fold have the same answers in all of them, so they are judged once.
 *
 * A fact is a number, and a state a short row of numbers: its channels, the facts of its nodes, and the facts of its messages. Rows are
 * remembered only while at least half of the states have a known one.
 */
import { grown, Ints } from './ints.js';
import type { Model } from './model.js';
import type { SearchSum } from './sums.js';

/** After this many states, rows are forgotten if fewer than half of them were known; and there are never more rows. */
const TRIED = 1 << 12;
const ROWS_MAX = 1 << 20;

const EMPTY = -1;

export class FactRows {
  private readonly numbers = new Map<string, number>();
  private facts = 0;
  /** The fact of each local state, and of each packet, plus 1. */
  private ofLocal = new Int32Array(1 << 8);
  private ofPacket = new Int32Array(1 << 8);
  private readonly channels = new Map<unknown, number>();
  /** The row of the current state, with its length at the beginning. */
  private row = new Int32Array(1 << 5);
  private readonly rows = new Ints();
  private readonly begins = new Ints();
  private readonly answers = new Ints();
  private table = new Int32Array(1 << 10).fill(EMPTY);
  private slot = 0;
  private tried = 0;
  private isWorthwhile = true;

  constructor(
    private readonly sum: SearchSum,
    private readonly model: Model,
    private readonly isOrdered: boolean,
  ) {}

  /** The answers for a state with the same facts, or `undefined`. */
  find(state: Int32Array, begin: number, length: number): number | undefined {
    if (!this.isWorthwhile) return undefined;
    if (++this.tried === TRIED && 2 * this.begins.length > TRIED) {
      this.isWorthwhile = false;
      this.rows.data = this.table = new Int32Array(0);
      return undefined;
    }
    const hash = this.turnTo(state, begin, length);
    const { table } = this;
    for (this.slot = hash & (table.length - 1); table[this.slot] !== EMPTY; this.slot = (this.slot + 1) & (table.length - 1))
      if (this.isAt(this.begins.data[table[this.slot]!]!)) return this.answers.data[table[this.slot]!]!;
    return undefined;
  }

  /** Remembers the answers for the state that was not found. */
  add(answers: number): void {
    const { begins, rows, row, table } = this;
    if (!this.isWorthwhile || begins.length === ROWS_MAX) return;
    table[this.slot] = begins.push(rows.length);
    this.answers.push(answers);
    for (let i = 0; i <= row[0]!; i++) rows.push(row[i]!);
    if (2 * begins.length > table.length) this.grow();
  }

  private isAt(begin: number): boolean {
    const { row, rows } = this;
    for (let i = 0; i <= row[0]!; i++) if (rows.data[begin + i] !== row[i]) return false;
    return true;
  }

  private grow(): void {
    const { begins, rows } = this;
    const size = 2 * this.table.length;
    this.table = new Int32Array(size).fill(EMPTY);
    for (let i = 0; i < begins.length; i++) {
      const begin = begins.data[i]!;
      let slot = hashOf(rows.data, begin, rows.data[begin]!) & (size - 1);
      while (this.table[slot] !== EMPTY) slot = (slot + 1) & (size - 1);
      this.table[slot] = i;
    }
  }

  /** Computes the row of a state, and returns its hash. */
  private turnTo(state: Int32Array, begin: number, length: number): number {
    if (this.row.length <= length) this.row = new Int32Array(2 * length);
    const { row, ofLocal, ofPacket } = this;
    const content = 1 + this.model.system.nodes.length;
    row[0] = length;
    row[1] = this.sum.totals.channel ? this.channel(state[begin]!) : 0;
    for (let i = 1; i < content; i++) row[1 + i] = (ofLocal[state[begin + i]!] || this.learnLocal(state[begin + i]!)) - 1;
    for (let i = content; i < length; i++) {
      const fact = (ofPacket[state[begin + i]!] || this.learnPacket(state[begin + i]!)) - 1;
      let at = 1 + i;
      if (!this.isOrdered) for (; at > 1 + content && row[at - 1]! > fact; at--) row[at] = row[at - 1]!;
      row[at] = fact;
    }
    return hashOf(row, 0, length);
  }

  private channel(environment: number): number {
    const channels = this.model.environments.channels(environment);
    const number = this.channels.get(channels) ?? this.channels.size;
    this.channels.set(channels, number);
    return number;
  }

  private learnLocal(local: number): number {
    if (local >= this.ofLocal.length) this.ofLocal = grown(this.ofLocal, local + 1);
    return (this.ofLocal[local] = 1 + this.numberOf(this.sum.ofLocal(local)));
  }

  private learnPacket(packet: number): number {
    if (packet >= this.ofPacket.length) this.ofPacket = grown(this.ofPacket, packet + 1);
    return (this.ofPacket[packet] = 1 + this.numberOf(this.sum.ofPacket(packet)));
  }

  private numberOf(fact: unknown): number {
    const key = keyOf(fact);
    if (key === undefined) return this.facts++;
    const number = this.numbers.get(key) ?? this.facts++;
    this.numbers.set(key, number);
    return number;
  }
}

function hashOf(row: Int32Array, begin: number, length: number): number {
  let hash = length;
  for (let i = 1; i <= length; i++) {
    hash = Math.imul(hash ^ row[begin + i]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

/** A fact as a key, or `undefined` if it is not plain JSON. Facts without a key are different from all others. */
function keyOf(fact: unknown): string | undefined {
  let isPlain = true;
  const key = JSON.stringify(fact, (_, value: unknown) => {
    isPlain &&= isJson(value);
    return value;
  });
  return isPlain ? key : undefined;
}

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || value === null)
    return value === null || typeof value === 'string' || typeof value === 'boolean';
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
