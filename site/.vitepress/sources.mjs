/**
 * Links of the pages that lead to files and folders of the repository. On the site each of them has its own page below `/source/`: a
 * file as it is, a folder as the list of its files. A link to the description of the playground leads to the playground itself.
 */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { extname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The pages that are written by hand: those in the root, of docs/, and of the applications. */
const pages = () => [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'examples/apps'].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

/** The file or folder that a link on a page means; `null` for another page, a picture and what is elsewhere. */
function meant(page, link) {
  if (/^[a-z]+:|^#|^\//.test(link)) return null;
  const path = posix.join(posix.dirname(page), link.replace(/#.*/, ''));
  const isSource = !/\.(md|png|svg|html)$/.test(path) && existsSync(root + path);
  return isSource ? path.replace(/\/$/, '') : null;
}

const childrenOf = (path) =>
  statSync(root + path).isDirectory() ? readdirSync(root + path).map((name) => `${path}/${name}`) : [];

/** All that pages link to, with all that is inside of folders. */
export function linkedFiles() {
  const found = new Set();
  const add = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const child of childrenOf(path)) add(child);
  };
  for (const page of pages())
    for (const [, link] of readFileSync(root + page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)) {
      const path = meant(page, link);
      if (path !== null) add(path);
    }
  return [...found].sort();
}

/** Below `/source/`, without the `.html` that every page has there. */
export const routeOf = (path) => path.replace(/\.html$/, '-html');

/** The text on the page of a file or folder. */
export function sourcePageOf(path) {
  const names = childrenOf(path).map((child) => `- [${posix.basename(child)}](/source/${routeOf(child)}.html)`);
  if (names.length > 0) return `# ${path}\n\n${names.join('\n')}\n`;
  return `# ${path}\n\n\`\`\`\`${extname(path).slice(1)}\n${readFileSync(root + path, 'utf8')}\n\`\`\`\`\n`;
}

/** A plugin of markdown-it: a link to a file of the repository leads to its page here. */
export function linksToSources(md) {
  md.core.ruler.push('links to sources', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const link = token.type === 'link_open' ? token.attrGet('href') : null;
      if (link?.endsWith('inspector.md#the-playground')) token.attrSet('href', '/playground/');
      const path = link === null ? null : meant((env.realPath ?? env.path).slice(root.length), link);
      if (path !== null) token.attrSet('href', `/source/${routeOf(path)}.html`);
    }
  });
}
