/** The commands of docs/errata.md have the results that the page describes. */
import { describe, expect, test } from 'vitest';
import { called } from '../called.fixture.js';
import { quiver } from '../program.js';
import { errata } from './errata.fixture.js';

const { printed } = called();
const starting = (start: string) => errata.filter(({ command }) => command?.startsWith(start));

describe('the commands of the page', () => {
  test.each(starting('quiver check'))('$command finds the failure', async ({ row, command }) => {
    expect(await quiver(command!.split(' ').slice(1))).toBe(1);
    const reported = printed.join('\n');
    expect(reported).toMatch(/violated: /);
    const [, steps] = /in (\d+) steps/.exec(row) ?? [];
    if (steps !== undefined) expect(reported).toContain(`in ${steps} steps, the fewest possible`);
  });

  test.each(starting('quiver run'))('$command shows it', async ({ row, command }) => {
    expect(await quiver(command!.split(' ').slice(1))).toBe(0);
    const shown = [...row.matchAll(/`((?:elections|findCost|served) [^`]+)`/g)].map(([, text]) => text!.split(' '));
    expect(shown.length).toBe(1);
    const reported = printed.flatMap((text) => text.split('\n').map((line) => line.trim().split(/ +/)));
    expect(reported).toContainEqual(shown[0]);
  });
});
