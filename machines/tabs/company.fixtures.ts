/** Properties of tabs for systems in which no tab stops. */
import type { Property } from '../protocol.js';
import type { TabsOptions } from './core.js';
import { knows, presentIn, tabOf } from './view.js';

/** A property for systems in which no tab stops. */
export const firstKnown: Property<TabsOptions> = {
  name: 'first come, first known',
  description: 'At least one of any two participating tabs knows the other.',
  kind: 'always',
  holds: (c) => {
    const there = presentIn(c);
    return there.every((u) => there.every((v) => u === v || knows(c, u, v) || knows(c, v, u)));
  },
};

/** For systems without stops: no present tab is counted as gone. */
export const noPeerMissed: Property<TabsOptions> = {
  name: 'no peer missed',
  description: 'Only a stopped tab is counted as gone.',
  kind: 'always',
  holds: (c) => [...c.nodes.values()].every((node) => tabOf(node).value !== 'missed'),
};
