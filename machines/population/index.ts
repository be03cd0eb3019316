/** Population protocols on top of local mutual exclusion: an agent locks its neighbourhood, or a pair, and meets one of those it holds. */
export { Population } from './population.js';
export { exactMajority, leaderElection, type PopulationProtocol } from './protocols.js';
