/** Events that match a transition. */
import { expect, test } from 'vitest';
import { answers } from './selections.js';

test('a transition matches its type, any type with a star, or prefixes, dot by dot', () => {
  const types = ['link', 'link.up', 'link.up.now', 'linked.up', 'other', 'link.*'];
  const answered = (descriptor: string) => types.filter((type) => answers(descriptor, type));
  expect(answered('link.up')).toEqual(['link.up']);
  expect(answered('*')).toEqual(types);
  expect(answered('link.*')).toEqual(['link', 'link.up', 'link.up.now', 'link.*']);
  expect(answered('link.up.*')).toEqual(['link.up', 'link.up.now']);
  expect(answered('link*')).toEqual([]);
  expect(answered('.*')).toEqual([]);
});
