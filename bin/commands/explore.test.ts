/** The server of `quiver explore`: the built program in its own process, with the requests of a page. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { quiver } from '../program.js';

const program = fileURLToPath(new URL('../../dist/bin/quiver.js', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'quiver-explore-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

/** The address that it prints, without its place on the page. */
function explore(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [program, 'explore', ...args]);
  onTestFinished(async () => {
    child.kill('SIGINT');
    if (child.exitCode === null) await once(child, 'exit');
  });
  let reported = '';
  return new Promise((resolve) =>
    child.stdout.on('data', (piece: Buffer) => {
      reported += String(piece);
      const [url] = /http:\S+(?=\s)/.exec(reported) ?? [];
      if (url !== undefined) resolve(url.split('#')[0]!);
    }),
  );
}

async function linesOf(url: string): Promise<any[]> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const text = await response.text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

/** Pairs that stand together, every 20 seconds. */
const CONTACTS = 100;
const day = fileURLToPath(new URL('../../../shared/data/contacts/ws16-day2.tij', import.meta.url));

test.skipIf(!existsSync(day))('some minutes of a real contact day (skipped without ../shared/data/contacts)', async () => {
  const minutes = file('minutes.tij', readFileSync(day, 'utf8').split('\n').slice(0, CONTACTS).join('\n'));
  const url = await explore('--story', 'districts', '--contacts', minutes);
  const [header, ...lines] = await linesOf(`${url}story/districts/The%20day`);
  expect(header).toMatchObject({ quiver: 1, protocol: 'election' });
  expect(header.nodes.length).toBeGreaterThan(3);
  expect(lines.some(({ kind, up }) => kind === 'channel' && up === true)).toBe(true);
  expect(lines.some(({ event }) => event?.type === 'update')).toBe(true);
});

test('a trace is served as it is, of whatever version and length', async () => {
  const text = `{"quiver":99,"nodes":[]}\n${'{"at":0}\n'.repeat(100_000)}`;
  const response = await fetch(`${await explore(file('trace.txt', text))}trace`);
  expect((await response.text()) === text).toBe(true);
});

test.each([
  [
    ['--live', '--save', 'x.html'],
    /^--save cannot be combined with --live: no trace exists yet\. To save one, press "Save the last minute" on the page and run quiver explore --save with that file\./,
  ],
  [
    ['--live', '--seed', '7'],
    /^--seed works only with a scenario that runs now, but --live shows programs as they run\. Omit --seed, or run a scenario: npx quiver explore scenario\.json --seed/,
  ],
  [
    ['--live', '--contacts', 'x.tij'],
    /^--contacts works only with the story "districts", which this command does not show\. Omit --contacts\./,
  ],
  [
    ['--story', 'districts', '--contacts', 'package.json'],
    /^--contacts package.json: line 1 of the contact list must have three words \("t i j"\), but has 1\.$/,
  ],
  [
    ['--story', 'arvy', '--contacts', 'x.tij'],
    /^--contacts works only with the story "districts", which this command does not show\. Omit --contacts\./,
  ],
  [
    ['x.json', '--contacts', 'x.tij'],
    /^--contacts works only with the story "districts", which this command does not show\. Omit --contacts\./,
  ],
  [
    ['--story', 'arvy', '--seed', '7'],
    /^--seed works only with a scenario that runs now, but a story shows its own runs\. Omit --seed, or run a scenario: npx quiver explore scenario\.json --seed 7$/,
  ],
  [
    [file('run.ndjson', '{"quiver":1}'), '--seed', '7'],
    /^--seed works only with a scenario that runs now, but .*run\.ndjson is a recorded run\. Omit --seed, or run a scenario: npx quiver explore scenario\.json --seed/,
  ],
  [
    [file('found.json', '{"rehearsal":1}'), '--seed', '7'],
    /found\.json shows a recorded run\. Omit --seed, or run a scenario: npx quiver explore scenario\.json --seed/,
  ],
  [
    [file('empty.ndjson', ''), '--save', 'x.html', '--port', '8080'],
    /^--port and --save cannot be combined: --save writes a file and serves no page\. Omit --port\./,
  ],
])('%j: what would do nothing is refused', async (args, complaint) => {
  await expect(quiver(['explore', ...args])).rejects.toThrow(complaint);
});
