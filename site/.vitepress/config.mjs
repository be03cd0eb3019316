/**
 * The site is made of the pages themselves: those in docs/ and in the root. Nothing of them is copied. This folder defines how they are found
 * (sidebar, search, metadata) and where their links to files of the repository lead (sources.mjs).
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformWithEsbuild } from 'vite';
import { defineConfig } from 'vitepress';
import { cornersOfTables, searchAsDialog } from './accessible.mjs';
import { repositoryUrl, version } from './addresses.mjs';
import { blocksWithTypes, hovers } from './hovers.mjs';
import { buildEnd, sitemap, transformHead, transformPageData } from './metadata.mjs';
import { search } from './search.mjs';
import { linksToSources } from './sources.mjs';
import { sidebar } from './sidebar.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** As GitHub and npm make it, so that a link to a heading leads there on all three. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** Headings of the reference that differ in case alone (`Election.status`, `ElectionStatus`) have the anchors that typedoc gave them. */
function anchorsOfReference(md) {
  md.core.ruler.after('block', 'anchors of the reference', ({ tokens }) => {
    tokens.forEach(({ type }, i) => {
      const before = tokens[i - 1];
      const [, anchor] = (type === 'heading_open' && /^<a id="(.*)"><\/a>\s*$/.exec(before?.content)) || [];
      if (anchor === undefined) return;
      before.content = '';
      tokens[i].attrSet('id', anchor);
    });
  });
}

/** The pages are outside of this package, where Vue is not installed: their compiled code finds it here. */
const vueForPages = {
  name: 'vue for pages',
  enforce: 'pre',
  resolveId(id, _, options) {
    if (!/^vue(\/server-renderer)?$/.test(id)) return null;
    return options.ssr
      ? { id, external: true }
      : this.resolve(id, fileURLToPath(import.meta.url), { ...options, skipSelf: true });
  },
};

/** A chart is drawn, and recorded, with the names of its functions: the worker of the playground keeps them, and XState's, as the sources have them. */
const namesOfFunctions = {
  name: 'names of functions',
  enforce: 'pre',
  transform: (code, id) => (/\.[mc]?[jt]s$/.test(id) ? transformWithEsbuild(code, id, { keepNames: true }) : null),
};

/** The inspector's. */
const [, ICON] = /<link\s+rel="icon"\s+href="([^"]+)"/.exec(readFileSync(`${root}inspector/page/index.html`, 'utf8'));

export default defineConfig({
  title: 'Quiver',
  description: 'Distributed locks, leaders and cluster actors for JavaScript, without a central server, as XState statecharts',
  lang: 'en',
  head: [['link', { rel: 'icon', href: ICON }]],
  srcDir: root,
  srcExclude: ['bench/**', 'scripts/**', 'examples/starters/**', 'site/public/**'],
  rewrites: { 'README.md': 'overview.md', 'site/:rest*': ':rest*' },
  lastUpdated: false,
  sitemap,
  transformPageData,
  transformHead,
  buildEnd,
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    image: { lazyLoading: true },
    codeTransformers: [hovers],
    config: (md) => void md.use(anchorsOfReference).use(linksToSources).use(cornersOfTables).use(blocksWithTypes),
  },
  vite: {
    publicDir: fileURLToPath(new URL('../public', import.meta.url)),
    plugins: [vueForPages, searchAsDialog],
    worker: { format: 'es', plugins: () => [namesOfFunctions] },
  },
  themeConfig: {
    nav: [
      { text: 'Playground', link: '/playground/' },
      { text: 'Reference', link: '/reference/' },
      { text: `v${version}`, link: '/CHANGELOG' },
      { text: 'GitHub', link: repositoryUrl },
    ],
    editLink: { pattern: `${repositoryUrl}/edit/main/:path`, text: 'Edit this page' },
    search,
    sidebar,
    outline: [2, 3],
  },
});
