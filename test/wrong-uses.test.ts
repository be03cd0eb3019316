/** Wrong uses of the functions that simulate, check, test and observe: each has a helpful error, and none a bare TypeError. */
import { expect, test } from 'vitest';
import { inspect } from '../inspector/live/inspect.js';
import { record } from '../inspector/live/record.js';
import { compile, UsageError } from '../index.js';
import { Simulation } from '../entries/network.js';
import { directory, directoryCore } from '../machines/directory/index.js';
import * as checking from '../entries/check.js';
import * as testing from '../entries/test.js';
import { rehearse } from './rehearsal/rehearse.js';
import { swarm } from './swarm/swarm.js';
import { systemsOf } from './system/systems.js';

/** Arguments of a JavaScript program, which has no type checks. */
const any = { ...testing, ...checking, swarm, systemsOf, compile, rehearse, inspect, record } as unknown as Record<
  string,
  (...given: any[]) => unknown
>;
const NO_PROTOCOL = 'needs a protocol as its first argument, got ';

const uses: [what: string, use: () => unknown, answer: string][] = [
  ...['explore', 'describeProtocol', 'startChart', 'startSystem', 'graphsOf', 'systemsOf', 'swarm', 'verifyTrace'].flatMap(
    (name): [string, () => unknown, string][] => [
      [`${name} of nothing`, () => any[name]!(), `${name} ${NO_PROTOCOL}undefined`],
      [`${name} by name`, () => any[name]!('directory', {}), `${name} ${NO_PROTOCOL}"directory"`],
    ],
  ),
  ['the coverage of nothing', () => new checking.Coverage(undefined as never), `Coverage ${NO_PROTOCOL}undefined`],
  [
    'a core where properties are wanted',
    () => any['explore']!(directoryCore, {}),
    'explore needs a protocol as its first argument, got a core. Pass defineProtocol(core).',
  ],
  [
    'the JSON of a scenario',
    () => any['checkScenario']!({ protocol: 'directory' }),
    'checkScenario needs a scenario as its first argument',
  ],
  ['a simulation of nothing', () => new Simulation(undefined as never), 'Simulation needs a scenario as its first argument'],
  [
    'tests of a protocol without a runner',
    () => any['describeProtocol']!(directory),
    "describeProtocol(protocol, …) has no describe; hand over { describe, test, expect }, as in import { describe, test, expect } from 'vitest'",
  ],
  [
    'scenarios without a runner',
    () => any['describeScenarios']!({}, {}),
    'describeScenarios(protocols, scenarios, …) has no test; hand over { test, expect }',
  ],
  [
    'a config of a machine',
    () => any['compile']!({ initial: 'a' }),
    'compile needs a machine. Pass the result of createMachine.',
  ],
  ['a rehearsal of nothing', () => any['rehearse']!(), 'rehearse requires options and the main function of a peer'],
  [
    'a rehearsal without a main',
    () => any['rehearse']!({ runs: 1 }),
    'rehearse requires options and the main function of a peer',
  ],
  ['a look at nothing', () => any['inspect']!(), 'inspect takes nodes. Pass the result of createNode, or locks.node.'],
  ['a look at locks', () => any['inspect']!({ node: {} }), 'inspect takes nodes. Pass the node of each: locks.node.'],
  [
    'a record of nothing',
    () => any['record']!({}, () => {}),
    'record takes nodes. Pass the result of createNode, or locks.node.',
  ],
];

test.each(uses)('%s: %s', async (_, use, answer) => {
  const answered = (async () => use())();
  await expect(answered).rejects.toThrow(UsageError);
  await expect(answered).rejects.toThrow(answer);
  await expect(answered).rejects.toThrow(/^[^\n]{1,400}$/);
});
