/** The build contains the lines that revert the fixes: defects.deep.ts runs the swarm without each of them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFECTS } from './taken-back.fixture.js';

test.each(DEFECTS.flatMap(({ name, cuts }) => cuts.map(([file, text]) => [name, file, text] as const)))(
  '%s: in %s',
  (_, file, text) => {
    expect(readFileSync(new URL(`../../dist/${file}`, import.meta.url), 'utf8').split(text)).toHaveLength(2);
  },
);
