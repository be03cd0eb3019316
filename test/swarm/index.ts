/** Random search at scale; it needs fast-check, an optional peer. */
export { swarm, type SwarmOptions, type SwarmReport } from './swarm.js';
