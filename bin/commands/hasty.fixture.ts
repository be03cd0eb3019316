/** The election on a ring with one mistake, as an external module: a candidate takes any probe for its own. */
import { ring } from '../../examples/own-protocol/index.js';
import { ringMachine } from '../../examples/own-protocol/machine.js';
import type { Protocol } from '../../machines/protocol.js';

export const hasty: Protocol = {
  ...ring,
  name: 'hasty',
  charts: { ring: ringMachine.provide({ guards: { isOwn: () => true } }) },
};
