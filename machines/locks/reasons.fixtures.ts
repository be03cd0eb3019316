/** Which edits of the steward are no mistakes. */
import { because } from '../because.fixtures.js';
import { STEWARD } from './messages.js';

const EVENT_ALONE = 'what is passed on or announced comes from the event alone';

export const reasons: Readonly<Record<string, string>> = {
  ...because(
    STEWARD,
    EVENT_ALONE,
    'swap actions (root): link.up, actions 1 and 2',
    'swap actions (root): link.up #2, actions 1 and 2',
    'swap actions (root): link.down, actions 1 and 2',
    'swap actions (root): link.down #2, actions 1 and 2',
    'swap actions (root): link.down #3, actions 1 and 2',
    'swap actions (root): release, actions 1 and 2',
    'swap actions serving: release, actions 1 and 2',
    'swap actions serving: granted, actions 1 and 2',
    'swap actions serving: granted, actions 2 and 3',
    'swap actions following: install, actions 1 and 2',
  ),
  ...because(STEWARD, 'who leads reaches a majority', 'reorder choices (root): link.down #2, before #1'),
  ...because(
    STEWARD,
    'starting leads to serving at once, for the epoch names this node',
    'retarget preparing: always, to starting',
    'retarget following: install, to starting',
  ),
  ...because(
    STEWARD,
    'each sets a key that the other neither sets nor reads',
    'swap actions preparing: refuse #2, actions 1 and 2',
  ),
  ...because(STEWARD, 'what is installed is made of the reports', 'swap actions preparing: always, actions 1 and 2'),
  ...because(STEWARD, 'a directory is opened without regard to who asked', 'swap actions serving: request, actions 1 and 2'),
};
