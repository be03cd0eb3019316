/** What a program hands over first: a protocol, a scenario. What is none is refused with an error that names it, before anything runs on it. */
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import { shownValue } from './read.js';
import type { Scenario } from './types.js';

const given = (value: unknown): string => (typeof value === 'function' ? 'a function' : shownValue(value));

/** Throws a `UsageError` for what `defineProtocol` did not give. */
export function requireProtocol(who: string, value: unknown): asserts value is Protocol {
  if (isObject(value) && isObject(value['charts']) && typeof value['properties'] === 'function') return;
  const cure =
    isObject(value) && isObject(value['charts']) ? 'defineProtocol(core) makes one of a core' : 'give what defineProtocol gives';
  throw new UsageError(`${who} takes a protocol first; ${cure}; this is ${given(value)}`);
}

/** Throws a `UsageError` for what `parseScenario` did not give. */
export function requireScenario(who: string, value: unknown): asserts value is Scenario {
  if (isObject(value) && isObject(value['protocol']) && isObject(value['graph']) && isObject(value['network'])) return;
  throw new UsageError(`${who} takes a scenario first; give parseScenario(json, protocols); this is ${given(value)}`);
}
