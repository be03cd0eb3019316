/** Texts of the event table on screens of three sizes, for nodes with several roles. */
import { expect, test } from 'vitest';
import { openPage } from './page/testing/browser.js';
import { traceOf } from './page/testing/traces.js';

const scenario = {
  protocol: 'locks',
  topology: { kind: 'complete', n: 3 },
  workload: { concurrent: 3, requests: 6 },
  until: { at: 200 },
};

test('no state of the event table is cut, and no row covers another one', async () => {
  const { page, close } = await openPage(traceOf(scenario));
  const cut = () =>
    page.locator('.event-row:not(.is-head)').evaluateAll((rows) =>
      rows.flatMap((row, i) => {
        const { left, right, bottom } = row.getBoundingClientRect();
        const parts = [...row.querySelectorAll('.type, .route, .states, .change, .chip')];
        const isCut = parts.some((part) => {
          const box = part.getBoundingClientRect();
          const isHidden = getComputedStyle(part).display !== 'inline' && part.scrollWidth > part.clientWidth + 1;
          return isHidden || box.left < left || box.right > right || box.bottom > bottom + 1;
        });
        const next = rows[i + 1]?.getBoundingClientRect().top ?? bottom;
        return isCut || Math.abs(next - bottom) > 1 ? [row.textContent] : [];
      }),
    );
  for (const [width, height] of [
    [1280, 800],
    [1024, 768],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    const seen = new Set<number>();
    await page.keyboard.press('Home');
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('ArrowRight');
      if (i % 10 > 0) continue;
      expect(await cut()).toEqual([]);
      for (const count of await page
        .locator('.event-row')
        .evaluateAll((rows) => rows.map((row) => row.querySelectorAll('.change').length)))
        seen.add(count);
      // The current row is in sight.
      const [table, row] = [page.getByRole('table', { name: 'events' }), page.locator('.event-row.is-now')];
      const [around, box] = [(await table.boundingBox())!, (await row.boundingBox())!];
      expect(box.y).toBeGreaterThanOrEqual(around.y - 1);
      expect(box.y + box.height).toBeLessThanOrEqual(around.y + around.height + 1);
    }
    expect(Math.max(...seen)).toBeGreaterThan(1);
  }
  await close();
});
