/** Equivalent mutants of the charts, by the names of `quiver test directory --mutants`. */
const drawing = ['idle', 'waiting.last', 'waiting.followed', 'holding.idle', 'holding.using.last', 'holding.using.followed'];
const queueing = ['waiting.last', 'holding.using.last'];

const each = (names: readonly string[], reason: string) => names.map((name) => [`directory: ${name}`, reason] as const);

export const reasons: Readonly<Record<string, string>> = Object.fromEntries([
  ...each(
    drawing.map((state) => `swap actions ${state}: find, actions 1 and 2`),
    'a draw is answered after the step that asks for it, and by then the find is held',
  ),
  ...each(
    queueing.map((state) => `swap actions ${state}: find #2, actions 1 and 2`),
    'each sets a key of the context that the other does not read',
  ),
  ...each(['swap actions holding.idle: find #2, actions 1 and 2'], 'the token goes to the producer, wherever the pointer turns'),
  ...each(
    ['retarget holding.idle: find #2, to starting', 'retarget holding.using.followed: release, to starting'],
    'starting leads to idle at once, for the node points to another',
  ),
  ...each(
    ['waiting.last', 'waiting.followed'].map((state) => `swap actions ${state}: token, actions 1 and 2`),
    'each sets a key of the context that the other does not read',
  ),
  ...each(['swap actions holding.using.last: release, actions 1 and 2'], 'the announcement says nothing of who reads'),
  ...each(['swap actions holding.using.followed: release, actions 3 and 4'], 'the announcement says nothing of who is next'),
]);

/** Edits that violate no promise, although the chart behaves differently: for judges that check only promises. */
export const unpromised: Readonly<Record<string, string>> = Object.fromEntries([
  ...each(
    drawing.flatMap((state) => [`drop transition ${state}: find`, `reorder choices ${state}: find #2, before #1`]),
    'without its draw the pointer turns to the requester, which the random policy may pick: how evenly it picks is cost, and no promise',
  ),
  ...each(['drop action (root): drawn, action 2'], 'what is held is put in place anew before it is read again'),
  ...each(
    [
      'drop action waiting.last: token, action 1',
      'drop action waiting.followed: token, action 1',
      'drop action holding.idle: request, action 1',
    ],
    'the directory by itself numbers no grants',
  ),
  ...each(
    ['drop transition waiting: request'],
    'a request that joins no other waits its turn and is served then: joining saves cost',
  ),
  ...each(
    [
      'drop action waiting.last: token, action 2',
      'drop action waiting.followed: token, action 2',
      'drop action holding.using.last: release, action 1',
      'drop action holding.using.followed: release, action 1',
    ],
    'the directory by itself has no readers',
  ),
]);
