import { test } from 'vitest';
import { broadcastChannel, broadcastChannelGuarantees } from './broadcast-channel.js';
import { transportConformance } from './conformance.js';

let networks = 0;

transportConformance({
  test,
  guarantees: broadcastChannelGuarantees,
  create: (ids) => {
    const channel = `test ${networks++}`;
    return ids.map((id) => broadcastChannel({ id, channel }));
  },
});
