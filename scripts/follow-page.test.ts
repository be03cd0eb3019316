/** How a page is followed (follow-page.mjs), and that every page of docs/start and docs/recipes can be; CI follows them. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { followPage, isShown, stepsOf } from './follow-page.mjs';

const docs = new URL('../docs/', import.meta.url);
const pages = ['start', 'recipes'].flatMap((chapter) => readdirSync(new URL(chapter, docs)).map((name) => `${chapter}/${name}`));

test.each(pages)('%s can be followed: blocks are files, commands or output', (page) => {
  const parts = stepsOf(readFileSync(new URL(page, docs), 'utf8'));
  const commands = parts.flatMap(({ command, shown }) => (command === undefined ? [] : [shown]));
  if (page !== 'start/tabs.md') expect(commands.filter((shown) => shown !== null).length).toBeGreaterThan(0);
  expect(commands.length).toBeGreaterThan(1);
});

test.each(pages)('%s has a section Limitations', (page) => {
  expect(readFileSync(new URL(page, docs), 'utf8')).toMatch(/^## Limitations$/m);
});

test('what a command prints to standard error is compared as well', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-follow-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const page = join(folder, 'page.md');
  const follow = (text: string) => {
    writeFileSync(page, text);
    return followPage(page, folder, '');
  };
  const command = '```sh\necho out; echo warning >&2\n```\n';
  await follow(`${command}\`\`\`\nout\nwarning\n\`\`\`\n`);
  await expect(follow(`${command}\`\`\`\nout\n\`\`\`\n`)).rejects.toThrow(/printed\nout\nwarning\n\ninstead of\nout/);
  await expect(follow(command)).rejects.toThrow(/printed to standard error\nwarning/);
});

test('a block is a file by the line above it, a command, or what the command prints', () => {
  const text =
    'As `a/b.js`, which says:\n\n```js\n1;\n```\n\n```diff\n-2\n```\n\n```sh\nnode a/b.js\n```\n```\nout\n```\n\n```sh\nls\n```\n';
  expect(stepsOf(text)).toEqual([
    { file: 'a/b.js', content: '1;\n' },
    { command: 'node a/b.js\n', shown: 'out\n' },
    { command: 'ls\n', shown: null },
  ]);
  expect(() => stepsOf('Some words.\n\n```js\n1;\n```\n')).toThrow(
    'A block is not a file, a command or an output. Name its file in the line above.',
  );
});

test('what was printed is held to what the page shows, line by line', () => {
  expect(isShown('a\nb\n', 'a\nb\n')).toBe(true);
  expect(isShown('a\nb', 'a\nc')).toBe(false);
  expect(isShown('a\nb\nc', 'a\nc')).toBe(false);
  expect(isShown('a\nb\nc\nd', 'a\n…\nd')).toBe(true);
  expect(isShown('a\nd', 'a\n…\nd')).toBe(true);
  expect(isShown('a (1)', 'a .1.')).toBe(false);
  expect(isShown('a\nb', 'a')).toBe(false);
});

test('one shell follows a page: each block starts in the folder of the previous one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-follow-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const page = join(folder, 'page.md');
  const begin = '```sh\nmkdir inner\ncd inner\n```\n\nAs `a.txt`:\n\n```js\n1\n```\n\n';
  writeFileSync(page, `${begin}\`\`\`sh\ncat a.txt\n\`\`\`\n\`\`\`\n1\n\`\`\`\n`);
  await followPage(page, folder, '');
  expect(existsSync(join(folder, 'inner/a.txt'))).toBe(true);
  rmSync(join(folder, 'inner'), { recursive: true });
  writeFileSync(page, `${begin}\`\`\`sh\ncd inner\ncat a.txt\n\`\`\`\n`);
  await expect(followPage(page, folder, '')).rejects.toThrow(/: this command exited with \d+:\ncd inner\n/);
});
