/** Which edits of the chart are no mistakes. */
import { because } from '../because.fixtures.js';
import { CHART } from './view.js';

const looking = ['seeking', 'down'];
const swap = (place: string, first: number) => `swap actions ${place}, actions ${first} and ${first + 1}`;

export const reasons: Readonly<Record<string, string>> = {
  ...because(
    CHART,
    'each sets keys of the context that the other neither sets nor reads',
    swap('(root): restart', 1),
    swap('(root): restart', 2),
    ...looking.map((state) => swap(`${state}: frame #2`, 1)),
    ...[...looking, 'up'].map((state) => swap(`${state}: timer`, 1)),
  ),
  ...because(CHART, 'the announcement names the peer alone', ...looking.map((state) => swap(`${state}: frame #3`, 1))),
  ...because(CHART, 'the frame is heard again after the step', ...looking.map((state) => swap(`${state}: frame #3`, 5))),
  ...because(
    CHART,
    'a frame is for the own session or for a later one',
    ...looking.map((state) => `reorder choices ${state}: frame #3, before #2`),
  ),
  ...because(CHART, 'a session is earlier or later than another', 'reorder choices up: frame #2, before #1'),
  ...because(
    CHART,
    'the beat does not depend on what it notes',
    ...[...looking, 'up'].map((state) => swap(`${state}: timer #2`, 3)),
  ),
  ...because(
    CHART,
    'nothing waits in down: what is posted there is lost',
    'drop action down: frame #3, action 5',
    swap('down: frame #3', 4),
  ),
};
