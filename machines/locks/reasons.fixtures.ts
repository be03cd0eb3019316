/** Edits of the charts that are not mistakes, and events that the small systems do not contain. */
import { because } from '../because.fixtures.js';
import { CLIENT, CLIENT_LOCK, EPOCHS, LOCK } from './messages.js';

const UNNOTICED = 'of a voter alone that has not noticed that others went on without it, and comes back';

/** Two choices in the opposite order. */
const reorder = (state: string, event: string, later: number) =>
  `reorder choices ${state}: ${event} #${later}, before #${later - 1}`;
const ROOT = '(root)';
const COLLECTING = 'preparing.collecting';

const orders = {
  ...because(EPOCHS, 'who leads reaches a majority', reorder(ROOT, 'link.down', 4)),
  ...because(
    EPOCHS,
    'who is of another cluster has neither come back nor a later list',
    ...['hello', 'changed', 'refuse', 'superseded'].map((event) => reorder(ROOT, event, 3)),
    reorder('preparing', 'refuse', 3),
    reorder('preparing.saving', 'hello', 3),
    ...[ROOT, 'apart', 'serving'].map((state) => reorder(state, 'attach', 2)),
  ),
  ...because(EPOCHS, 'the last choice lets it go as well', 'drop transition apart: attach'),
  ...because(
    EPOCHS,
    'the state around it asks for the next epoch as well, where no node is missed',
    'drop transition serving.crowded: timer #2',
  ),
  ...because(
    EPOCHS,
    'both are done, in either order, for the word is heard again',
    ...['hello', 'superseded'].map((event) => reorder(ROOT, event, 4)),
  ),
  ...because(EPOCHS, 'both refuse, and do nothing else', reorder(ROOT, 'prepare', 7)),
  ...because(EPOCHS, 'who has served no epoch misses no member of it', reorder(ROOT, 'prepare', 9)),
  ...because(EPOCHS, 'both end, and say the same', reorder(ROOT, 'giveWay', 2)),
  ...because(
    EPOCHS,
    'a lock is free or taken',
    ...[ROOT, 'serving'].map((state) => reorder(state, 'request', 2)),
    reorder('serving', 'acquire', 4),
  ),
  ...because(EPOCHS, 'who leads has gone by the choice before', reorder(COLLECTING, 'always', 3)),
  ...because(EPOCHS, 'it leaves out users of locks, or none', reorder(COLLECTING, 'always', 4)),
  ...because(EPOCHS, 'all of them reach each other, or not', reorder(COLLECTING, 'always', 5)),
  ...because(EPOCHS, 'an epoch begins by the list that binds, or by no other', reorder(COLLECTING, 'always', 7)),
};

const others = {
  ...because(
    CLIENT_LOCK,
    'a lock that waits has no fence',
    'drop action waiting.asked: full, action 4',
    'drop action waiting.apart: cancel, action 3',
  ),
  ...because(
    CLIENT_LOCK,
    'who is detached has no host',
    'drop action using.detached: attached #2, action 2',
    'drop action using.detached: apart, action 2',
  ),
  ...because(
    LOCK,
    'where both hold, the choice before them is taken',
    reorder('waiting.queued', 'gone', 3),
    ...[4, 7].map((later) => reorder('using.suspended', 'begun', later)),
    reorder('passing', 'always', 3),
  ),
  ...because(LOCK, 'the state around it has the same rule', 'drop transition using.served: gone #2'),
  ...because(
    LOCK,
    'the fence becomes that of the client, and who reads was forgotten as the epoch ended',
    'drop action using.suspended: begun #4, action 4',
    'drop action using.suspended: begun #7, action 3',
    'drop action using.unattested.suspended: begun, action 3',
  ),
  ...because(
    EPOCHS,
    'only who waits for an epoch begins it, and that state has its own rule',
    'drop action (root): install, action 2',
  ),
  ...because(
    EPOCHS,
    'the other of the two states leads to opposed at once',
    `retarget ${COLLECTING}.asking: always, to ${COLLECTING}.delayed`,
    `retarget ${COLLECTING}.delayed: always, to ${COLLECTING}.asking`,
  ),
  ...because(EPOCHS, 'who has not differed is not among those who have', 'drop guard preparing.saving: hello #3'),
  ...because(
    EPOCHS,
    'the root has the same rule, and no other of this state takes a lock that is taken',
    'drop transition serving: request',
  ),
};

export const reasons: Readonly<Record<string, string>> = {
  ...orders,
  ...others,
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
