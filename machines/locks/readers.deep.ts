/** The longer searches of readers and writers (rule 12). */
import { expect, test } from 'vitest';
import { locks } from './index.js';
import {
  all,
  ask,
  crash,
  cut,
  forget,
  forgetful,
  path,
  read,
  restart,
  searchOn,
  notified,
  type Commands,
  type Search,
} from './systems.fixtures.js';

test.each<[string, number, Commands, Search]>([
  ['a reader is stopped and goes on, another writes', 19325, [read('c'), ask('b'), ...crash('c'), restart('c')], { hold: 1 }],
  ['one that reads on is cut off, another writes', 42173, [read('b'), ask('c'), cut('a', 'b'), cut('b', 'c')], { hold: null }],
  ['grants are confirmed, two read', 3684, [read('a'), ask('b'), read('c')], { hold: 1, options: { confirm: true } }],
])('%s: %i states', (_, states, commands, search) => {
  expect(searchOn(all, locks, commands, search)).toMatchObject({ verdict: 'valid', states });
});

test('a reader restarts without memory while another node writes: 55520 states', () => {
  const away = [notified('down', 'b', 'a'), notified('down', 'b', 'c'), forget('b'), notified('up', 'b', 'c')];
  const knowing = forgetful(() => 0);
  expect(searchOn(path, knowing, [read('b'), ask('c'), ...away], { hold: 1 })).toMatchObject({
    verdict: 'valid',
    states: 55520,
  });
});
