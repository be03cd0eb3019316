/** Functions that load a protocol by its name. The command line uses them to load only the protocols that a scenario needs. */
import type { Protocol } from './protocol.js';

export const loaders: Readonly<Record<string, () => Promise<Protocol>>> = {
  controller: async () => (await import('./controller/index.js')).controller,
  directory: async () => (await import('./directory/index.js')).directory,
  election: async () => (await import('./election/index.js')).election,
  exclusion: async () => (await import('./exclusion/index.js')).exclusion,
  link: async () => (await import('./link/index.js')).link,
  locks: async () => (await import('./locks/index.js')).locks,
  queue: async () => (await import('./queue/index.js')).queue,
  tabs: async () => (await import('./tabs/index.js')).tabs,
};
