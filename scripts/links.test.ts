/** Every link of the pages leads to a file of the repository, and to a heading that it has. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const paths = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
const pages = paths.filter((path) => /^(docs\/.*|examples\/.*|[A-Z]+)\.md$/.test(path));

/** A heading's anchor, as GitHub and npm make it; a row of a table has its own, `<a id=…>`. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const anchorsIn = (page: string): string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.*)$|<a id="([^"]+)">/gm)].map(
    ([, heading, id]) => id ?? anchorOf(heading!),
  );

/** Why a link on a page is dead; `null` when it leads somewhere. */
function refused(page: string, link: string): string | null {
  const [path, anchor] = link.split('#') as [string, string?];
  const target = path === '' ? page : posix.join(posix.dirname(page), path);
  const isThere = target.endsWith('/') ? paths.some((one) => one.startsWith(target)) : paths.includes(target);
  if (!isThere) return `${link}: ${target} is not in the repository`;
  if (anchor !== undefined && !anchorsIn(target).includes(anchor)) return `${link}: ${target} has no heading of that name`;
  return null;
}

function linksIn(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[^]*?^```/gm, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
}

test.each(['composing', 'own-protocol', 'queues', 'rxjs', 'shipping'])(
  'docs/%s.md links to what the package contains',
  (page) => {
    const others = linksIn(`docs/${page}.md`).filter((link) => /^\.\.\/(?!examples\/|[A-Z]+\.md)/.test(link));
    expect(others).toEqual([]);
  },
);

test.each(pages)('%s', (page) => {
  expect(linksIn(page).flatMap((link) => (link.startsWith('https:') ? [] : (refused(page, link) ?? [])))).toEqual([]);
});

const words = ['pack', '--dry-run', '--json', '--ignore-scripts', '--silent'];
const [{ files }] = JSON.parse(execFileSync('npm', words, { cwd: root, encoding: 'utf8' }));
const packed = new Set<string>(files.map(({ path }: { readonly path: string }) => path));

/** Its page copies it, and changes the name that it imports. */
const isCopied = (path: string): boolean => path.startsWith('examples/own-protocol/');

test('packed programs import the package by its name, and files that are packed', () => {
  const programs = [...packed].filter((path) => /^examples\/.*\.(ts|tsx|js|jsx)$/.test(path) && !isCopied(path));
  const missing = programs.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/(?:from|import) '(\.[^']*)'/g)]
      .map(([, name]) => posix.join(posix.dirname(path), name!))
      .filter((name) => ![name, name.replace(/\.js$/, '.ts'), name.replace(/\.js$/, '.tsx')].some((file) => packed.has(file)))
      .map((name) => `${path}: ${name}`),
  );
  expect(programs.length).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});

test('links of packed pages lead to packed files, screenshots or sources', () => {
  const missing = pages
    .filter((page) => packed.has(page))
    .flatMap((page) =>
      linksIn(page)
        .filter((link) => !/^(https:|#)/.test(link))
        .map((link) => posix.join(posix.dirname(page), link.split('#')[0]!)),
    )
    .filter(
      (target) =>
        !packed.has(target) && !/\/$|\.png$|\.deep\.ts$|^(machines|network|papers|examples\/machines)\/.*\.ts$/.test(target),
    );
  expect(missing).toEqual([]);
});

test('a link to nowhere is found', () => {
  expect(refused('README.md', 'docs/lokcs.md')).toBe('docs/lokcs.md: docs/lokcs.md is not in the repository');
  expect(refused('docs/locks.md', '#guarantee')).toBe('#guarantee: docs/locks.md has no heading of that name');
  expect(refused('docs/locks.md', '../README.md')).toBe(null);
  expect(refused('docs/locks.md', '#guarantees')).toBe(null);
});
