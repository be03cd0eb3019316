import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseText } from './text.js';

describe('invalid JSON text: line, column, and the expected token', () => {
  test.each([
    ['', 'line 1, column 1: the text ends where a value should be. The text must be valid JSON'],
    ['{', 'line 1, column 2: the text ends where a key or "}" should be'],
    ['{\n  "a": [1,\n', 'line 3, column 1: the text ends where a value should be'],
    ['{"a"', 'line 1, column 5: the text ends where ":" should be'],
    ['{"a": 1', 'line 1, column 8: the text ends where "," or "}" should be'],
    ['[1', 'line 1, column 3: the text ends where "," or "]" should be'],
    ['[', 'line 1, column 2: the text ends where a value or "]" should be'],
    ['{"a": "b', 'line 1, column 7: a string that is not closed on its line, or has a bad escape'],
    ['{"a": "b\n"}', 'line 1, column 7: a string that is not closed'],
    ['["\\x"]', 'line 1, column 2: a string that is not closed on its line, or has a bad escape'],
    ['["\\u12g4"]', 'line 1, column 2: a string'],
    ['{\n  "a": 1,\n}', 'line 3, column 1: "}" where a key should be'],
    ['{\n  a: 1}', 'line 2, column 3: "a" where a key or "}" should be'],
    ['[1, 2,]', 'line 1, column 7: "]" where a value should be'],
    ['[1 2]', 'line 1, column 4: "2" where "," or "]" should be'],
    ['{"a" 1}', 'line 1, column 6: "1" where ":" should be'],
    ['{"a": 01}', 'line 1, column 8: "1" where "," or "}" should be'],
    ['{"a": undefined}', 'line 1, column 7: "undefined" where a value should be'],
    ['[1]]', 'line 1, column 4: "]" where the end should be'],
    ['[1}', 'line 1, column 3: "}" where "," or "]" should be'],
    ["{'a': 1}", 'line 1, column 2: "\'" where a key or "}" should be'],
    ['[😀]', 'line 1, column 2: "😀" where a value or "]" should be'],
  ])('%j', (text, complaint) => {
    expect(() => parseText(text)).toThrow(complaint);
  });

  test('a million open brackets do not overflow the stack', () => {
    expect(() => parseText('['.repeat(1_000_000))).toThrow('line 1, column 1000001: the text ends');
  });

  test('a text is rejected exactly if the engine rejects it, with a place within it', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      '1e5',
      '.',
      'true',
      'nul',
      ' ',
      '\n',
      '\t',
      '\u00e9',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const text = tokens.join('');
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          const place = /^line (\d+), column (\d+): .*\. The text must be valid JSON\.$/;
          let message = '';
          try {
            parseText(text);
          } catch (error) {
            message = (error as Error).message;
          }
          const [, line, column] = place.exec(message)!;
          expect(text.split('\n')[Number(line) - 1]!.length).toBeGreaterThanOrEqual(Number(column) - 1);
          return;
        }
        expect(parseText(text)).toEqual(value);
      }),
      { numRuns: 3000 },
    );
  });

  test('a text cut anywhere ends too early, or inside a string or word', () => {
    const text = '{"a": [1, {"b": "c\\n\\u00e9"}, true, null], "d": {}}';
    for (let length = 0; length < text.length; length++) {
      expect(() => parseText(text.slice(0, length))).toThrow(/the text ends|is not closed|"(t|tr|tru|n|nu|nul)" where a value/);
    }
    expect(parseText(text)).toEqual({ a: [1, { b: 'c\né' }, true, null], d: {} });
  });
});
