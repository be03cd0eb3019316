/** The copies that are enough for a register, and the members that keep the next one. */
import { describe, expect, test } from 'vitest';
import {
  registerCopyOf,
  isLater,
  keepersAfter,
  knownBy,
  NO_KEEPERS,
  forgottenText,
  type CopyAnswer,
  type Copy,
  type Keepers,
} from './register-copies.js';
import { copy as heldCopy, none, registerOf, stored, turn } from './register.fixture.js';

const one: Keepers = { version: 1, peers: ['a', 'b', 'c'] };
const two: Keepers = { version: 2, peers: ['a', 'b', 'd'] };
const three: Keepers = { version: 3, peers: ['a', 'd', 'e'] };
const moving: Keepers = { ...two, from: one.peers };

const copy = (fence: number, keepers: Keepers = one, value: number | string = fence): Copy => ({ fence, value, keepers });
const isNumber = (value: unknown) => typeof value === 'number';
const known = (decided: Keepers, copies: Record<string, Copy | null>) => {
  const answers = Object.entries(copies).map(([peer, of]): [string, CopyAnswer] => [peer, { type: 'copy', copy: of }]);
  return knownBy(new Map(answers), decided, isNumber);
};

test.each([
  [7, 41],
  [
    8,
    'the value of register "x" is known to 1 of 3 peers; the others have lost it in a restart without storage. Start the members that have it, or use storage at all members',
  ],
])('an interrupted first change counts if a peer has forgotten nothing since %i', async (since, made) => {
  const { register, answer } = await registerOf();
  const changed = register.change((n) => n + 1).catch(({ message }: Error) => message);
  await turn();
  await answer('b', heldCopy(7, 40));
  await answer('c', { ...none, since });
  await answer('c', stored);
  expect(await changed).toBe(made);
});

describe('the keepers of the next copy', () => {
  test('the same, unless a later list is decided: then both, and then the later one', () => {
    expect(keepersAfter(one, one)).toEqual([one]);
    expect(keepersAfter(two, one)).toEqual([two]);
    expect(keepersAfter(one, two)).toEqual([moving, two]);
  });

  test('a move in progress is completed first, whatever is decided since', () => {
    for (const decided of [one, two, three]) expect(keepersAfter(moving, decided)).toEqual([moving, two]);
  });
});

describe('conclusions from the answers', () => {
  test('the latest copy, once a majority of its list has one', () => {
    expect(known(one, { a: copy(5) }).is).toBe('waiting');
    expect(known(one, { a: copy(5), d: copy(4) }).is).toBe('waiting');
    expect(known(one, { a: copy(5), b: copy(4) })).toMatchObject({ is: 'settled', latest: copy(5) });
    // From any peer that is asked: a later copy contains its keepers.
    expect(known(one, { a: copy(5), b: copy(4), d: copy(6, two) })).toMatchObject({ is: 'known', latest: copy(6, two) });
    expect(known(one, { a: copy(5), c: copy(4), d: copy(6, two) }).is).toBe('known');
    expect(known(one, { c: copy(5), d: copy(6, two) }).is).toBe('waiting');
  });

  test('the only copy of an interrupted first change, while enough peers remember', () => {
    const by = (since: number, ...peers: string[]) => {
      const noCopies = peers.map((peer): [string, CopyAnswer] => [peer, { type: 'copy', copy: null, since }]);
      return knownBy(new Map([['a', { type: 'copy', copy: copy(5) }] as [string, CopyAnswer], ...noCopies]), one, isNumber);
    };
    expect(by(5, 'b')).toMatchObject({ is: 'known', latest: copy(5) });
    expect(by(6, 'b').is).toBe('waiting');
    expect(by(6, 'b', 'c').is).toBe('forgotten');
    expect(by(5, 'd').is).toBe('waiting');
    expect(known(one, { a: copy(5), b: null, c: null }).is).toBe('forgotten');
    // A copy that was never written is different.
    const unwritten: CopyAnswer = { type: 'copy', copy: copy(0) };
    const answers = new Map<string, CopyAnswer>([
      ['a', unwritten],
      ['b', { type: 'copy', copy: null, since: 0 }],
    ]);
    expect(knownBy(answers, one, isNumber).is).toBe('waiting');
  });

  test('a moving copy needs majorities of both lists, a moved one of the later list', () => {
    expect(known(two, { a: copy(5, moving), d: copy(5, moving) }).is).toBe('waiting');
    expect(known(two, { a: copy(5, moving), d: copy(5, moving), c: copy(4) })).toMatchObject({ is: 'known' });
    expect(known(two, { a: copy(5, moving), d: copy(5, two) })).toMatchObject({ is: 'known', latest: copy(5, two) });
    expect(known(two, { a: copy(5, two), d: copy(5, two) })).toMatchObject({ is: 'settled' });
  });

  test('with one fence, the copy that has moved is later', () => {
    expect([isLater(copy(5, two), copy(5, moving)), isLater(copy(5, moving), copy(5, two))]).toEqual([true, false]);
    expect([isLater(copy(0), copy(0, NO_KEEPERS)), isLater(copy(6, moving), copy(5, two))]).toEqual([true, true]);
  });

  test('nothing was written: by a majority of both lists, or by all of the present one', () => {
    expect(known(one, { a: copy(0), b: copy(0) })).toMatchObject({ is: 'settled' });
    expect(known(three, { a: copy(0), b: copy(0) }).is).toBe('waiting');
    expect(known(three, { a: copy(0), b: copy(0), d: copy(0, NO_KEEPERS) }).is).toBe('settled');
    expect(known(three, { a: copy(0), d: copy(0, NO_KEEPERS) }).is).toBe('waiting');
    expect(known(three, { a: copy(0), d: copy(0, NO_KEEPERS), e: copy(0, NO_KEEPERS) }).is).toBe('unwritten');
    expect(known(three, { a: null, d: null, e: null }).is).toBe('unwritten');
    expect(known({ version: 0, peers: [] }, { a: null }).is).toBe('waiting');
  });

  test('that too many have forgotten, once all have answered', () => {
    const forgotten = known(one, { a: copy(5), b: null, c: null });
    expect([forgotten.is, forgottenText(forgotten, one)]).toEqual(['forgotten', '1 of 3 peers']);
    const mixed = known(one, { a: copy(0), b: null, c: null });
    expect([mixed.is, forgottenText(mixed, one)]).toEqual(['forgotten', '1 of 3 peers']);
    const half = known(two, { a: copy(5, moving), b: null, c: null, d: copy(5, moving) });
    expect([half.is, forgottenText(half, two)]).toEqual(['forgotten', '1 of 3 peers']);
    expect(known(two, { a: copy(5, moving), b: null, d: null }).is).toBe('waiting');
  });

  test('an invalid value counts as a missing answer', () => {
    const strange = known(one, { a: copy(9, one, 'new'), b: copy(5) });
    expect([strange.is, strange.unread]).toEqual(['waiting', ['a']]);
    expect(known(one, { a: copy(9, one, 'new'), b: copy(5), c: copy(4) })).toMatchObject({ is: 'settled', latest: copy(5) });
  });
});

test('a copy as it is stored or sent; other values are not copies', () => {
  expect(registerCopyOf(copy(3, moving))).toEqual(copy(3, moving));
  expect(registerCopyOf(null)).toBeNull();
  for (const none of [
    7,
    {},
    { fence: 1 },
    { fence: 3, value: 4 },
    { fence: 1.5, value: 1 },
    { ...copy(1), keepers: { version: 'x', peers: [] } },
  ])
    expect(registerCopyOf(none)).toBeUndefined();
});
