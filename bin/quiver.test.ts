/** The command as a user meets it: called as the program calls it, and the built program in a process where the process is what is tested. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { called } from './called.fixture.js';
import { runCommand } from './program.js';

const machines = new URL('../dist/entries/machines.js', import.meta.url).href;

const { complained, folder, inFolder, printed } = called();

const program = fileURLToPath(new URL('../dist/bin/quiver.js', import.meta.url));

async function quiver(...args: readonly string[]) {
  printed.length = 0;
  const status = await runCommand(args);
  const stdout = printed.map((text) => `${text}\n`).join('');
  return { status, stdout, lines: linesOf(stdout) };
}

/** The built program in its own process. */
function started(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { input, encoding: 'utf8', cwd: folder });
  return { status, lines: linesOf(stdout), stderr };
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

const file = (name: string, content: unknown): string =>
  inFolder(name, typeof content === 'string' ? content : JSON.stringify(content));

const jsonOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const ring = {
  protocol: 'directory',
  topology: { kind: 'ring', n: 4 },
  options: { policy: 'ivy' },
  workload: { sequential: ['n2', 'n1'] },
};
const service = 'export const service = { main() {} };';
/** Creates a file of a given size, which takes no space on the disk, or with a given text. */
function failureFile(name: string, content: string | number): string {
  const path = file(name, typeof content === 'string' ? content : '{"rehearsal":1}');
  if (typeof content === 'number') truncateSync(path, content);
  return path;
}
const failureOf = (scenario: object) => ({
  rehearsal: 1,
  seed: 1,
  scenario: {
    seed: 1,
    seconds: 9,
    peers: ['p0'],
    services: [],
    clients: [],
    startsMs: [0],
    skewsMs: [0],
    latencyMs: [1, 2],
    distances: [],
    faults: [],
    knobs: {},
    limits: 'shipped',
    ...scenario,
  },
});
const lossy = { ...ring, network: { loss: 1 } };
const deadlock = {
  protocol: 'exclusion',
  topology: { nodes: ['n0', 'n1'], links: [['n0', 'n1', 1]] },
  options: { priorities: 2, rules: 'printed' },
  events: ['n0', 'n1'].map((node) => ({ at: 0, node, do: 'lock' })),
};

describe('quiver run', () => {
  test('a report of the documented shape, exit status 0', async () => {
    const { status, lines } = await quiver('run', file('ring.json', ring), '--json');
    expect(status).toBe(0);
    const report = JSON.parse(lines[0]!);
    expect(Object.keys(report)).toEqual(['verdict', 'seed', 'at', 'messages', 'properties', 'meters', 'summary']);
    expect(report).toMatchObject({ verdict: 'valid', seed: 1, summary: { served: ['n2', 'n1'], holder: 'n1' } });
  });

  test('NDJSON input has one answer per line, in order; a bad line gets status 64', () => {
    const bad = { ...ring, topolgy: ring.topology };
    const { status, lines, stderr } = started(
      ['run', '-', '--json'],
      [ring, bad, lossy].map((s) => JSON.stringify(s)).join('\n'),
    );
    expect(lines.map((line) => JSON.parse(line).verdict)).toEqual(['valid', undefined, 'invalid']);
    expect(JSON.parse(lines[1]!).error).toContain('standard input, line 2: topolgy is an unknown key. Did you mean "topology"?');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(status).toBe(64);
  });

  test('a violated property: status 1, its name, the seed and a command to repeat it', async () => {
    const { status, stdout } = await quiver('run', file('lossy.json', lossy));
    expect(status).toBe(1);
    expect(stdout).toMatch(/violated: every request is served.*seed 1/);
    expect(stdout).toMatch(/quiver run .*lossy.json --seed 1 --trace failure.ndjson/);
  });

  test('a run without property checks is faster, and its verdict is unknown', async () => {
    const { status, stdout } = await quiver('run', file('ring.json', ring), '--no-watch');
    expect(stdout).toMatch(/unknown.*\n.*\n.*not looked at/);
    expect(status).toBe(2);
  });

  test.each([
    [['run'], /needs a scenario\. Name its JSON file, or "-" to read scenarios from standard input, one on each line\./],
    [['run', 'nowhere.json'], /nowhere.json: there is no such file/],
    [['run', file('cut.json', '{"protocol": "dir')], /cut.json: .*line 1/],
    [['run', file('ring.json', ring), '--jsonn'], /--jsonn/],
    [['run', file('ring.json', ring), '--seed', 'x'], /--seed is "x". Pass an integer/],
    [['run', file('ring.json', ring), '--trace', 'no/such/folder/t.ndjson'], /Cannot write no\/such\/folder\/t.ndjson/],
    ...[['run'], ['check'], ['test'], ['rehearse'], ['replay'], ['verify'], ['explore'], ['run', 'x.json', '--protocol']].map(
      (words): [string[], RegExp] => [
        [...words, `${folder}/.`],
        /^quiver: Cannot read .*\/\.: it is a folder\. Choose a file in it\.$/,
      ],
    ),
    ...['run', 'explore', 'verify'].map((verb): [string[], RegExp] => [[verb, ''], /Cannot read "": there is no such file/]),
    ...['test', 'rehearse'].map((verb): [string[], RegExp] => [
      [verb, file('ring.json', ring)],
      /ring\.json as a module: it is JSON\. Scenarios are for quiver run, check and explore\.$/,
    ]),
    [
      ['replay', file('cut.json', '{"protocol": "dir')],
      /cut\.json was not recorded by this version \(its first line has no "quiver":/,
    ],
    [['rehearse', file('service.mjs', service), file('cut.json', '{"protocol": "dir')], /cut.json: line 1/],
    ...[
      [
        'old.json',
        '{"rehearsal":2,"scenario":{}}',
        'The failure has version 2, and this release replays version 1. Run the rehearsal again.',
      ],
      [
        'odd.json',
        '{"rehearsal":1,"scenario":{}}',
        'The failure of the rehearsal was changed or truncated: scenario.peers is not a list of names',
      ],
      ['large.json', 2 ** 30, 'it has 1073 MB, and the limit is 536 MB. Choose a smaller file.'],
      ['larger.json', 2 ** 32, 'it has 4294 MB, and the limit is 536 MB. Choose a smaller file.'],
    ].flatMap(([name, content, description]): [string[], RegExp][] => [
      [
        ['rehearse', file('service.mjs', service), failureFile(String(name), content!)],
        new RegExp(`^quiver: .*${name}: ${description}`),
      ],
      [['explore', failureFile(String(name), content!), '--save', 'page.html'], new RegExp(`^quiver: .*${name}: ${description}`)],
    ]),
    [
      ['rehearse', file('service.mjs', service), file('others.json', failureOf({ services: ['hub'] }))],
      /^quiver: .*others.json: This is a failure of another rehearsal: its services are hub, but this rehearsal has none\./,
    ],
    [['rehearse', file('service.mjs', service), '--runs', '1000000000'], /--runs is 1000000000. Pass at most 1000000/],
    [
      ['rehearse', file('long.mjs', 'export const long = { seconds: 1e9, main() {} };')],
      /Invalid option "seconds" in rehearse: 1000000000\. Pass a number greater than 0 and at most 86,400/,
    ],
    [['run', file('nothing.ndjson', '\n')], /nothing\.ndjson contains no scenario\. Write one scenario a line\./],
    [['init', ''], /The name of the folder is empty\. Pass the name of an empty folder\./],
    [['run', file('ring.json', ring), '--trace', ''], /Cannot write "": it is not a file name/],
    [['explore', '--port', '1e3'], /--port is "1e3". Pass an integer/],
    [['explore', '--port', ''], /--port is "". Pass an integer/],
    [['explore', '--port', '99999'], /--port is 99999. Pass at most 65535/],
    [['test', 'directory', '--swarm', '-5'], /--swarm is -5. Pass at least 0/],
    [
      ['test', 'directory', '--save', 'kept'],
      /--save needs --swarm: it saves what the swarm finds\. Add the number of runs, for example --swarm 1000\./,
    ],
    ...['null', 'undefined', '"text"'].map((thrown): [string[], RegExp] => [
      ['check', '--protocol', file(`throws-${thrown.length}.mjs`, `throw ${thrown};`)],
      new RegExp(`Cannot load .*: it throws ${thrown} instead of an Error`),
    ]),
    [
      [
        'check',
        ...['one', 'two'].flatMap((name) => [
          '--protocol',
          file(`${name}.mjs`, `import { protocols } from '${machines}'; export const { directory } = protocols;`),
        ]),
      ],
      /two.mjs and .*one\.mjs both export a protocol "directory"\. Rename one of the two protocols\./,
    ],
    [['fly'], /Unknown command "fly"\. Known: run, check/],
    [
      ['paper', 'nobody'],
      /Unknown paper "nobody"\. Name one or more papers: arvy, queue, election, exclusion, controller; or all/,
    ],
    [['replay', file('ring.json', ring)], /was not recorded by this version \(its first line has no "quiver":/],
  ])('bad usage %j: one clear line and status 64', async (args, message) => {
    expect((await quiver(...args)).status).toBe(64);
    expect(complained).toEqual([expect.stringMatching(message)]);
    expect(complained[0]).not.toContain('\n');
  });

  test('bad usage: only the error on standard error, and status 64', () => {
    const { status, stderr, lines } = started(['run', file('cut.json', '{"protocol": "dir')]);
    expect(stderr).toMatch(/^quiver: .*cut.json: .*line 1.*\n$/);
    expect(lines).toEqual([]);
    expect(status).toBe(64);
  });
});

test('modules that never load, or keep running: the process names them and ends', () => {
  const never = file('never.mjs', 'await new Promise(() => {});');
  expect(started(['check', '--protocol', never])).toMatchObject({
    status: 64,
    stderr: `quiver: Cannot load ${never}: a promise that it awaits at its top level never settles.\n`,
  });
  const { status, stderr } = started(['check', 'directory', '--protocol', file('runs.mjs', 'setInterval(() => {}, 1000);')]);
  expect(stderr).toMatch(
    /runs\.mjs exports no protocol\. Export the result of defineProtocol\(\{ name, charts, network, … \}\), of defineActors\(…\) or, for quiver test, a machine\..*\n.*quiver: The work is done, but something is still running \(Timeout\): a module, an action or a live service has not stopped what it started\. Return a function that stops it\. The process now exits\./,
  );
  expect(status).toBe(64);
});

test('fast-check is optional: rehearsals name it if missing; replaying works without', () => {
  const hooks = `export const resolve = (name, context, next) => {
    if (name !== 'fast-check') return next(name, context);
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  };`;
  const hiding = file(
    'hiding.mjs',
    `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`,
  );
  const without = (...args: readonly string[]) => {
    const node = ['--import', pathToFileURL(hiding).href, program, ...args];
    const { status, stderr } = spawnSync(process.execPath, node, { encoding: 'utf8', cwd: folder });
    return { status, stderr };
  };
  const [application, failure] = [file('service.mjs', service), file('found.json', failureOf({ peers: ['p0'] }))];
  expect(without('rehearse', application)).toEqual({
    status: 64,
    stderr:
      'quiver: A rehearsal requires fast-check to draw faults, and it is not installed. Run: npm install --save-dev fast-check\n',
  });
  expect(without('rehearse', application, failure)).toEqual({ status: 0, stderr: '' });
  for (const shown of [failure, file('ring.json', ring)])
    expect(without('explore', shown, '--save', 'page.html')).toEqual({ status: 0, stderr: '' });
});

describe('traces', () => {
  test('a recorded run replays byte for byte, and a changed line is found', async () => {
    const path = join(folder, 'trace.ndjson');
    expect((await quiver('run', file('ring.json', ring), '--trace', path)).status).toBe(0);
    expect(await quiver('replay', path)).toMatchObject({ status: 0, stdout: expect.stringContaining('byte for byte') });
    writeFileSync(path, readFileSync(path, 'utf8').replace('"at":2', '"at":3'));
    expect(await quiver('replay', path)).toMatchObject({ status: 1, stdout: expect.stringContaining('differs from the run') });
  });

  test('a counterexample of check is a trace that replays', async () => {
    const path = join(folder, 'failure.ndjson');
    const { status, lines } = await quiver('check', file('deadlock.json', deadlock), '--json', '--trace', path);
    expect(status).toBe(1);
    const report = JSON.parse(lines[0]!);
    expect(report).toMatchObject({ verdict: 'invalid', states: expect.any(Number), transitions: expect.any(Number) });
    expect(report.doomed).toBeGreaterThan(0);
    expect(report.trace.map((line: unknown) => JSON.stringify(line)).join('\n')).toBe(readFileSync(path, 'utf8').trim());
    expect((await quiver('replay', path)).status).toBe(0);
  });

  test('a counterexample ends with the violation, its nodes, and where it loops or rests', async () => {
    const path = join(folder, 'rests.ndjson');
    await quiver('check', file('deadlock.json', deadlock), '--trace', path);
    const [header, ...lines] = jsonOf(path);
    const refutes = { property: 'every request succeeds', nodes: ['n0', 'n1'], loop: 16 };
    expect(header).toMatchObject({ refutes, choices: { length: 16 } });
    const [endless, violated, verdict = {}] = lines.slice(-3);
    expect(endless).toMatchObject({ kind: 'endless', why: 'nothing more happens' });
    expect(violated).toMatchObject({ kind: 'violated', refutes });
    expect(verdict).toMatchObject({ kind: 'verdict', verdict: 'invalid' });
    expect(verdict['properties']).toContainEqual({ name: 'every request succeeds', kind: 'eventually', holds: false });
    expect(await quiver('verify', path)).toMatchObject({ status: 1, stdout: expect.stringContaining('every request succeeds') });
  });

  test('a run ends with its verdict', async () => {
    const path = join(folder, 'verdict.ndjson');
    await quiver('run', file('ring.json', ring), '--trace', path);
    expect(jsonOf(path).at(-1)).toMatchObject({ kind: 'verdict', verdict: 'valid' });
    await quiver('run', file('lossy.json', lossy), '--trace', path);
    expect(jsonOf(path).slice(-2)).toMatchObject([
      { kind: 'violated', refutes: { property: 'every request is served', nodes: ['n2'] } },
      { kind: 'verdict', verdict: 'invalid' },
    ]);
  });

  test('a trace cut between two lines is verified; open properties make it unknown', async () => {
    const path = join(folder, 'whole.ndjson');
    await quiver('run', file('ring.json', ring), '--trace', path);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const { status, stdout } = await quiver('verify', file('half.ndjson', lines.slice(0, lines.length / 2).join('\n')));
    expect(stdout).toMatch(
      /^unknown .*half.ndjson.*\n(.*\n)*.*\? every request is served[^]*its last line is not a verdict: it was cut off/,
    );
    expect(status).toBe(2);
  });

  test('a bound that is met first is an honest unknown, status 2', async () => {
    expect(await quiver('check', file('ring.json', ring), '--states', '3')).toMatchObject({
      status: 2,
      stdout: expect.stringContaining('unknown'),
    });
  });
});

test('Ctrl-C in the middle of a run leaves no file behind', async () => {
  const long = { ...ring, topology: { kind: 'ring', n: 60 }, workload: { concurrent: 10, requests: 1_000_000 } };
  const child = spawn(process.execPath, [program, 'run', file('long.json', long), '--trace', join(folder, 'long.ndjson')]);
  while (!readdirSync(folder).some((name) => name.endsWith('.partial'))) await new Promise((resolve) => setTimeout(resolve, 50));
  child.kill('SIGINT');
  const status = await new Promise((resolve) => child.on('exit', resolve));
  expect(status).toBe(130);
  expect(readdirSync(folder).filter((name) => name.startsWith('long.ndjson'))).toEqual([]);
});

test('a module that is taken for CommonJS, as npm init makes it: what helps', () => {
  mkdirSync(join(folder, 'common'));
  file('common/package.json', { type: 'commonjs' });
  const module = file('common/light.js', 'export const light = {};');
  expect(started(['test', module])).toMatchObject({
    status: 64,
    stderr: expect.stringMatching(
      /^quiver: Cannot load .*light\.js: .*\. Its package\.json makes it CommonJS: set "type": "module" there, or rename the file to \.mjs or \.mts\./m,
    ),
  });
});

test('an error of XState is printed whole, all its lines', () => {
  const module = file(
    'nowhere.mjs',
    `import { createMachine } from ${JSON.stringify(import.meta.resolve('xstate'))};
export default createMachine({ initial: 'a', states: { a: { on: { X: 'b' } }, b: { on: { Y: 'nowhere' } } } });`,
  );
  expect(started(['test', module])).toMatchObject({
    status: 64,
    stderr: expect.stringMatching(/Invalid transition definition for state node '\(machine\)\.b':\n.*nowhere/s),
  });
});

const isFullDevice = existsSync('/dev/full');

test.skipIf(!isFullDevice)('a full disk: an error for the unwritten trace or report, status 64', async () => {
  expect((await quiver('run', file('ring.json', ring), '--trace', '/dev/full')).status).toBe(64);
  expect(complained).toEqual([
    expect.stringMatching(
      /^quiver: .*ring.json: Cannot write \/dev\/full \(ENOSPC.*\)\. Free some space, or choose another file\./,
    ),
  ]);
  const shell = `"$0" "$1" run "$2" --json 2>&1 >/dev/full; echo $?`;
  const reported = execFileSync('bash', ['-c', shell, process.execPath, program, file('ring.json', ring)], { encoding: 'utf8' });
  expect(reported).toMatch(/^quiver: Cannot write to standard output \(ENOSPC.*\)\.\n64\n$/);
});

test('empty standard input is an error, and not a valid scenario', () => {
  expect(started(['run', '-'])).toMatchObject({
    status: 64,
    stderr: 'quiver: standard input contains no scenario. Write one scenario a line.\n',
  });
});

test('the status is the verdict even if the output is not read to its end', () => {
  const deadlock = { protocol: 'exclusion', topology: { kind: 'path', n: 2 }, options: { priorities: 2, rules: 'printed' } };
  const events = ['n0', 'n1'].map((node) => ({ at: 0, node, do: 'lock' }));
  const path = file('deadlock.json', { ...deadlock, events });
  const shell = `"$0" "$1" check "$2" | true; echo \${PIPESTATUS[0]}`;
  const reported = execFileSync('bash', ['-c', shell, process.execPath, program, path], { encoding: 'utf8' });
  // The verdict, or that of a program whose reader has gone; never 0.
  expect(reported).toMatch(/^(1|141)\n$/);
});

test('a file that cannot be written leaves no signal listener', async () => {
  const listening = () => ['SIGINT', 'SIGTERM'].map((signal) => process.listenerCount(signal));
  const before = listening();
  expect((await quiver('run', file('ring.json', ring), '--trace', 'no/such/folder/t.ndjson')).status).toBe(64);
  expect(listening()).toEqual(before);
});

test('explore serves on loopback until Ctrl-C, and the port is free again', async () => {
  const child = spawn(process.execPath, [program, 'explore', file('ring.json', ring)]);
  let reported = '';
  const url = await new Promise<string>((resolve) =>
    child.stdout.on('data', (data: Buffer) => {
      reported += String(data);
      const [found] = /http:\S+(?=\s)/.exec(reported) ?? [];
      if (found) resolve(found);
    }),
  );
  expect((await fetch(url)).status).toBe(200);
  expect((await fetch(new URL('/', url))).status).not.toBe(200);
  child.kill('SIGINT');
  expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});
