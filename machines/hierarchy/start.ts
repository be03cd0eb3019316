/**
 * The levels of a hierarchy: their rules in a scenario, and their initial presence tables.
 *
 * The start is the fixed point of the levels' own rules, applied by all nodes at once from empty tables at time 0 (spec section 8).
 */
import { isIntegerOf } from '../checks.js';
import type { NodeId } from '../effects.js';
import type { Adjacency } from '../election/graph.js';
import type { Identity } from '../election/height.js';
import type { PresenceTable } from '../election/messages.js';
import { UsageError } from '../errors.js';
import { candidates, hasSenior, isSameTable, memberOf, withOwn, type ReceivedTable } from './presence.js';

export interface LevelRule {
  readonly radius: number;
  readonly separation: number;
}

export interface LevelStart {
  readonly birth: number | null;
  readonly member: Identity;
  readonly table: PresenceTable;
}

type Raw = Readonly<Record<string, unknown>>;

/** Reads `radii` and `separations`, lowest level first. By default, separations equal the radii. */
export function levelRules(raw: Raw): LevelRule[] {
  const radii = hops(raw, 'radii') ?? [];
  radii.forEach((radius, i) => {
    if (i > 0 && radius <= radii[i - 1]!) {
      throw new UsageError(
        `options.radii[${i}] is ${radius} after ${radii[i - 1]}. Each level needs a larger radius than the level below.`,
      );
    }
  });
  const separations = hops(raw, 'separations') ?? radii;
  if (separations.length !== radii.length) {
    throw new UsageError(
      `options.separations must list one number for each level: ${radii.length}, as options.radii, and not ${separations.length}.`,
    );
  }
  return radii.map((radius, i) => {
    const separation = separations[i]!;
    if (separation > radius) {
      throw new UsageError(
        `options.separations[${i}] is ${separation}, more than the radius ${radius}: leaders that far apart do not know each other. Lower it.`,
      );
    }
    return { radius, separation };
  });
}

/** Maximum radius. Distances to a lost leader are counted up to the radius, hop by hop. */
const RADIUS_MAX = 10_000;

/** Reads a list of distances of at least one hop. */
function hops(raw: Raw, key: string): readonly number[] | undefined {
  const value = raw[key];
  if (value === undefined) return undefined;
  if (!Array.isArray(value))
    throw new UsageError(`options.${key} is ${JSON.stringify(value)}. Use a list of hops, lowest level first.`);
  return value.map((entry: unknown, i) => {
    if (!isIntegerOf(entry, 1, RADIUS_MAX)) {
      const range = Number(entry) > RADIUS_MAX ? `between 1 and ${RADIUS_MAX}` : 'of at least 1';
      throw new UsageError(`options.${key}[${i}] is ${JSON.stringify(entry)}. Use an integer ${range}.`);
    }
    return entry;
  });
}

const nothing = (id: Identity): LevelStart => ({ birth: null, member: id, table: [] });

/** Initial state of every node on one level; levels do not read each other. */
export function tablesAtStart(
  adjacency: Adjacency,
  rule: LevelRule,
  identity: (node: NodeId) => Identity,
): ReadonlyMap<NodeId, LevelStart> {
  let now = new Map([...adjacency.keys()].map((node) => [node, nothing(identity(node))]));
  for (let moved = true; moved;) {
    const next = new Map<NodeId, LevelStart>();
    moved = false;
    for (const [node, peers] of adjacency) {
      const before = now.get(node)!;
      const received = peers.map((peer) => ({ peer, table: now.get(peer)!.table }));
      const after = applyRules(identity(node), before, received, rule);
      moved ||= !isSameTable(before.table, after.table);
      next.set(node, after);
    }
    now = next;
  }
  return now;
}

/** Applies rules 1 to 5 at time 0. */
function applyRules(
  id: Identity,
  before: LevelStart,
  received: readonly ReceivedTable[],
  { radius, separation }: LevelRule,
): LevelStart {
  const near = candidates(id, received, radius);
  const own = { birth: before.birth ?? 0, id, distance: 0 };
  const led = before.table.some(({ distance }) => distance === 0);
  const leads = led ? !hasSenior(own, near, separation) : near.length === 0;
  const table = leads ? withOwn(own, near) : near;
  return { birth: leads ? own.birth : before.birth, member: leads ? id : memberOf(before.member, table), table };
}
