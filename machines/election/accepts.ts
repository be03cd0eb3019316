/** Whether a message from the network has the shape of an Update: a malformed one changes nothing. */
import { isObject } from '../checks.js';
import type { Instance } from '../protocol.js';
import type { ElectionOptions } from './options.js';

type Check = (value: unknown) => boolean;

const isTime: Check = (value) => typeof value === 'number' && value >= 0 && value < Infinity;

export function accepts(message: unknown, { rank, options }: Instance<ElectionOptions>): boolean {
  const isIdentity: Check = (value) =>
    Array.isArray(value) &&
    value.length === 2 &&
    typeof value[1] === 'string' &&
    rank(value[1]) >= 0 &&
    value[0] === rank(value[1]) + 1;
  if (!isObject(message) || message['type'] !== 'update' || typeof message['hello'] !== 'boolean') return false;
  const { height, stamp, tables } = message;
  return (
    (options.clock === 'logical' ? isTime(stamp) : stamp === null) &&
    isHeight(height, isIdentity) &&
    Array.isArray(tables) &&
    tables.length === options.levels.length &&
    options.levels.every(({ radius }, i) => isTable(tables[i], radius, isIdentity))
  );
}

function isHeight(value: unknown, isIdentity: Check): boolean {
  if (!isObject(value)) return false;
  const { tau, oid, r, delta, nlts, lid, id } = value;
  const isReferenceLevel = tau === 0 ? oid === null && r === 0 : isTime(tau) && isIdentity(oid) && (r === 0 || r === 1);
  return isReferenceLevel && Number.isSafeInteger(delta) && isTime(-(nlts as number)) && isIdentity(lid) && isIdentity(id);
}

const isTable = (value: unknown, radius: number, isIdentity: Check): boolean =>
  Array.isArray(value) &&
  value.every(
    (entry) =>
      isObject(entry) &&
      isTime(entry['birth']) &&
      isIdentity(entry['id']) &&
      Number.isInteger(entry['distance']) &&
      (entry['distance'] as number) >= 0 &&
      (entry['distance'] as number) <= radius,
  );
