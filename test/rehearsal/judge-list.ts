/** The judges of a rehearsal as one object, so that users write `judges.alone` and `judges.linearizable`. */
export { alone, fences, noErrors, settles, undisturbed } from './judges.js';
export { sequentialRegister } from './linearizability.js';
export { bounded, delivery, linearizable, noLeaks, oneLeader, unique, withinBudget } from './object-judges.js';
