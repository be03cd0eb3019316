/** The judges of a rehearsal in one namespace: `judges.alone`, `judges.linearizable`. */
export { alone, fences, noErrors, settles, undisturbed } from './judges.js';
export { sequentialRegister } from './linearizability.js';
export { bounded, delivery, linearizable, noLeaks, oneLeader, unique, withinBudget } from './object-judges.js';
