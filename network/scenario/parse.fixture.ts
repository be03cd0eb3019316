/** The directory with additional features of other protocols: ports, corruption, commands with fields. */
import { directory } from '../../machines/directory/index.js';
import type { Command, Protocol } from '../../machines/protocol.js';
import { parseScenario } from './parse.js';

const take: Command = {
  fields: [
    { name: 'amount', type: 'integer' },
    { name: 'friend', type: 'node' },
  ],
  event: (fields) => ({ type: 'take', ...fields }),
  waits: false,
  completedBy: [],
};
/** The command `lend` has an amount of at most nine and an optional receiver. */
const lend: Command = {
  fields: [
    { name: 'amount', type: 'integer', min: 1 },
    { name: 'to', type: 'node', optional: true },
  ],
  event: (fields) => ({ type: 'lend', ...fields }),
  refusal: (_, { amount }) => (Number(amount) > 9 ? 'nobody has as many; lend at most 9' : null),
  waits: false,
  completedBy: [],
};
const { corruption: _corruption, ...withoutCorruption } = directory;
const variant = (changes: Partial<Protocol>): Protocol => ({ ...withoutCorruption, ...changes, options: () => ({}) });
export const known: Record<string, Protocol> = {
  directory,
  silent: variant({ name: 'silent', commands: {}, network: { ...directory.network, reach: 'links', order: 'fifo' } }),
  ported: variant({
    name: 'ported',
    commands: { lock: directory.commands['request']!, take, lend },
    network: { reach: 'links', addressing: 'ports', order: 'unordered', time: false },
    corruption: { node: () => ({ roles: {}, timers: [] }), channel: () => [] },
  }),
};

const ring = { kind: 'ring', n: 4 };
export const parse = (scenario: Record<string, unknown>) =>
  parseScenario({ protocol: 'directory', topology: ring, ...scenario }, known);
export const ported = (event: unknown, topology: unknown = ring) =>
  parse({ protocol: 'ported', topology, events: [event] }).events[0];
