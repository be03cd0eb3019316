/** The sources of the moving pictures in docs/images/concepts, by their names. */
import type { Diagram } from './draw.js';

const three = {
  nodes: { a: [120, 110], b: [320, 110], c: [520, 110] },
  links: [
    ['a', 'b'],
    ['b', 'c'],
  ],
} as const;
const four = {
  nodes: { a: [80, 110], b: [240, 110], c: [400, 110], d: [560, 110] },
  links: [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'd'],
  ],
} as const;

export const concepts: Readonly<Record<string, Diagram>> = {
  'lock-moves': {
    label:
      'Three workers share a lock. Worker a holds it with fencing token 33 and crashes. Worker b gets the lock with fencing token 34.',
    ...three,
    scenes: [
      { caption: 'a holds the lock with fencing token 33, and b waits', strong: ['a'], boxes: { lock: ['a', '33'] } },
      { caption: 'a crashes', dead: ['a'], boxes: { lock: ['a', '33'] } },
      { caption: 'b and c, a majority, agree that the lock moves', dead: ['a'], boxes: { lock: [['a', 'b'], '34'] } },
      {
        caption: 'b holds the lock with fencing token 34; the store refuses a late write with 33',
        dead: ['a'],
        strong: ['b'],
        boxes: { lock: ['b', '34'] },
      },
    ],
  },
  'directory-request': {
    label:
      'Four nodes in a row. Pointers lead to node c, which has the token. Node a requests it: its message turns each pointer, and the token comes to a.',
    ...four,
    scenes: [
      {
        caption: 'each pointer leads toward the token',
        pointers: [
          ['a', 'b'],
          ['b', 'c'],
          ['d', 'c'],
        ],
        boxes: { token: ['c', 'token'] },
      },
      {
        caption: 'a requests the token: its find goes to b',
        pointers: [
          ['b', 'c'],
          ['d', 'c'],
        ],
        boxes: { token: ['c', 'token'], find: [['a', 'b'], 'find'] },
      },
      {
        caption: 'the pointer of b turns to a, and the find goes on to c',
        pointers: [
          ['b', 'a'],
          ['d', 'c'],
        ],
        boxes: { token: ['c', 'token'], find: [['b', 'c'], 'find'] },
      },
      {
        caption: 'the token travels to a, and every pointer leads to a',
        pointers: [
          ['b', 'a'],
          ['c', 'b'],
          ['d', 'c'],
        ],
        boxes: { token: ['a', 'token'] },
      },
    ],
  },
  'leader-elected': {
    label:
      'Four nodes elect node a. The network divides: nodes c and d elect c. The network joins again, and a leads all of them.',
    ...four,
    scenes: [
      { caption: 'a leads all of them', strong: ['a'], boxes: { one: ['a', 'leader'] } },
      { caption: 'the network divides', strong: ['a'], cut: [['b', 'c']], boxes: { one: ['a', 'leader'] } },
      {
        caption: 'each part has its own leader',
        strong: ['a', 'c'],
        cut: [['b', 'c']],
        boxes: { one: ['a', 'leader'], two: ['c', 'leader'] },
      },
      { caption: 'the network joins again, and the same leader is known to all', strong: ['a'], boxes: { one: ['a', 'leader'] } },
    ],
  },
  'quota-splits': {
    label: 'Six permits begin at node a. They move in halves toward the nodes that use them, which then grant without a message.',
    ...three,
    scenes: [
      { caption: 'the budget of six permits begins at a', boxes: { one: ['a', '6'] } },
      { caption: 'c requests a permit, and half of the budget moves', boxes: { one: ['a', '3'], two: [['a', 'b'], '3'] } },
      { caption: 'a part stays on the way, for later requests', boxes: { one: ['a', '3'], two: ['b', '1'], three: ['c', '2'] } },
      {
        caption: 'c grants the next request without a message',
        strong: ['c'],
        boxes: { one: ['a', '3'], two: ['b', '1'], three: ['c', '1'] },
      },
    ],
  },
  'actor-moves': {
    label:
      'An actor runs on member a and saves its state. Member a crashes, and the actor continues on member c with the saved state.',
    ...three,
    scenes: [
      { caption: 'the actor order-7 runs on a, and each step is saved', strong: ['a'], boxes: { actor: ['a', 'order-7'] } },
      { caption: 'a crashes', dead: ['a'], boxes: { actor: ['a', 'order-7'] } },
      { caption: 'the cluster chooses another member', dead: ['a'], boxes: { actor: [['b', 'c'], 'order-7'] } },
      {
        caption: 'the actor continues on c with its saved state; messages follow it',
        dead: ['a'],
        strong: ['c'],
        boxes: { actor: ['c', 'order-7'] },
      },
    ],
  },
};
