import { describe, expect, test } from 'vitest';
import { pack } from '../../inspector/model/packed.js';
import { hashFor, textsIn } from './address.js';
import { keepTexts, keptTexts } from './kept.js';
import { NOT_LOADED, problemOf, TextProblem } from './problem.js';

const texts = { scenario: '{ "protocol": "ring" }', chart: 'export const ring = 1; // ✓' };
const holding = async (json: string) => `#try=${await pack(json)}`;

describe('a link', () => {
  test('brings its texts', async () => {
    expect(await textsIn(await hashFor(texts))).toEqual(texts);
    expect(await textsIn('#another')).toBe(null);
  });

  test.each(['{}', '[]', '5', 'null', '{ "scenario": "{}" }', '{ "scenario": 1, "chart": "" }', '{'])(
    'with %s is damaged',
    async (json) => {
      await expect(textsIn(await holding(json))).rejects.toThrow('The address is damaged');
    },
  );

  test('that was cut off is damaged', async () => {
    const whole = await hashFor(texts);
    for (const length of [6, 7, 20, whole.length - 5])
      await expect(textsIn(whole.slice(0, length))).rejects.toThrow('The address is damaged');
  });

  test('that unpacks to more than the bound is not opened', async () => {
    await expect(textsIn(await holding(JSON.stringify({ scenario: '', chart: ' '.repeat(2 ** 21) })))).rejects.toThrow(
      'more than 2 MB',
    );
    const fits = { scenario: '', chart: ' '.repeat(2 ** 21 - 100) };
    expect(await textsIn(await hashFor(fits))).toEqual(fits);
  });
});

describe('kept texts', () => {
  test('come back, with the link that was opened before them', () => {
    const kept = new Map<string, string>();
    const drawer = () => ({
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    });
    expect(keptTexts(drawer)).toBe(null);
    keepTexts(texts, '#try=x', drawer);
    expect(keptTexts(drawer)).toEqual({ ...texts, link: '#try=x' });
  });

  test('are none where the browser forbids it', () => {
    const forbidden = () => {
      throw new Error('denied');
    };
    keepTexts(texts, '', forbidden);
    expect(keptTexts(forbidden)).toBe(null);
  });
});

describe('a problem', () => {
  test.each([
    [{ a: 1 }, '{"a":1} was thrown, which is not an Error'],
    [null, 'null was thrown, which is not an Error'],
    [new Error('mine'), 'mine'],
    [new TypeError('Failed to fetch dynamically imported module: http://127.0.0.1/a.js'), NOT_LOADED],
  ])('of what is thrown: %o', (thrown, message) => {
    expect(problemOf(thrown)).toEqual({ text: null, message, place: null });
  });

  test('has the place where a step of a chart failed', () => {
    const cause = Object.assign(new Error('mine'), { stack: 'Error: mine\n    at blob:http://127.0.0.1/0-1:4:20' });
    expect(problemOf(new Error('node n0: mine', { cause }))).toEqual({
      text: 'chart',
      message: 'node n0: mine',
      place: { line: 4, column: 20 },
    });
    expect(problemOf(new TextProblem('scenario', 'slip'))).toEqual({ text: 'scenario', message: 'slip', place: null });
  });
});
