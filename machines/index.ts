/** All protocols by name. To add one, write its folder and add a line here. */
import { controller } from './controller/index.js';
import { directory } from './directory/index.js';
import { election } from './election/index.js';
import { exclusion } from './exclusion/index.js';
import { link } from './link/index.js';
import { locks } from './locks/index.js';
import { queue } from './queue/index.js';
import { tabs } from './tabs/index.js';
import type { Protocol } from './protocol.js';

/**
 * All protocols of Quiver by name, as `parseScenario` and the `quiver` command know them.
 *
 * @public
 */
export const protocols: Readonly<Record<string, Protocol>> = {
  controller,
  directory,
  election,
  exclusion,
  link,
  locks,
  queue,
  tabs,
};
