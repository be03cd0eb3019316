/** Edits of the chart that are not mistakes. */
import { because } from '../because.fixtures.js';
import { CHART } from './view.js';

const looking = ['seeking', 'down'];
/** The states in which the peer's reply is received. */
const answered = ['seeking: frame #3', 'down: frame #4'];
const swap = (place: string, first: number) => `swap actions ${place}, actions ${first} and ${first + 1}`;

export const reasons: Readonly<Record<string, string>> = {
  ...because(
    CHART,
    'each sets keys of the context that the other neither sets nor reads',
    ...[1, 2, 3].map((first) => swap('(root): restart', first)),
    ...['up: timer', 'up: timer #2'].map((place) => swap(place, 1)),
    swap('up: timer', 2),
  ),
  ...because(CHART, 'the announcement names the peer alone', ...answered.map((place) => swap(place, 1))),
  ...because(CHART, 'the frame is heard again after the step', ...answered.map((place) => swap(place, 5))),
  ...because(
    CHART,
    'a frame is for the own session or for a later one',
    'reorder choices seeking: frame #3, before #2',
    'reorder choices down: frame #4, before #3',
  ),
  ...because(
    CHART,
    'what is late proves nothing',
    ...['down', 'up'].map((state) => `reorder choices ${state}: frame #2, before #1`),
  ),
  ...because(
    CHART,
    'the beat does not depend on what it notes',
    ...looking.flatMap((state) => [swap(`${state}: timer #2`, 2), swap(`${state}: timer #3`, 3)]),
  ),
  ...because(
    CHART,
    'nothing waits in down: what is posted there is lost',
    'drop action down: frame #4, action 5',
    swap('down: frame #4', 4),
  ),
};
