/** Checks the page with axe, a library that finds barriers for people with disabilities, for tests. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The problems that axe finds in the page, or in a part of it. */
export async function axeComplaints(page: Page, part = 'html', rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = { preload: false, iframes: false, resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const run = `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)})`;
  const { violations } = (await page.evaluate(run)) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
