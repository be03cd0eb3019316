/** Metadata of a page: its description, its social card, and its Markdown, listed in `llms.txt`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { site } from './addresses.mjs';
import { contents } from './sidebar.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const DESCRIPTION_MAX = 200;

const textOf = (page) => (existsSync(root + page) ? readFileSync(root + page, 'utf8') : '');
const withoutFrontmatter = (text) => text.replace(/^---\n[^]*?\n---\n+/, '');
const titleOf = (text) => /^# (.*)$/m.exec(text)?.[1].replaceAll('`', '') ?? '';
/** The first paragraph, as plain text, up to the end of a sentence or a word. */
function descriptionOf(text) {
  const paragraph = withoutFrontmatter(text)
    .replaceAll(/^```[^]*?^```$/gm, '')
    .split(/\n{2,}/)
    .map((one) => one.trim())
    .find((one) => /^[*A-Z`[]/.test(one) && !one.startsWith('* '));
  const plain = (paragraph ?? '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`]|<[^>]+>/g, '')
    .replaceAll(/\s+/g, ' ');
  if (plain.length <= DESCRIPTION_MAX) return plain;
  const start = plain.slice(0, DESCRIPTION_MAX);
  const sentence = start.lastIndexOf('. ');
  return sentence > 0 ? start.slice(0, sentence + 1) : `${start.slice(0, start.lastIndexOf(' '))} …`;
}

/** Each page has its own description; generated pages cannot be edited. */
export function transformPageData({ relativePath, filePath, frontmatter, description }) {
  if (/^(reference|source)\//.test(relativePath)) frontmatter.editLink = false;
  return { description: description || descriptionOf(textOf(filePath)) };
}

/** Where a page is on the site. */
const pathOf = (relativePath) => `/${relativePath.replace(/\.md$/, '.html').replace(/(^|\/)index\.html$/, '$1')}`;
const isListed = (relativePath) => !/^(source|404)/.test(relativePath);

/** The card that a link to the page shows, and the address of its Markdown. */
export function transformHead({ pageData: { relativePath, filePath }, title, description }) {
  const meta = (property, content) => ['meta', { property, content }];
  const card = [
    meta('og:type', 'website'),
    meta('og:site_name', 'Quiver'),
    meta('og:title', title),
    meta('og:description', description),
    meta('og:image', `${site}/card.png`),
    meta('og:url', `${site}${pathOf(relativePath)}`),
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
  ];
  const hasMarkdown = isListed(relativePath) && existsSync(root + filePath);
  return hasMarkdown ? [...card, ['link', { rel: 'alternate', type: 'text/markdown', href: `/${relativePath}` }]] : card;
}

export const sitemap = {
  hostname: `${site}/`,
  transformItems: (items) => items.filter(({ url }) => isListed(url)),
};

/** Writes every page next to its HTML as Markdown, and their list with descriptions. */
export function buildEnd({ outDir, pages, rewrites }) {
  for (const page of pages.filter((name) => existsSync(root + name) && !/^site\/(index|playground|source)/.test(name))) {
    const target = join(outDir, rewrites.map[page] ?? page);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, withoutFrontmatter(textOf(page)));
  }
  const line = (page) => {
    const text = page === 'reference' ? textOf('site/reference/index.md') : textOf(`${page}.md`);
    const address = page === 'reference' ? 'reference/index.md' : `${page}.md`;
    const description = page === 'reference' ? 'Every export, with parameters, defaults and examples.' : descriptionOf(text);
    return `- [${titleOf(text) || 'Reference'}](${site}/${address}): ${description}`;
  };
  const chapters = contents.map(({ title, pages }) => `## ${title}\n\n${pages.map(line).join('\n')}\n`);
  const summary = descriptionOf(textOf('README.md'));
  writeFileSync(join(outDir, 'llms.txt'), `# Quiver\n\n> ${summary}\n\n${chapters.join('\n')}`);
}
