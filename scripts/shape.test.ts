/**
 * Bounds the size of the rooms and the escapes from their types: casts (`as X`, except `as const`) and `any`. Tests and what only they load
 * do not count. The bounds may only fall. A bound that is more than a twentieth too high is out of date and fails.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';

const BOUNDS = { lines: 99_750, casts: 450, any: 52 };

const ROOMS = ['machines', 'network', 'test', 'adapters', 'inspector', 'bin'];
const ONLY_TESTED = /\.(test|deep|test-d)\.|fixtures?\b|\btesting\//;

const root = fileURLToPath(new URL('..', import.meta.url));

function measure(files: readonly string[]): typeof BOUNDS {
  const counts = { lines: 0, casts: 0, any: 0 };
  for (const file of files) {
    const text = readFileSync(`${root}${file}`, 'utf8');
    counts.lines += text.split('\n').length - 1;
    new Visitor({
      TSAsExpression: ({ typeAnnotation: { start, end } }) => {
        if (text.slice(start, end) !== 'const') counts.casts++;
      },
      TSAnyKeyword: () => {
        counts.any++;
      },
    }).visit(parseSync(file, text).program);
  }
  return counts;
}

const files = execFileSync('git', ['ls-files', ...ROOMS], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !ONLY_TESTED.test(file));
const measured = measure(files);

test.each(Object.keys(BOUNDS) as (keyof typeof BOUNDS)[])('the number of %s in the rooms', (what) => {
  expect(measured[what]).toBeLessThanOrEqual(BOUNDS[what]);
  expect(measured[what]).toBeGreaterThan(BOUNDS[what] * 0.95);
});

test('casts and any are counted, and constants are not', () => {
  expect(measure(['scripts/shape.test.ts'])).toMatchObject({ casts: 1, any: 0 });
});
