/** The longer searches of peers whose first epochs differ, and of a peer that starts again knowing nothing. */
import { expect, test } from 'vitest';
import { forget, forgetful, pair, path, searchOn, startingAt, told } from './restarted.fixtures.js';
import { ask, cut, join, type Commands } from './systems.fixtures.js';

test.each<[string, number, Readonly<Record<string, number>>, Commands]>([
  ['all the same but the newcomer', 6045, { a: 0, b: 0, c: 1 }, [join('a', 'c')]],
  ['the newcomer the lowest', 3432, { a: 2, b: 1, c: 0 }, [join('a', 'c')]],
  ['by way of the other one', 3858, { a: 3, b: 1, c: 2 }, [join('b', 'c')]],
  ['each another, and the newcomer asks', 19429, { a: 1, b: 2, c: 3 }, [ask('c'), join('a', 'c')]],
])('peers that begin from different epochs agree on one: %s, %i states', (_, states, epochs, commands) => {
  const found = searchOn(pair, startingAt(epochs), commands);
  expect(found).toMatchObject({ verdict: 'valid', states });
});

const away = [told('down', 'b', 'a'), told('down', 'b', 'c'), forget('b'), told('up', 'b', 'c')];

test.each<[string, number, typeof pair, Commands]>([
  ['in one majority and then in another', 47332, pair, [cut('a', 'b'), forget('b'), join('b', 'c')]],
  ['both others ask', 62372, path, [ask('a'), ...away, ask('c')]],
  ['the one that was left asks, and it asks itself afterwards', 36637, path, [ask('a'), ...away, ask('b')]],
  ['the one that was left is told', 11638, path, [cut('a', 'b'), told('down', 'b', 'c'), forget('b'), told('up', 'b', 'c')]],
  ['it asked before and comes back', 18160, pair, [ask('b'), cut('a', 'b'), forget('b'), join('a', 'b')]],
  ['both ask and it comes back', 42126, pair, [ask('a'), cut('a', 'b'), forget('b'), join('a', 'b'), ask('b')]],
])('a peer that starts again, knowing nothing but its epoch: %s, %i states', (_, states, topology, commands) => {
  const found = searchOn(
    topology,
    forgetful((promised) => promised),
    commands,
    { hold: 1 },
  );
  expect(found).toMatchObject({ verdict: 'valid', states });
});
