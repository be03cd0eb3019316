/** Every interleaving of the systems of each protocol with a node that goes: it leaves, is cut off, or stops at any moment. */
import { describe, expect, test } from 'vitest';
import { protocols } from '../../machines/index.js';
import { checkScenario } from '../explore/scenario.js';
import { systemsOf } from '../system/systems.js';
import { acceptedBy, departuresIn, withoutTimes } from './departures.js';

const STATES_MAX = 20_000;

describe.each(Object.values(protocols).map((protocol) => [protocol.name, protocol] as const))('%s', (_, protocol) => {
  const systems = systemsOf(protocol).filter(({ violates }) => violates === undefined);
  test.each(systems.map(({ index, json }) => [index, json] as const))('system %i keeps its promises', (_index, system) => {
    for (const json of withoutTimes([...departuresIn(protocol, system, protocol.name === 'controller' ? true : undefined)])) {
      const { verdict, counterexample } = checkScenario(acceptedBy(protocol, json)!, { bounds: { states: STATES_MAX } });
      expect({ json, violated: verdict === 'invalid' && counterexample }).toEqual({ json, violated: false });
    }
  });
});
