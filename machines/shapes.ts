/**
 * The shapes of messages: a message of a peer becomes an event of a chart only if every field passes the check of its type.
 *
 * A shape gives each field its check; `type` is not among them. A message with an additional field is malformed as well, because a chart
 * may store what it receives, and nothing else checks it.
 *
 *
 * ```ts
 * messages: { find: { producer: isNode, visited: listOf(isNode, { min: 1 }) }, token: { fence: nullOr(isCount) } }
 * ```
 */
import { isObject } from './checks.js';
import type { Message } from './effects.js';
import type { Instance } from './protocol.js';

/** Checks the value of a field, in this instance of the problem. */
export type FieldCheck = (value: unknown, instance: Instance<any>) => boolean;

/** A check for each field of one type of message. */
export type MessageShape = Readonly<Record<string, FieldCheck>>;

/** The fields of each type of message. */
export type MessageShapes = Readonly<Record<string, MessageShape>>;

/** Shapes of all messages of a union, complete in types and fields. For `satisfies`. */
export type ShapesOf<M extends Message> = {
  readonly [T in M['type']]: { readonly [K in Exclude<keyof OfType<M, T>, 'type'>]-?: FieldCheck };
};

type OfType<M extends Message, T> = M extends unknown ? (T extends M['type'] ? M : never) : never;

/** A node of the instance. */
export const isNode: FieldCheck = (value, { rank }) => typeof value === 'string' && rank(value) >= 0;

export const isInteger: FieldCheck = (value) => Number.isSafeInteger(value);

/** An integer of at least 0. */
export const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** An integer of at least `min` and less than `bound`. */
export const isWithin =
  (min: number, bound: number): FieldCheck =>
  (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value < bound;

export const isBoolean: FieldCheck = (value) => typeof value === 'boolean';

/** A string of at most this many characters. */
export const isText =
  (lengthMax: number): FieldCheck =>
  (value) =>
    typeof value === 'string' && value.length <= lengthMax;

/** One of these strings, numbers or booleans. */
export const isOneOf =
  (...values: readonly unknown[]): FieldCheck =>
  (value) =>
    values.includes(value);

/** Accepts `null` and all values that the check accepts. */
export const nullOr =
  (check: FieldCheck): FieldCheck =>
  (value, instance) =>
    value === null || check(value, instance);

/** A field that may be absent or must pass this check. */
export const absentOr =
  (check: FieldCheck): FieldCheck =>
  (value, instance) =>
    value === undefined || check(value, instance);

/** A list of `min` to `max` items that pass the check. */
export const listOf =
  (check: FieldCheck, { min = 0, max = Infinity } = {}): FieldCheck =>
  (value, instance) =>
    Array.isArray(value) && value.length >= min && value.length <= max && value.every((item) => check(item, instance));

/** A list with exactly these items. */
export const tupleOf =
  (...checks: readonly FieldCheck[]): FieldCheck =>
  (value, instance) =>
    Array.isArray(value) && value.length === checks.length && checks.every((check, i) => check(value[i], instance));

/** An object with these fields and no others. */
export const recordOf =
  (shape: MessageShape): FieldCheck =>
  (value, instance) =>
    isObject(value) && hasShape(value, shape, instance);

/** Any value. For charts that only forward it or keep it for the application. */
export const isAnything: FieldCheck = () => true;

const hasShape = (value: Readonly<Record<string, unknown>>, shape: MessageShape, instance: Instance): boolean =>
  Object.keys(value).every((key) => Object.hasOwn(shape, key)) &&
  Object.entries(shape).every(([key, check]) => check(value[key], instance));

/** True if a message has the shape that its type requires. */
export function isOfShape(message: unknown, shapes: MessageShapes, instance: Instance): boolean {
  if (!isObject(message)) return false;
  const { type, ...fields } = message;
  return typeof type === 'string' && Object.hasOwn(shapes, type) && hasShape(fields, shapes[type]!, instance);
}
