/** Whether a message from the network has the shape that its type demands: what a stranger sends must not break a node. */
import { isObject } from '../checks.js';
import type { Scale } from './bins.js';

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isLevel = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= -1;
const isController = (value: unknown): boolean => value === 'R' || value === 'N';
const isName = (value: unknown): boolean => value === null || isCount(value);

function isScale(value: unknown): value is Scale {
  if (!isObject(value)) return false;
  if ('flat' in value) return isCount(value['flat']) && value['flat'] !== 0;
  return value['exponent'] === null || Number.isSafeInteger(value['exponent']);
}

const isTerms = (value: unknown): boolean =>
  isObject(value) && isScale(value['R']) && isScale(value['N']) && typeof value['alive'] === 'boolean';

type Check = Readonly<Record<string, (value: unknown) => boolean>>;

const shapes: Readonly<Record<string, Check>> = {
  request: { of: isController, level: isLevel },
  permit: { of: isController, level: isLevel, first: isName },
  reject: { of: isController, level: isLevel },
  defer: { of: isController, level: isLevel },
  return: { of: isController, permits: isCount },
  deposits: { level: isLevel, permits: isCount },
  welcome: { depth: isCount, name: isName, terms: isTerms },
  collect: {},
  echo: { count: isCount, departed: isCount, permits: isCount },
  leave: { departed: isCount },
  epoch: { terms: isTerms },
  severed: {},
};

export function isMessage(message: unknown): boolean {
  if (!isObject(message)) return false;
  const type = message['type'];
  if (typeof type !== 'string' || !Object.hasOwn(shapes, type)) return false;
  return Object.entries(shapes[type]!).every(([key, check]) => check(message[key]));
}
