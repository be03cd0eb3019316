/** Checks an election message from the network before the chart receives it, because another program may have sent it. */
import { isObject } from '../checks.js';
import type { Instance } from '../protocol.js';
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
import type { Update } from './messages.js';
import { identityOf, type ElectionProtocolOptions } from './options.js';

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

/** A node that takes part in no search has no originator and nothing reflected. */
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

export const electionMessages = {
  update: { height: isHeight, hello: isBoolean, stamp: isStamp, tables: isTables },
} satisfies ShapesOf<Update>;
