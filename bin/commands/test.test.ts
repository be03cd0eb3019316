/** `quiver test` and `quiver verify`, called as the program calls them. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { sentence } from '../../inspector/model/words.js';
import type { StepLine, TraceLine } from '../../network/trace.js';
import { called } from '../called.fixture.js';
import { quiver } from '../program.js';

const { folder, inFolder, printed } = called();

/** The trace in a page. Deletes the page. */
function linesIn(page: string): TraceLine[] {
  const [, packed] = /id="trace">([^<]*)</.exec(readFileSync(page, 'utf8'))!;
  rmSync(page);
  const [, ...lines] = String(gunzipSync(Buffer.from(packed!, 'base64')))
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as TraceLine);
}
const sentencesIn = (page: string): string[] => linesIn(page).map(sentence);

const check = (args: readonly string[]) => quiver(['check', ...args]);
const run = (args: readonly string[]) => quiver(['run', ...args]);
const walk = (args: readonly string[]) => quiver(['test', ...args]);
const verify = (args: readonly string[]) => quiver(['verify', ...args]);

describe('quiver test', () => {
  test('prints what the paths of the directory cover: everything', async () => {
    expect(await walk(['directory'])).toBe(0);
    expect(printed.join('\n')).toMatch(
      /paths, .* steps, on snapshots and on actors\n[^]*directory +10\/10 +22\/22 +16\/16 +5\/5 +2\/2 +2\/2\n\nvalid/,
    );
  });

  test('gives one JSON object, and emits a file of tests', async () => {
    const path = inFolder('directory.test.ts');
    expect(await walk(['directory', '--json', '--emit', path])).toBe(0);
    expect(JSON.parse(printed.join(''))).toMatchObject({
      protocol: 'directory',
      verdict: 'valid',
      failures: [],
      coverage: { missing: [], isComplete: true },
    });
    expect(readFileSync(path, 'utf8')).toContain('test("directory, start 0, walk 0"');
    expect(readdirSync(folder)).toEqual(['directory.test.ts']);
  });

  test.each([
    [['nobody'], /^Name one protocol: controller, directory, /],
    [[], /^Name one protocol: /],
    [['directory', 'queue'], /^quiver test takes one protocol\. Remove queue\./],
    [['no/such.js'], /^Cannot read no\/such.js: there is no such file/],
    [['bin/quiver.ts'], /^(cannot load|bin\/quiver.ts exports no machine and no protocol)/],
    [['directory', '--swarm', 'x'], /--swarm is "x". Pass an integer/],
  ])('%j is refused', async (args, complaint) => {
    await expect(walk(args)).rejects.toThrow(complaint);
  });

  test('an external protocol is named by its file', async () => {
    const own = 'examples/own-protocol/index.ts';
    expect(await walk([own, '--swarm', '20'])).toBe(0);
    expect(printed.join('\n')).toMatch(/^ring .*paths[^]*swarm  20 scenarios, nothing breaks[^]*valid$/);
  });

  test('a separate module contains the reasons', async () => {
    const own = 'examples/own-protocol/index.ts';
    expect(await walk([own, '--mutants'])).toBe(1);
    expect(printed.join('\n')).toContain('ring: reorder choices candidate: probe #2, before #1');
    expect(await walk([own, '--mutants', '--reasons', 'examples/own-protocol/reasons.ts'])).toBe(0);
    await expect(walk([own, '--reasons', own])).rejects.toThrow(
      /index\.ts exports no reasons\. Add: export const reasons = \{ 'chart: part': 'why it is unreachable', … \}/,
    );
    await expect(walk([own, '--reasons', 'no/such.js'])).rejects.toThrow('Cannot read no/such.js: there is no such file');
  });

  test('and so it is brought along to other commands', async () => {
    const scenario = { protocol: 'ring', topology: { kind: 'ring', n: 3 }, events: [{ at: 0, node: 'n0', do: 'call' }] };
    const along = ['--protocol', 'examples/own-protocol/index.ts'];
    const args = [inFolder('call.json', JSON.stringify(scenario)), ...along];
    expect(await check(args)).toBe(0);
    expect(await run([...args, '--trace', inFolder('call.ndjson')])).toBe(0);
    expect(await verify([inFolder('call.ndjson'), ...along])).toBe(0);
    await expect(run(['--protocol'])).rejects.toThrow(
      /^--protocol has no value\. Add FILE: a module that exports your own protocol/,
    );
    expect(printed.join('\n')).toMatch(/^valid .*ring, every interleaving[^]*valid .*ring, 3 nodes[^]*valid .* steps of ring/);
  });

  test('what the swarm finds is kept as a scenario that runs, and fails, again', async () => {
    const wrong = 'bin/commands/hasty.fixture.ts';
    expect(await walk([wrong, '--swarm', '50', '--save', inFolder('regressions')])).toBe(1);
    const saved = inFolder('regressions/hasty-one-leader.json');
    expect(JSON.parse(readFileSync(saved, 'utf8')).events).toHaveLength(2);
    expect(printed.join('\n')).toContain(`npx quiver run ${saved} --protocol ${wrong}`);
    const page = 'quiver-failures/hasty-swarm-one-leader.html';
    expect(printed.join('\n')).toContain(`see it:  ${page}`);
    expect(sentencesIn(page)).toContainEqual(expect.stringMatching(/^violated/));
    printed.length = 0;
    expect(await run([saved, '--protocol', wrong])).toBe(1);
    expect(printed.join('\n')).toMatch(/violated: one leader/);
  });
});

describe('quiver test of a machine', () => {
  const login = 'examples/machines/login.ts';
  const samples = `export default {
    events: { LOG_IN: [{ user: 'ann', password: 'x' }, { user: '', password: '' }] },
    services: { authenticate: { done: [{ token: 't1' }] }, refresh: { done: [{ token: 't2' }] } },
  };`;

  test('with its samples everything is covered', async () => {
    expect(await walk([login, '--with', inFolder('samples.mjs', samples), '--pairs'])).toBe(0);
    expect(printed.join('\n')).toMatch(
      /6 states, 19 steps between them\n[^]*login +5\/5 +10\/10 +2\/2 +3\/3 +2\/2 +4\/4\n\nvalid/,
    );
  });

  test('without them it reports the failure, its steps, and the missing sample', async () => {
    expect(await walk([login, '--json'])).toBe(1);
    const { failures, coverage } = JSON.parse(printed.join(''));
    expect(failures[0].steps).toEqual([{ event: { type: 'LOG_IN' } }, { done: 'authenticate' }]);
    expect(failures[0].description).toMatch(/add samples to services\["authenticate"\].done/);
    expect(coverage.missing.map(({ item }: { item: string }) => item)).toContain('guard loggedOut: LOG_IN is false');
  });

  test('--mode pure tests only the chart', async () => {
    expect(await walk([login, '--with', inFolder('samples.mjs', samples), '--mode', 'pure'])).toBe(0);
    expect(printed.join('\n')).toMatch(/6 states, 19 steps between them\n[^]*tour .* only on the chart\n[^]*valid$/);
    await expect(walk([login, '--mode', 'pur'])).rejects.toThrow(/^mode is "pur".*pure/);
  });

  test.each([
    ['examples/machines/order.ts', /exports several machines: line, order\. Choose one: examples\/machines\/order\.ts#line/],
    ['examples/machines/order.ts#cart', /exports no machine cart\. It exports line, order/],
    ['examples/machines/samples.ts', /exports no machine and no protocol\. It exports /],
  ])('%s is refused', async (word, complaint) => {
    await expect(walk([word])).rejects.toThrow(complaint);
  });

  test('writes tests, a trace, lcov and counts that add up', async () => {
    const given = inFolder('samples.mjs', samples);
    const [emitted, trace, counts, lcov] = ['login.test.ts', 'login.ndjson', 'counts.json', 'lcov'].map((name) => inFolder(name));
    const words = ['--emit', emitted!, '--trace', trace!, '--lcov', lcov!, '--counts', counts!];
    expect(await walk([login, '--with', given, ...words])).toBe(0);
    expect(readFileSync(emitted!, 'utf8')).toMatch(
      /import \{ login as machine \} from ".*login\.js";\nimport tests from "\.\/samples.mjs";/,
    );
    expect(JSON.parse(readFileSync(trace!, 'utf8').split('\n')[0]!)).toMatchObject({ protocol: 'login', nodes: ['login 1'] });
    expect(readFileSync(`${lcov}/lcov.info`, 'utf8')).toContain('LF:15\nLH:15');
    printed.length = 0;
    // Without samples little is covered; together with the run before, everything.
    await walk([login, '--counts', counts!, '--json']);
    expect(JSON.parse(printed.join('')).coverage.missing).toEqual([]);
    expect(JSON.parse(readFileSync(counts!, 'utf8'))).toHaveLength(2);
    await expect(walk([login, '--counts', given])).rejects.toThrow(
      /contains no counts of earlier runs\. Choose another file for --counts, or delete it\./,
    );
  });

  test('trace and lcov contain child machines; lcov adds the counts of earlier runs', async () => {
    const [trace, counts, lcov] = ['order.ndjson', 'order.json', 'order'].map((name) => inFolder(name));
    const given = inFolder(
      'order.mjs',
      `export default { events: { ADD: [{ article: 'pen' }] }, services: { stock: { done: [true] } }, limits: { states: 6, walks: 0 } };`,
    );
    const words = ['examples/machines/order.ts#order', '--with', given, '--trace', trace!, '--counts', counts!, '--lcov', lcov!];
    await walk(words);
    const [header, ...lines] = readFileSync(trace!, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(Object.keys(header.charts)).toEqual(['order', 'line']);
    expect(header.coverage.line['state checking']).toBeGreaterThan(0);
    expect(lines.some(({ roles }) => roles.line?.value === 'checking')).toBe(true);
    const hits = () =>
      [...readFileSync(`${lcov}/lcov.info`, 'utf8').matchAll(/^TN:(.*)$[^]*?^FNDA:(\d+),/gm)].map(([, name, n]) => [
        name,
        Number(n),
      ]);
    const [[order, once], [line]] = hits() as [[string, number], [string]];
    expect([order, line]).toEqual(['order', 'line']);
    await walk(words);
    expect(hits()[0]).toEqual(['order', 2 * once]);
  });

  test('what is for protocols is refused for a machine, and the other way round', async () => {
    await expect(walk([login, '--swarm', '5'])).rejects.toThrow(/--swarm and --save are for protocols/);
    await expect(walk(['directory', '--lcov', 'x'])).rejects.toThrow(
      /--lcov works only with a machine of an application, and directory is a protocol\. Omit --lcov\./,
    );
  });

  test('a failure prints a command to repeat it and one to inspect it', async () => {
    const wrong = `export default { events: { LOG_IN: [{ user: "o'hara" }] }, services: { authenticate: { done: [], fails: [] } },
      invariants: { "nobody is o'hara": ({ value, context }) => value !== 'authenticating' },
    };`;
    const given = inFolder('wrong.mjs', wrong);
    expect(await walk([login, '--with', given, '--seed', '5'])).toBe(1);
    const line = printed.join('\n').match(/again: (npx quiver test .*)/)![1]!;
    const page = 'quiver-failures/login-nobody-is-o-hara.html';
    expect(printed.join('\n')).toContain(`see it: ${page}`);
    const lines = linesIn(page);
    expect(lines.slice(0, -1).map((line) => Object.keys((line as StepLine).roles['login']!.context as object))).toEqual([
      ['context'],
      ['context'],
    ]);
    expect(lines.map(sentence)).toEqual([
      'login 1 started',
      'login 1 was asked to LOG_IN',
      "verdict: invalid, for nobody is o'hara does not hold",
    ]);
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
      .trimEnd()
      .split('\n');
    expect(words.slice(0, -1)).toEqual(['npx', 'quiver', 'test', login, '--with', given, '--seed', '5', '--replay']);
    printed.length = 0;
    expect(await walk(words.slice(3))).toBe(1);
    expect(printed.join('\n')).toMatch(
      /1. LOG_IN {"user":"o'hara"}\n\nnobody is o'hara: does not hold in "authenticating"\n\ninvalid/,
    );
    expect(await walk([login, '--with', given, '--replay', '[]'])).toBe(0);
    await expect(walk([login, '--replay', '{'])).rejects.toThrow(
      /^--replay is \{\. Pass the steps of a failure as the command printed them\./,
    );
  });

  test('an incomplete search is unknown: exit status 2 and the limit that ended it', async () => {
    const cut = inFolder('cut.mjs', 'export default { limits: { states: 5 } };');
    expect(await walk(['examples/machines/upload.ts', '--with', cut])).toBe(2);
    expect(printed.join('\n')).toMatch(
      /not covered +upload: .*the search ended at limits\.states\)\n[^]*not decided: the search ended at limits\.states 5, [^]*\n\nunknown$/,
    );
  });

  test('one of several is named', async () => {
    expect(await walk(['examples/machines/order.ts#line', '--json'])).toBe(1);
    expect(JSON.parse(printed.join('')).machine).toBe('line');
  });

  test('samples that are none are refused', async () => {
    await expect(walk([login, '--with', inFolder('none.mjs', 'export const a = 1;')])).rejects.toThrow(
      /exports no tests\. Add: export default \{ events: \{ … \}, services: \{ … \} \}/,
    );
  });
});

describe('quiver verify', () => {
  const trace = inFolder('trace.ndjson');
  const record = async () => {
    const scenario = {
      protocol: 'directory',
      topology: { kind: 'ring', n: 4 },
      options: { policy: 'ivy' },
      workload: { sequential: ['n2', 'n1'] },
    };
    await run([inFolder('ring.json', JSON.stringify(scenario)), '--trace', trace]);
    printed.length = 0;
    return readFileSync(trace, 'utf8').trimEnd().split('\n');
  };

  test('a good trace is valid', async () => {
    await record();
    expect(await verify([trace])).toBe(0);
    expect(printed[0]).toMatch(/^valid .* steps of directory$/);
  });

  test('an impossible step is reported with its line', async () => {
    const lines = await record();
    const at = lines.findIndex((line) => line.includes('"kind":"deliver"'));
    const changed = lines.with(at, lines[at]!.replace(/"parent":"n\d"/, '"parent":"n9"'));
    expect(await verify([inFolder('changed.ndjson', changed.join('\n')), '--json'])).toBe(1);
    expect(JSON.parse(printed.join(''))).toMatchObject({ verdict: 'invalid', impossible: { line: at + 1 }, properties: [] });
  });

  test('a truncated line and a file that is not a trace are rejected with the reason', async () => {
    const lines = await record();
    const cut = inFolder('cut.ndjson', lines.join('\n').slice(0, -20));
    await expect(verify([cut])).rejects.toThrow(`Line ${lines.length} of ${cut} is truncated or damaged`);
    await expect(verify([inFolder('other.json', '{}')])).rejects.toThrow(
      /other\.json was not recorded by this version \(its first line has no "quiver":/,
    );
    await expect(verify([])).rejects.toThrow('quiver verify takes one trace file: npx quiver verify TRACE');
  });
});
