/**
 * Lemma 4.4.5: the number of bits of a BASIC message, and of a node's memory for a link, measured in a crowded run.
 *
 * A request goes up a link: it contains only its level. A permit or a reject comes down: one bit. The node knows the bin, because it waits
 * for one answer at a time. The charts' messages contain more (the controller, the level of an answer), for kinds that run two controllers
 * or wait for several answers.
 */
import { deliveryOf, rootBinOf, type Config } from '../../../machines/controller/view.js';
import { capacity, levelAt, lg, LOCAL_LEVEL } from '../../../machines/controller/bins.js';
import { protocols } from '../../../machines/index.js';
import type { Flight } from '../../../machines/protocol.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import type { Table } from '../experiment.js';
import { binary, chainShape, depthsOf, starShape, type TreeShape } from './trees.js';

const M = 1000;
const W = M / 2;

export interface Bits {
  /** Number of levels of bins, including the local bins. */
  readonly levels: number;
  /** Bits of the longest message. */
  readonly perMessage: number;
  readonly total: number;
  /** Maximum number of requests that waited at a node from one of its links. */
  readonly queuedPerLink: number;
  /** Memory of the delivery process for a link: whether a request waits, its level, and whether it is being processed. */
  readonly perLink: number;
  /** Memory of a node apart from its links: the fullest bin that must be counted. */
  readonly perNode: number;
}

const bitsFor = (values: number): number => Math.ceil(lg(Math.max(1, values)));

export function measureBits(shape: TreeShape): Bits {
  const n = shape.parents.length;
  const scenario = {
    protocol: 'controller',
    topology: {
      nodes: shape.parents.map((_, i) => `n${i}`),
      links: shape.parents.flatMap((parent, i) => (i === 0 ? [] : [[`n${parent}`, `n${i}`, 1]])),
    },
    options: { kind: 'basic', M, W },
    network: { latency: { min: 1, max: 9 }, order: 'fifo' },
    workload: { concurrent: n, requests: 2 * M },
  };
  const simulation = new Simulation(parseScenario(scenario, protocols), { host: 'snapshots', watch: false });
  simulation.start();
  const changes = simulation.configuration.follow!();
  const sent = { up: 0, down: 0 };
  const levels = new Set([LOCAL_LEVEL, ...depthsOf(shape).slice(1).map(levelAt)]);
  let queuedPerLink = 0;
  do {
    const { nodes, flights } = changes();
    for (const [{ message }, by] of flights as readonly (readonly [Flight, number])[]) {
      if (by > 0) sent[message.type === 'request' ? 'up' : 'down']++;
    }
    for (const id of nodes) {
      const delivery = deliveryOf(simulation.configuration.nodes.get(id)!, 'R');
      if (delivery)
        queuedPerLink = Math.max(
          queuedPerLink,
          mostFromOneLink((delivery as { queue?: readonly { link: string }[] }).queue ?? []),
        );
    }
  } while (simulation.advance());
  const perLevel = bitsFor(levels.size);
  const { scale } = rootBinOf(simulation.configuration as Config, 'R');
  return {
    levels: levels.size,
    perMessage: Math.max(perLevel, 1),
    total: sent.up * perLevel + sent.down,
    queuedPerLink,
    perLink: 1 + queuedPerLink * perLevel + 1,
    perNode: Math.max(bitsFor(M + 1), bitsFor(capacity(scale, LOCAL_LEVEL))),
  };
}

const mostFromOneLink = (queue: readonly { readonly link: string }[]): number => {
  const count = new Map<string, number>();
  for (const { link } of queue) count.set(link, (count.get(link) ?? 0) + 1);
  return Math.max(0, ...count.values());
};

export function bitsTable(): Table {
  const shapes = [chainShape(16), chainShape(64), chainShape(128), binary(128), starShape(128)];
  return {
    title: `Lemma 4.4.5: bits of BASIC, M = ${M}, W = M/2, all nodes asking at once`,
    columns: [
      '',
      'levels',
      'bits a message, ⌈lg(lg U + 2)⌉ at most',
      'bits in all, over (M/W)·U·lg²U·lg lg U',
      'requests waiting from one link',
      'bits a link',
      'bits a node',
    ],
    rows: shapes.map((shape) => {
      const U = shape.parents.length;
      const { levels, perMessage, total, queuedPerLink, perLink, perNode } = measureBits(shape);
      const atMost = Math.ceil(Math.log2(Math.log2(U) + 2));
      return {
        label: `${shape.name} ${U}`,
        cells: [
          { value: levels },
          { value: perMessage, expected: atMost, check: 'atMost' },
          { value: total / ((M / W) * U * Math.log2(U) ** 2 * Math.log2(Math.log2(U))) },
          { value: queuedPerLink, expected: 1, check: 'atMost' },
          { value: perLink, expected: 2 + atMost, check: 'atMost' },
          { value: perNode, expected: Math.ceil(Math.log2(M + 1)), check: 'atMost' },
        ],
      };
    }),
    note: 'A request contains its level, an answer is one bit. The root counts up to M; every other bin that is counted is smaller.',
  };
}
