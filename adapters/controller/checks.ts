/**
 * Checks of the common options of quotas, names and banks. Durable ones do not have a node, so the node's options are checked elsewhere.
 */
import { anything, optional, peers, someText, transport } from '../options.js';

/** Checks of the options that quotas and banks share. */
export const PEERS_CHECKS = {
  transport,
  peers,
  name: optional(someText),
  parents: optional(anything),
  inspect: optional(anything),
  clock: optional(anything),
  crypto: optional(anything),
};
