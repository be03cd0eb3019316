/** External input: traces of live nodes, invalid files, and the user's own protocols. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createNode } from '../adapters/node/node.js';
import { InProcessBus } from '../adapters/transports/in-process.js';
import { record } from '../inspector/live/record.js';
import { directory } from '../machines/directory/index.js';
import { called } from './called.fixture.js';
import { quiver, runCommand } from './program.js';

const { complained, inFolder, printed } = called();

const verify = (args: readonly string[]) => quiver(['verify', ...args]);

/** Three nodes on a transport pass a token round, and what they did is recorded. */
async function liveTrace(): Promise<string[]> {
  const bus = new InProcessBus();
  const ids = ['a', 'b', 'c'];
  const topology = { nodes: ids, links: [['a', 'b', 1] as const, ['b', 'c', 1] as const] };
  const nodes = ids.map((id) =>
    createNode({ transport: bus.transport(id), protocol: directory, topology, options: { hold: null } }),
  );
  let text = '';
  const recording = record(nodes, (piece) => (text += piece));
  for (const node of nodes) {
    const granted = once(node, 'granted');
    node.command('request');
    await granted;
    node.command('release');
  }
  await recording.close();
  bus.close();
  return text.trimEnd().split('\n');
}

describe('quiver verify of a live run', () => {
  test('is valid, with every property', async () => {
    expect(await verify([inFolder('live.ndjson', (await liveTrace()).join('\n'))])).toBe(0);
    expect(printed[0]).toMatch(/^valid .*live\.ndjson: \d+ steps of directory$/);
    expect(printed.filter((line) => line.includes('one token'))).toHaveLength(1);
  });

  test('names the line that was changed', async () => {
    const lines = await liveTrace();
    const at = lines.findIndex((line) => line.includes('"kind":"deliver"') && line.includes('"type":"token"'));
    const changed = lines.with(at, lines[at]!.replace(/"node":"\w"/, '"node":"z"'));
    expect(await verify([inFolder('changed.ndjson', changed.join('\n'))])).toBe(1);
    expect(printed[1]).toMatch(
      new RegExp(`^ {2}line ${at + 1}: the charts cannot do this: message #\\d+ arrives at z, but it was not in flight to z$`),
    );
  });

  test.each<[string, (lines: readonly string[]) => string, RegExp]>([
    ['cut off within a line', (lines) => lines.join('\n').slice(0, -20), /^Line \d+ of .* is truncated or damaged \(/],
    ['cut off after its first line', ([first]) => first!, /contains no steps to verify\. Record it again\./],
    ['nothing at all', () => '', /^Line 1 of .* is truncated or damaged \(/],
    [
      'the log of something else',
      () => '{"level":30,"msg":"ready"}',
      /was not recorded by this version \(its first line has no "quiver":/,
    ],
    [
      'another version',
      ([first]) => first!.replace('"quiver":1', '"quiver":3'),
      /was not recorded by this version \(its first line has no "quiver":/,
    ],
    [
      'a line of something else',
      (lines) => `${lines.join('\n')}\n{"kind":"deliver","at":9e9,"node":"a"}`,
      /^Line \d+ of .* is neither a step nor an event of a trace\. Record the trace again\./,
    ],
  ])('%s: rejected with the reason', async (_, damage, complaint) => {
    await expect(verify([inFolder('damaged.ndjson', damage(await liveTrace()))])).rejects.toThrow(complaint);
  });
});

test('the error of an example that is not here names its file in the package', () => {
  const command = fileURLToPath(new URL('../dist/bin/quiver.js', import.meta.url));
  const words = [command, 'run', 'examples/scenarios/ring-ivy.json'];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: dirname(inFolder('here')), encoding: 'utf8' });
  const [, packaged] = /there is no such file\. The package contains it: (\S+)$/.exec(stderr.trim())!;
  expect(status).toBe(64);
  expect(JSON.parse(readFileSync(resolve(inFolder('here'), '..', packaged!), 'utf8')).protocol).toBe('directory');
});

describe('your own protocol', () => {
  const built = (path: string) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url));
  const own = built('examples/own-protocol/index.js');

  test('quiver test takes the one that is brought along, and emits tests that import it', async () => {
    const emitted = inFolder('ring.test.ts');
    expect(await quiver(['test', '--protocol', 'examples/own-protocol/index.ts', '--emit', emitted])).toBe(0);
    expect(readFileSync(emitted, 'utf8')).toMatch(
      /^import \{ ring as protocol \} from "(\.\.\/)+.*examples\/own-protocol\/index\.js";$/m,
    );
    // The next call knows nothing of it.
    await expect(quiver(['test', 'ring'])).rejects.toThrow(/^Unknown protocol "ring"\. Did you mean "link"\?/);
  });

  test('quiver explore serves its run until Ctrl-C, and nothing is left', async () => {
    const scenario = { protocol: 'ring', topology: { kind: 'ring', n: 3 }, events: [{ at: 0, node: 'n0', do: 'call' }] };
    const args = ['explore', inFolder('call.json', JSON.stringify(scenario)), '--protocol', own];
    const child = spawn(process.execPath, [built('bin/quiver.js'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    const [url] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited]);
    expect(url).toMatch(/^http:/);
    const [page, trace] = await Promise.all([fetch(url), fetch(new URL('trace', url))]);
    expect([page.status, trace.status]).toEqual([200, 200]);
    expect((await trace.text()).split('\n')[0]).toMatch(/"protocol":"ring"/);
    // A test that the page saves next to the scenario imports it.
    const offer = await fetch(new URL('offer', url), { method: 'POST', body: JSON.stringify(scenario) });
    const { module } = (await offer.json()) as { readonly module: { readonly path: string; readonly name: string } };
    expect(module.path).toMatch(/^\.\.?\//);
    expect([resolve(dirname(inFolder('call.json')), module.path), module.name]).toEqual([own, 'ring']);
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
    await expect(fetch(url)).rejects.toThrow();
  });

  const scenario = { protocol: 'p', topology: { kind: 'path', n: 2 }, events: [] };
  const chart = "setup({}).createMachine({ initial: 'a', states: { a: { on: { go: 'a' } } } })";
  const core = `name: 'p', charts: { c: ${chart} }, network: { reach: 'links' }`;
  test.each([
    [
      'without messages',
      `defineProtocol({ ${core} })`,
      64,
      /^quiver: Cannot load .*: Protocol p: messages is missing\. List the fields of each type of message, or use \{\} for none\.\n$/,
    ],
    [
      'with a record that is half of one',
      `({ ${core}, options: () => ({}), properties: () => [] })`,
      64,
      /^quiver: .* exports protocol, an object without roles, route, accepts, reactions, observe\. Export the result of defineProtocol instead\.\n$/,
    ],
    [
      'whose properties are none',
      `defineProtocol({ ${core}, messages: {} }, { properties: () => [{ name: 'x' }] })`,
      64,
      /^quiver: Protocol p: property "x": kind is missing\. Choose "always" or /,
    ],
    [
      'that breaks while it runs',
      `defineProtocol({ ${core}, messages: {}, input: () => nothing.at.all })`,
      70,
      /^quiver: Protocol p: input failed: nothing is not defined\n {2}ReferenceError: nothing is not defined\n {6}at .*that-breaks-while-it-runs\.mjs:3:\d+\)?\n$/,
    ],
    ['that says its core and no more', `defineProtocol({ ${core}, messages: {} })`, 0, /^$/],
    ['by its core', `defineCore({ ${core}, messages: {} })`, 0, /^$/],
  ])('one %s', async (what, declared, status, complaint) => {
    const imports = [import.meta.resolve('../index.ts'), import.meta.resolve('xstate')].map((path) => JSON.stringify(path));
    const head = `import { defineCore, defineProtocol } from ${imports[0]};\nimport { setup } from ${imports[1]};\n`;
    const file = inFolder(`${what.replaceAll(' ', '-')}.mjs`, `${head}export const protocol = ${declared};\n`);
    expect(await runCommand(['run', inFolder('two.json', JSON.stringify(scenario)), '--protocol', file])).toBe(status);
    expect(complained.map((text) => `${text}\n`).join('')).toMatch(complaint);
  });
});
