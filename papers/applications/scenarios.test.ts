/** The scenarios of the applications, as the pages on the queue and the controller show them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { checkScenario } from '../../test/explore/scenario.js';
import * as applications from './index.js';

const protocols = Object.fromEntries(Object.values(applications).map((protocol) => [protocol.name, protocol]));

test.each([
  ['multicast', 22301],
  ['mobile-object', 4122],
  ['diffusion', 81],
])('%s: %i states, valid', (name, states) => {
  const json = JSON.parse(readFileSync(new URL(`scenarios/${name}.json`, import.meta.url), 'utf8')) as object;
  expect(checkScenario(parseScenario(json, protocols as never))).toMatchObject({ verdict: 'valid', states });
});
