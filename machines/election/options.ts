/** The election's options, as a scenario gives them, checked and completed. */
import { nodeOf, oneOf, refuseUnknown } from '../checks.js';
import type { NodeId } from '../effects.js';
import { UsageError } from '../errors.js';
import type { NetworkGraph } from '../protocol.js';
import type { Identity } from './height.js';
import { startOf, type LevelRule, type Start } from './start.js';

export interface ElectionOptions {
  /** Leads its component at the start; other components start under the first of their nodes. */
  readonly leader: NodeId;
  readonly clock: 'perfect' | 'logical';
  readonly hello: boolean;
  readonly skipIfLeader: boolean;
  readonly sink: 'settled' | 'printed';
  /** The levels of the hierarchy, lowest first. */
  readonly levels: readonly LevelRule[];
  readonly start: Readonly<Record<NodeId, Start>>;
}

const KEYS = ['leader', 'clock', 'hello', 'skipIfLeader', 'sink', 'radii', 'separations'] as const;

type Raw = Readonly<Record<string, unknown>>;

export const identityOf = (node: NodeId, { rank }: Pick<NetworkGraph, 'rank'>): Identity => [rank(node) + 1, node];

export function electionOptions(raw: Raw, graph: NetworkGraph): ElectionOptions {
  refuseUnknown(raw, KEYS);
  const leader = nodeOf(raw, 'leader', graph, graph.topology.nodes[0]!);
  const hello = truth(raw, 'hello', true);
  const levels = levelRules(raw);
  if (levels.length > 0 && !hello) {
    throw new UsageError('options.radii needs hello: without it a neighbour may never tell its tables; leave hello on');
  }
  return {
    leader,
    clock: oneOf(raw, 'clock', ['perfect', 'logical'], 'perfect'),
    hello,
    skipIfLeader: truth(raw, 'skipIfLeader', false),
    sink: oneOf(raw, 'sink', ['settled', 'printed'], 'settled'),
    levels,
    start: startOf(graph.topology, leader, levels, (node) => identityOf(node, graph)),
  };
}

function levelRules(raw: Raw): LevelRule[] {
  const radii = hops(raw, 'radii') ?? [];
  radii.forEach((radius, i) => {
    if (i > 0 && radius <= radii[i - 1]!) {
      throw new UsageError(
        `options.radii[${i}] is ${radius} after ${radii[i - 1]}; every level must reach further than the one before`,
      );
    }
  });
  const separations = hops(raw, 'separations') ?? radii;
  if (separations.length !== radii.length) {
    throw new UsageError(
      `options.separations has ${separations.length} entries for ${radii.length} radii; give one for each level`,
    );
  }
  return radii.map((radius, i) => {
    const separation = separations[i]!;
    if (separation > radius) {
      throw new UsageError(
        `options.separations[${i}] is ${separation}, more than the radius ${radius}; two leaders that far apart do not hear of each other`,
      );
    }
    return { radius, separation };
  });
}

/** A list of distances, each at least one hop. */
function hops(raw: Raw, key: string): readonly number[] | undefined {
  const value = raw[key];
  if (value === undefined) return undefined;
  if (!Array.isArray(value))
    throw new UsageError(`options.${key} is ${JSON.stringify(value)}; give a list of hops, lowest level first`);
  value.forEach((entry: unknown, i) => {
    if (!Number.isSafeInteger(entry) || (entry as number) < 1) {
      throw new UsageError(`options.${key}[${i}] is ${JSON.stringify(entry)}; give an integer of at least 1`);
    }
  });
  return value as number[];
}

function truth(raw: Raw, key: string, fallback: boolean): boolean {
  const value = raw[key] ?? fallback;
  if (typeof value !== 'boolean') throw new UsageError(`options.${key} is ${JSON.stringify(value)}; give true or false`);
  return value;
}
