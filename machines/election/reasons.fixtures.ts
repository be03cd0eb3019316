/** Equivalent mutants of the charts, with reasons. */
import { because } from '../because.fixtures.js';
import { ELECTION, LEVEL } from './messages.js';

export const reasons: Readonly<Record<string, string>> = {
  ...because(
    ELECTION,
    'the time does not depend on the neighbors, nor they on the time',
    'swap actions (root): link.up, actions 1 and 2',
    'swap actions (root): link.down, actions 1 and 2',
    'swap actions (root): update #2, actions 1 and 2',
  ),
  ...because(ELECTION, 'a sink has neighbors', 'reorder choices deciding: always #3, before #2'),
  ...because(
    ELECTION,
    'the one is about a lost link, the other about an Update',
    'reorder choices deciding: always #4, before #3',
  ),
  ...because(ELECTION, 'a leader is more recent or staler', 'reorder choices deciding: always #5, before #4'),
  ...because(ELECTION, 'both tell the sender and nothing else', 'reorder choices deciding: always #6, before #5'),
  ...because(ELECTION, 'a reference level is reflected or not', 'reorder choices deciding: always #9, before #8'),
  ...because(ELECTION, 'who takes part in no search has nothing reflected', 'reorder choices reading: always #4, before #3'),
  ...because(
    ELECTION,
    'an originator whose level is reflected has been told apart before',
    'reorder choices reading: always #6, before #5',
  ),
  ...because(
    LEVEL,
    'starting leads at once to leading or following, by the member that was just chosen',
    'retarget weighing: always, to starting',
    'retarget weighing: always #2, to starting',
    'retarget weighing: always #3, to starting',
    'retarget weighing: always #4, to starting',
  ),
};
