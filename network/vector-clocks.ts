/**
 * Vector clocks, one for each line of a trace.
 *
 * A clock is an immutable row of counters in blocks: messages carry the row of their sender, and rows share all equal blocks. Neighbors
 * have almost the same clocks, so a step copies one or two blocks and not a counter for every node.
 */
import type { NodeId } from '../machines/effects.js';

type Block = readonly number[];
export type ClockRow = readonly Block[];

const BLOCK = 16;
const NOTHING: ClockRow = [];
const ZEROS: Block = Array.from({ length: BLOCK }, () => 0);

export class VectorClocks {
  private readonly names: NodeId[] = [];
  private readonly numbers = new Map<NodeId, number>();
  private readonly rows: ClockRow[] = [];

  takeOver({ names, numbers, rows }: VectorClocks): void {
    this.names.push(...names);
    for (const [name, number] of numbers) this.numbers.set(name, number);
    this.rows.push(...rows);
  }

  /** Records a step of the node, which now knows everything in `received`. */
  step(node: NodeId, received: ClockRow = NOTHING): ClockRow {
    const number = this.numberOf(node);
    const row = merge(this.rows[number] ?? NOTHING, received);
    const place = Math.floor(number / BLOCK);
    while (row.length <= place) row.push(ZEROS);
    const own = row[place]!.slice();
    own[number % BLOCK]!++;
    row[place] = own;
    this.rows[number] = row;
    return row;
  }

  of(node: NodeId): ClockRow {
    return this.rows[this.numberOf(node)] ?? NOTHING;
  }

  /** The row by name, without unknown nodes. */
  record(row: ClockRow): Record<NodeId, number> {
    const counts: Record<NodeId, number> = {};
    for (const [place, block] of row.entries()) {
      for (const [i, count] of block.entries()) if (count > 0) counts[this.names[place * BLOCK + i]!] = count;
    }
    return counts;
  }

  private numberOf(node: NodeId): number {
    let number = this.numbers.get(node);
    if (number === undefined) this.numbers.set(node, (number = this.names.push(node) - 1));
    return number;
  }
}

function merge(row: ClockRow, received: ClockRow): Block[] {
  const merged = row.slice();
  for (let place = 0; place < received.length; place++) {
    const [own, other] = [merged[place], received[place]!];
    if (own !== other) merged[place] = own ? latest(own, other) : other;
  }
  return merged;
}

/** One of the two blocks, if it is nowhere behind the other. */
function latest(own: Block, other: Block): Block {
  let [isBehind, isAhead] = [false, false];
  for (let i = 0; i < BLOCK; i++) {
    if (own[i]! < other[i]!) isBehind = true;
    else if (own[i]! > other[i]!) isAhead = true;
  }
  if (!isBehind) return own;
  return isAhead ? own.map((count, i) => Math.max(count, other[i]!)) : other;
}
