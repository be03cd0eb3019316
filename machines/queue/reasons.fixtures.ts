/** Equivalent mutants of the charts, with reasons. */
import { because } from '../because.fixtures.js';
import { GUARDIAN, POINTER, TREE } from './messages.js';

export const reasons: Readonly<Record<string, string>> = {
  ...because(
    POINTER,
    'a pointer that is at no neighbor takes every event itself, and one at a neighbor stays where it is',
    'retarget (root): child.gained, to stay',
  ),
  ...because(
    POINTER,
    'the one reads nothing that the other sets',
    'swap actions (root): child.gained, actions 2 and 3',
    'swap actions (root): child.lost, actions 1 and 2',
    'swap actions self: find #2, actions 1 and 2',
    'swap actions down: observed, actions 1 and 2',
  ),
  ...because(POINTER, 'nobody is its own parent', 'reorder choices turning: always #2, before #1'),
  ...because(
    POINTER,
    'the pointer is at a neighbor in the tree, which is no stranger',
    'reorder choices up: find #2, before #1',
    'reorder choices down: find #2, before #1',
  ),
  ...because(
    POINTER,
    'turning leads to self at once, for the pointer is at the node itself',
    'retarget down: observed, to turning',
    'retarget astray: *, to turning',
  ),
  ...because(POINTER, 'what is raised is taken after the step', 'swap actions astray: *, actions 1 and 2'),
  ...because(
    GUARDIAN,
    'the one reads nothing that the other sets',
    'swap actions (root): timer, actions 1 and 2',
    'swap actions correct: find, actions 1 and 2',
    'swap actions correct: estimate, actions 1 and 2',
  ),
  ...because(TREE, 'the new parent is read from what was heard alone', 'swap actions moving: always #2, actions 1 and 2'),
};

/** Edits that violate no promise, although the chart behaves differently: for judges that check only promises. */
export const unpromised: Readonly<Record<string, string>> = {
  ...because(
    POINTER,
    'what came from where the pointer leads goes back there by the other rule as well, and the pointer stays',
    'drop transition up: find #2',
    'reorder choices up: find #3, before #2',
    'drop transition down: find #2',
    'reorder choices down: find #3, before #2',
  ),
  ...because(
    POINTER,
    'a new guardian observes within tau by its own timer, and the bound allows for that',
    'drop action (root): child.gained, action 2',
    'swap actions (root): child.gained, actions 1 and 2',
  ),
  ...because(
    POINTER,
    'a neighbor is parent and child at once only while the tree moves, when nothing is promised',
    'reorder choices turning: always #3, before #2',
  ),
  ...because(
    POINTER,
    'that a find was dropped is told for people to see; no promise rests on it',
    'drop action self: find, action 1',
    'drop action up: find, action 1',
    'drop action down: find, action 1',
  ),
  ...because(
    GUARDIAN,
    'what was counted is not read before the next observation, which begins at 0',
    'drop action observe: obsr, action 2',
  ),
  ...because(
    TREE,
    'the client hears of all differences within one step, whichever comes first',
    'reorder choices moving: always #2, before #1',
    'reorder choices moving: always #3, before #2',
  ),
};
