/** The record of rehearsals and the pages that tell its sums agree. With `-u` the pages are written anew. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { batchOf, lineOf, recorded, sumOf, tablesOf, type Batch } from './record.fixture.js';

const pathOf = (page: string) => fileURLToPath(new URL(`../../docs/${page}`, import.meta.url));
const [BEGIN, END] = ['<!-- sums -->', '<!-- end of sums -->'];

const batch: Batch = {
  period: 1,
  workload: 'locks',
  seeds: '1 to 5, 11 to 15',
  schedules: 10,
  grants: 1_200,
  faults: 3,
  operations: 0,
  failed: 0,
};

test('the page has the sums of all batches', async () => {
  const page = readFileSync(pathOf('rehearsal-record.md'), 'utf8');
  const [head, tail] = [page.slice(0, page.indexOf(BEGIN) + BEGIN.length), page.slice(page.indexOf(END))];
  await expect(`${head}\n${tablesOf(recorded())}\n${tail}`).toMatchFileSnapshot(pathOf('rehearsal-record.md'));
});

test('the guide has their number', async () => {
  const page = readFileSync(pathOf('rehearsal.md'), 'utf8');
  const total = sumOf(recorded()).schedules.toLocaleString('en');
  expect(page).toMatch(/\*\*[\d,]+ schedules\*\*/);
  await expect(page.replace(/\*\*[\d,]+ schedules\*\*/, `**${total} schedules**`)).toMatchFileSnapshot(pathOf('rehearsal.md'));
});

test('sums stand by workload and by period', () => {
  const more = [batch, { ...batch, period: 2, grants: 7 }, { ...batch, workload: 'objects', operations: 4 }];
  const lines = tablesOf(more).split('\n');
  expect(lines).toContain('| locks | 20 | 1,207 | 6 | | |');
  expect(lines).toContain('| **all** | 30 | 2,407 | 9 | 4 | |');
  expect(lines).toContain('| locks | 10 | 10 | | |');
  expect(lines).toContain('| **all** | 20 | 10 | | |');
});

test.each<[Partial<Batch>, why: string]>([
  [{ seeds: '1 to 5' }, '1 to 5 are 5 seeds, and schedules 10'],
  [{ seeds: 'some of 1 to 5' }, 'some of 1 to 5 are 5 seeds, and schedules 10'],
  [{ period: 9 }, 'period is none from 1 to'],
  [{ grants: -1 }, 'grants is no count'],
  [{ workload: '' }, 'workload is missing'],
])('a line with %j is refused', (wrong, why) => {
  expect(batchOf(lineOf(batch))).toEqual(batch);
  expect(() => batchOf(lineOf({ ...batch, ...wrong }))).toThrow(why);
});
