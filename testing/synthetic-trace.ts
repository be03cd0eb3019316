/**
 * Traces of any size for measurements and for tests of the limits: a torus of nodes that pass `ping` and `pong` to their neighbors, with
 * pointers, badges and tones, from a seed. It uses no protocol and no simulation, so only the inspector is measured.
 */
import { Random } from '../network/random.js';
import type { StepLine, TraceHeader } from '../network/trace.js';

export interface SyntheticSize {
  readonly rows: number;
  readonly columns: number;
  readonly lines: number;
  /** Number of messages in flight at any time. */
  readonly flights: number;
}

interface Due {
  readonly at: number;
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly type: string;
}

const LATENCY = 10;
const CHART = { id: 'ball', initial: 'calm', states: { calm: { on: { ping: 'busy' } }, busy: { on: { pong: 'calm' } } } };

export function* syntheticTrace({ rows, columns, lines, flights }: SyntheticSize): Generator<string> {
  const random = new Random(1, 'synthetic');
  const name = (row: number, column: number) => `n${((row + rows) % rows) * columns + ((column + columns) % columns)}`;
  const cells = Array.from({ length: rows * columns }, (_, i) => [Math.floor(i / columns), i % columns] as const);
  const header: TraceHeader = {
    quiver: 1,
    protocol: 'synthetic',
    scenario: null,
    seed: 1,
    nodes: cells.map(([row, column]) => name(row, column)),
    links: cells.flatMap(([row, column]) => [
      [name(row, column), name(row, column + 1), 1] as const,
      [name(row, column), name(row + 1, column), 1] as const,
    ]),
    charts: { ball: CHART },
    properties: [],
  };
  yield `${JSON.stringify(header)}\n`;
  const neighbor = (node: string): string => {
    const [row, column] = cells[Number(node.slice(1))]!;
    const [dr, dc] = (
      [
        [0, 1],
        [1, 0],
        [0, -1],
        [-1, 0],
      ] as const
    )[random.below(4)]!;
    return name(row + dr, column + dc);
  };
  const queue: Due[] = [];
  const counts = new Map<string, number>();
  let ids = 0;
  for (let index = 0; index < lines; index++) {
    const at = Math.floor((index * LATENCY) / flights);
    const due = queue.length >= flights ? queue.shift()! : null;
    const node = due?.to ?? header.nodes[random.below(cells.length)]!;
    const type = due?.type === 'ping' ? 'pong' : 'ping';
    const to = neighbor(node);
    const sent = { id: ids++, to, message: { type }, cost: 1 };
    queue.push({ at: at + LATENCY, id: sent.id, from: node, to, type });
    counts.set(node, (counts.get(node) ?? 0) + 1);
    const value = type === 'ping' ? 'calm' : 'busy';
    const line: StepLine = {
      index,
      at,
      kind: due ? 'deliver' : 'command',
      node,
      role: 'ball',
      event: { type: due?.type ?? 'serve', ...(due ? { from: due.from } : {}) },
      ...(due ? { message: due.id } : {}),
      sent: [sent],
      emitted: [],
      roles: { ball: { chart: 'ball', value, context: { partner: to, count: counts.get(node)! } } },
      overlay: { pointers: [{ to, kind: 'partner' }], tone: value === 'busy' ? 'active' : 'plain' },
      clock: { [node]: counts.get(node)!, ...(due ? { [due.from]: counts.get(due.from) ?? 0 } : {}) },
    };
    yield `${JSON.stringify(line)}\n`;
  }
}
