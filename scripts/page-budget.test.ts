/** The budget of every page: words, length of sentences, the section *Limitations* of guides, and a place in the sidebar of the site. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { contents, sidebar } from '../site/.vitepress/sidebar.mjs';
import { MEAN_MAX, measure, WORDS_MAX } from './page-budget.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
}).split('\n');
const pages = paths.filter((path) => /^(docs\/.*|examples\/.*|[A-Z]+)\.md$/.test(path));
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

test.each(pages)('%s keeps its budget', (page) => {
  const { words, mean, tooLong } = measure(textOf(page));
  expect(words).toBeLessThanOrEqual(WORDS_MAX);
  expect(mean).toBeLessThanOrEqual(MEAN_MAX);
  expect(tooLong).toEqual([]);
});

test('a page over its budget is noticed', () => {
  const long = `One sentence with ${'word '.repeat(33)}end.`;
  expect(measure(`${long} Then a short one.`)).toMatchObject({ words: 41, tooLong: [`line 1: ${long}`] });
  expect(measure(long).mean).toBe(37);
  expect(measure(`\`\`\`js\n${long}\n\`\`\`\n`)).toEqual({ words: 0, mean: 0, tooLong: [] });
});

test('guides and starts have a section Limitations as one of their last two', () => {
  const chapters = contents.filter(({ title }) => ['Start', 'Guides'].includes(title)).flatMap((chapter) => chapter.pages);
  const lacking = chapters.filter((page) => {
    const headings = [...textOf(`${page}.md`).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
    return !headings.slice(-2).includes('Limitations');
  });
  expect(lacking).toEqual([]);
});

test('no sidebar has more than thirty links', () => {
  const counts = Object.entries(sidebar).map(([place, chapters]) => {
    const links = chapters.flatMap(({ link, items = [] }) => [...(link ? [link] : []), ...items.map((item) => item.link)]);
    return [place, links.length] as const;
  });
  expect(counts.filter(([, links]) => links > 30)).toEqual([]);
});
