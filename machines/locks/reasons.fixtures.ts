/** Which edits of the charts are no mistakes, and what the small systems do not do. */
import { because } from '../because.fixtures.js';
import { CLIENT, EPOCHS } from './messages.js';

const UNNOTICED = 'of a voter alone that has not noticed that others went on without it, and comes back';

export const reasons: Readonly<Record<string, string>> = {
  ...because(EPOCHS, UNNOTICED, 'sent forfeited'),
  ...because(CLIENT, UNNOTICED, 'received forfeited'),
  ...because(
    EPOCHS,
    'of a client that comes to another voter while a lock is granted to its attachment before; clients.test.ts searches it',
    'received disowned',
  ),
  ...because(
    CLIENT,
    'of a client that has come back by another voter, while the one before has not noticed that it went (clients.test.ts)',
    'sent giveBack',
  ),
  ...because(
    CLIENT,
    'of a client that is added to those who vote by mistake, which ends it (adapters/locks/clients.test.ts)',
    'received prepare',
  ),
  ...because(
    EPOCHS,
    'of peers that were given lists that differ: a system has one list, and lists.test.ts searches two',
    'sent giveWay',
    'received giveWay',
    'sent givenWay',
    'received givenWay',
  ),
};
