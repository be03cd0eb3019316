/** Checks that a program passes a protocol or scenario as the first argument. */
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import { shownValue } from './read.js';
import type { Scenario } from './types.js';

/** Throws a `UsageError` unless the value is a result of `defineProtocol`. */
export function requireProtocol(who: string, value: unknown): asserts value is Protocol {
  if (isObject(value) && isObject(value['charts']) && typeof value['properties'] === 'function') return;
  const isCore = isObject(value) && isObject(value['charts']);
  const fix = isCore ? 'Pass defineProtocol(core).' : 'Pass the result of defineProtocol.';
  throw new UsageError(`${who} needs a protocol as its first argument, got ${isCore ? 'a core' : shownValue(value)}. ${fix}`);
}

/** Throws a `UsageError` unless the value is a result of `parseScenario`. */
export function requireScenario(who: string, value: unknown): asserts value is Scenario {
  if (isObject(value) && isObject(value['protocol']) && isObject(value['graph']) && isObject(value['network'])) return;
  throw new UsageError(
    `${who} needs a scenario as its first argument, got ${shownValue(value)}. Pass parseScenario(json, protocols).`,
  );
}
