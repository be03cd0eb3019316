/** What listens to a program must not harm it: a listener that fails says so once, and the program goes on. */
import { messageOf } from './plain.js';

let hasWarned = false;

/** The same, but that it throws nothing. */
export function harmless<A extends unknown[]>(listen: (...heard: A) => void): (...heard: A) => void {
  return (...heard) => {
    try {
      listen(...heard);
    } catch (error) {
      if (hasWarned) return;
      hasWarned = true;
      console.warn(
        `quiver: the inspector could not record a step, and may miss others; the program goes on: ${messageOf(error)}`,
      );
    }
  };
}
