/**
 * What the options of quotas, names and banks have to be; apart from their node, because lasting ones have none of it. What a tree of
 * parents, a clock or an observer has to be is said where they are used: these entries have little room (scripts/sizes.test.ts).
 */
import { anything, optional, peers, someText, transport } from '../options.js';

/** Those that they share. */
export const PEERS_CHECKS = {
  transport,
  peers,
  name: optional(someText),
  parents: optional(anything),
  inspect: optional(anything),
  clock: optional(anything),
  crypto: optional(anything),
};
