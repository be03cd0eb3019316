/** The core of the election, alone or with the hierarchy on it: what an application carries of them. */
import { isObject } from '../checks.js';
import { coreOf } from '../core.js';
import type { NodeId } from '../effects.js';
import { levelMachine, type LevelInput } from '../hierarchy/level.js';
import { levelRules, tablesAtStart } from '../hierarchy/start.js';
import type { Instance, RoleStart } from '../protocol.js';
import {
  isBoolean,
  isInteger,
  isNode,
  isOneOf,
  isWithin,
  listOf,
  nullOr,
  recordOf,
  tupleOf,
  type FieldCheck,
  type ShapesOf,
} from '../shapes.js';
import { oriented } from './height.js';
import { electionMachine, type ElectionInput } from './machine.js';
import { ELECTION, LEVEL, levelRole, type Update } from './messages.js';
import { electionOptions, identityOf, type ElectionProtocolOptions, type Levels } from './options.js';

type Instantiated = Instance<ElectionProtocolOptions>;

const isTime: FieldCheck = (value) => typeof value === 'number' && value >= 0 && value < Infinity;

const isIdentity: FieldCheck = (value, instance) =>
  Array.isArray(value) && value.length === 2 && isNode(value[1], instance) && value[0] === identityOf(value[1], instance)[0];

const isHeightOfSomeSearch = recordOf({
  tau: isTime,
  oid: nullOr(isIdentity),
  r: isOneOf(0, 1),
  delta: isInteger,
  nlts: (value, instance) => typeof value === 'number' && isTime(-value, instance),
  lid: isIdentity,
  id: isIdentity,
});

/** Who takes part in no search has no originator and nothing reflected. */
const isHeight: FieldCheck = (value, instance) =>
  isHeightOfSomeSearch(value, instance) &&
  isObject(value) &&
  (value['tau'] === 0 ? value['oid'] === null && value['r'] === 0 : value['oid'] !== null);

const isStamp: FieldCheck = (value, instance: Instantiated) =>
  instance.options.clock === 'logical' ? isTime(value, instance) : value === null;

const isTables: FieldCheck = (value, instance: Instantiated) =>
  tupleOf(
    ...instance.options.levels.map(({ radius }) =>
      listOf(recordOf({ birth: isTime, id: isIdentity, distance: isWithin(0, radius + 1) })),
    ),
  )(value, instance);

const hierarchy: Levels = {
  charts: { [LEVEL]: levelMachine },
  keys: ['radii', 'separations'],
  rules: levelRules,
  tablesAtStart,
};
const noLevels: Levels = { charts: {}, keys: [], rules: () => [], tablesAtStart: () => new Map() };

const coreWith = (above: Levels) =>
  coreOf<ElectionProtocolOptions>({
    name: 'election',
    charts: { [ELECTION]: electionMachine, ...above.charts },
    network: { reach: 'links', order: 'fifo', time: true },
    options: (raw, graph) => electionOptions(raw, graph, above),
    roles,
    route: () => ELECTION,
    messages: {
      update: { height: isHeight, hello: isBoolean, stamp: isStamp, tables: isTables },
    } satisfies ShapesOf<Update>,
  });

/**
 * The leader election and its hierarchy without checks and view: what an application carries of them.
 *
 * @public
 */
export const electionCore = /* @__PURE__ */ coreWith(hierarchy);

/** The same without levels of leaders: what a protocol carries that asks for one leader only. */
export const oneLeaderCore = /* @__PURE__ */ coreWith(noLevels);

function roles(node: NodeId, instance: Instantiated): readonly RoleStart[] {
  const { start, levels, clock, hello, skipIfLeader, sink } = instance.options;
  const heightAt = (id: NodeId) =>
    oriented(identityOf(id, instance), identityOf(start[id]!.leader, instance), start[id]!.distance);
  const { neighbours } = start[node]!;
  const id = identityOf(node, instance);
  const sorted = neighbours.toSorted();
  const input: ElectionInput = {
    id,
    height: heightAt(node),
    links: sorted.map((peer) => ({ peer, height: heightAt(peer) })),
    clock,
    hello,
    skipIfLeader,
    sink,
    levels: levels.length,
  };
  return [
    { role: ELECTION, chart: ELECTION, input },
    ...levels.map((rule, i): RoleStart => {
      const next = i + 1 === levels.length ? ELECTION : levelRole(i + 2);
      const heard = sorted.map((peer) => ({ peer, table: start[peer]!.levels[i]!.table }));
      const input: LevelInput = { id, level: i + 1, ...rule, next, ...start[node]!.levels[i]!, heard };
      return { role: levelRole(i + 1), chart: LEVEL, input };
    }),
  ];
}
