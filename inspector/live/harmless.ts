/** A listener that cannot harm the program: if it fails, it warns once and the program continues. */
import { thrownMessage } from './plain.js';

let hasWarned = false;

/** Wraps a listener so that it never throws. */
export function harmless<A extends unknown[]>(listen: (...args: A) => void): (...args: A) => void {
  return (...args) => {
    try {
      listen(...args);
    } catch (error) {
      if (hasWarned) return;
      hasWarned = true;
      console.warn(
        `quiver: the inspector could not record a step, and may miss others; the program goes on: ${thrownMessage(error)}`,
      );
    }
  };
}
