/** The levels of leaders that an election may carry. */
import { LEVEL } from '../election/messages.js';
import type { Levels } from '../election/options.js';
import { levelMachine } from './level.js';
import { levelRules, tablesAtStart } from './start.js';

export const levels: Levels = {
  charts: { [LEVEL]: levelMachine },
  keys: ['radii', 'separations'],
  rules: levelRules,
  tablesAtStart,
};
