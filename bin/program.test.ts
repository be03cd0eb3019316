/** Help, version, wrong words, completion, `init`, reports for a CI and the watch. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { called } from './called.fixture.js';
import { starterNames } from './commands/init.js';
import { quiver } from './program.js';
import { loaders } from '../machines/by-name.js';
import { UsageError } from '../machines/errors.js';
import { protocols } from '../machines/index.js';
import { sharedOptions, verbNames, verbs, type OptionSpec } from './verbs.js';

const { folder, inFolder, printed } = called();

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'dist/bin/quiver.js');

/** A machine that can be wrong. */
const machine = (target: string) => `import { setup } from ${JSON.stringify(import.meta.resolve('xstate'))};
export const light = setup({}).createMachine({
  id: 'light',
  initial: 'red',
  states: { red: { on: { go: '${target}' } }, green: { on: { stop: 'red' } } },
});
`;

/** The output of a call and its exit status. */
async function written(...args: string[]): Promise<{ status: number; text: string }> {
  let text = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((piece) => ((text += String(piece)), true));
  const status = await quiver(args).finally(() => spy.mockRestore());
  return { status, text };
}

test('the command knows every protocol of the package', async () => {
  const loaded = await Promise.all(Object.entries(loaders).map(async ([name, load]) => [name, await load()] as const));
  expect(Object.fromEntries(loaded)).toEqual(protocols);
});

describe('help', () => {
  test.each(verbNames)('quiver %s --help names every option, gives an example and exits with 0', async (verb) => {
    const { status, text } = await written(verb, '--help');
    expect(status).toBe(0);
    expect(text).toMatch(new RegExp(`^Usage: quiver ${verb} `));
    for (const name of Object.keys({ ...verbs[verb].options, ...sharedOptions })) expect(text).toContain(`--${name}`);
    for (const example of verbs[verb].examples) expect(text).toContain(example);
    expect((await written('help', verb)).text).toBe(text);
  });

  test('quiver --help names every verb; without words the same is bad usage', async () => {
    const { status, text } = await written('--help');
    expect(status).toBe(0);
    for (const verb of verbNames) expect(text).toContain(`\n  ${verb} `);
    expect(await written()).toEqual({ status: 64, text });
  });

  test.each([[], ...verbNames.map((verb) => [verb])])('the help of quiver %s fits into 80 columns', async (...words) => {
    const { text } = await written(...words, '--help');
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('examples can be copied: the command is that of the project', () => {
    const examples = verbNames.flatMap((verb): readonly string[] => verbs[verb].examples);
    expect(examples.filter((example) => !/\bnpx (-p xstate-quiver )?quiver /.test(example))).toEqual([]);
  });

  test('quiver --version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(await written('--version')).toEqual({ status: 0, text: `${version}\n` });
  });
});

test.each([
  [['rnu', 'x.json'], 'Unknown command "rnu". Did you mean "run"? Known: run, check,'],
  [['run', 'x.json', '--jsn'], "Unknown option '--jsn' (Did you mean --json?). See npx quiver run --help."],
  [['test', 'directory', '--mutant'], "Unknown option '--mutant' (Did you mean --mutants?). See npx quiver test --help"],
  [['help', 'rnu'], 'Unknown command "rnu". Did you mean "run"? Known: run, check,'],
  [['--jsn'], "Unknown option '--jsn'. See npx quiver --help."],
  [['check', 'x.json', '--graphs'], '--graphs has no value. Add N: check every connected network of N nodes'],
  [['test', 'dirctory'], 'Unknown protocol "dirctory". Did you mean "directory"? Name one protocol: controller, directory'],
  [['test', 'directory', '--reporter', 'xml'], '--reporter is "xml". Choose one of text, json, junit'],
  [['test', 'directory', '--reporter', 'junit', '--json'], '--json and --reporter junit cannot be combined. Omit one of them.'],
  [['completion'], 'quiver completion needs the name of one shell: bash, zsh, fish'],
  [['completion', 'csh'], 'quiver completion needs the name of one shell: bash, zsh, fish'],
])('quiver %j has a specific error', async (args, complaint) => {
  await expect(quiver(args)).rejects.toThrow(complaint);
  await expect(quiver(args)).rejects.toThrow(/^[^\n]+$/);
});

describe('an option that takes one value', () => {
  const options = verbNames.flatMap((verb) =>
    Object.entries<OptionSpec>(verbs[verb].options).flatMap(([name, { value }]) =>
      value === undefined ? [] : [[verb, name] as const],
    ),
  );

  test.each(options)('quiver %s --%s twice is refused with an error that names the option', async (verb, name) => {
    const complaint = `--${name} is given twice, one and two. Omit one of them.`;
    await expect(quiver([verb, 'x.json', `--${name}`, 'one', `--${name}=two`])).rejects.toThrow(complaint);
  });
});

describe('a trace instead of something else', () => {
  const header = { quiver: 1, protocol: 'programs', scenario: null, nodes: [], links: [], charts: {} };
  const trace = (name: string, more: object) =>
    inFolder(name, `${JSON.stringify({ ...header, ...more })}\n{"at":0,"kind":"start","clock":{}}\n`);

  test.each([
    ['replay', 'cannot be run again'],
    ['verify', 'names no scenario to check against'],
    ['test', 'not a module'],
    ['rehearse', 'not a module'],
  ])('quiver %s names a trace of live programs, and the command for it', async (verb, isNot) => {
    const file = trace('last-minute.ndjson', { live: true });
    const reported = `${file} is a recording of live programs and ${isNot}. Use npx quiver explore ${file} to view it.`;
    await expect(quiver([verb, file])).rejects.toThrow(new UsageError(reported));
  });

  test('replay of the last minute of nodes of one protocol names verify, which takes it', async () => {
    const file = trace('nodes.ndjson', { live: true, scenario: { protocol: 'locks' } });
    await expect(quiver(['replay', file])).rejects.toThrow(
      `and cannot be run again. Use npx quiver explore ${file} to view it or npx quiver verify ${file} to check it.`,
    );
  });

  test.each(['run', 'check'])('quiver %s of a trace reports one error, not one for each line', async (verb) => {
    const complained = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => complained.mockRestore());
    const file = trace('run.ndjson', { scenario: { protocol: 'locks' } });
    const reported = `${file} is a trace and not a scenario. Use npx quiver explore ${file} to view it or npx quiver replay ${file} to run it again or npx quiver verify ${file} to check it.`;
    expect(await quiver([verb, file]).catch((error: Error) => error.message)).toEqual(64);
    expect([...complained.mock.calls.flat(), ...printed].join('\n')).toContain(reported);
    expect(complained.mock.calls.length + printed.length).toBe(1);
  });
});

test('colors go by --no-color, before the verb or behind it', () => {
  const script = (args: string) =>
    `process.stdout.isTTY = true; process.argv.push(...'${args}'.split(' ')); await import('${program}');`;
  const colored = (args: string) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', script(args), 'quiver'], {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '', FORCE_COLOR: '1' },
    }).stdout.includes('\u001b[');
  const file = inFolder('colored.mjs', machine('green'));
  expect(colored(`test ${file}`)).toBe(true);
  expect(colored(`test ${file} --no-color`)).toBe(false);
  expect(colored(`--no-color test ${file}`)).toBe(false);
});

describe('quiver rehearse', () => {
  const application = inFolder(
    'application.mjs',
    `export const starts = { peers: 1, seconds: 1, runs: 20, judges: [{ name: 'starts once', begin: () => ({
        observe: ({ type, life }) => (type === 'start' && life > 1 ? 'it started again' : null) }) }], main: () => {} };
     export const still = { ...starts, faults: [] };`,
  );

  test('an application, its failure kept as a file, and that again', async () => {
    const kept = join(folder, 'kept.json');
    expect(await quiver(['rehearse', `${application}#still`, '--runs', '2'])).toBe(0);
    expect(await quiver(['rehearse', `${application}#starts`, '--save', kept])).toBe(1);
    expect(printed.join('\n')).toContain('starts once: it started again');
    expect(await quiver(['rehearse', `${application}#starts`, kept])).toBe(1);
    expect(await quiver(['rehearse', `${application}#still`, kept, '--json'])).toBe(1);
    expect(JSON.parse(printed.at(-1)!)).toMatchObject({ verdict: 'invalid', runs: 1, failure: { judge: 'starts once' } });
    expect(await quiver(['explore', kept, '--save', `${kept}.svg`])).toBe(0);
    expect(readFileSync(`${kept}.svg`, 'utf8')).toContain('>p0</text>');
    const old = inFolder('old.json', '{"rehearsal":2,"scenario":{}}');
    await expect(quiver(['explore', old, '--save', `${kept}.html`])).rejects.toThrow(
      'The failure has version 2, and this release',
    );
  });

  test.each([
    [[], 'quiver rehearse takes one module, and optionally a failure to run again: npx quiver rehearse FILE[#NAME] [FAILURE]'],
    [[application], 'exports several rehearsals: starts, still. Choose one:'],
    [[`${application}#other`], 'exports no rehearsal other. It exports starts, still'],
    [
      [inFolder('nothing.mjs', 'export const a = 1')],
      'exports no rehearsal. Add: export const rehearsal = { peers: 3, main: async (peer) => { … } }',
    ],
  ])('%j has a specific error', async (words, complaint) => {
    await expect(quiver(['rehearse', ...words])).rejects.toThrow(complaint);
  });
});

describe('completion', () => {
  /** The completions of bash for each of several beginnings of a command line. */
  const complete = (...beginnings: string[][]): string[][] => {
    const asked = beginnings.map((words) => {
      const quoted = words.map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(quiver ${quoted}); COMP_CWORD=${words.length}; _quiver; echo "\${COMPREPLY[*]}"`;
    });
    const script = [`eval "$('${process.execPath}' '${program}' completion bash)"`, ...asked].join('\n');
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' '));
  };

  test('bash completes verbs, the options of a verb, and leaves other words to files', () => {
    expect(complete(['ch'], [''], ['check', '--s'], ['check', 'ring'], ['ch'])).toEqual([
      ['check'],
      [...verbNames, 'help', '--help', '--version'],
      ['--safety', '--search', '--states', '--seconds'],
      [''],
      ['check'],
    ]);
  });

  test.each(['zsh', 'fish'])('the completion for %s contains every command and option', async (shell) => {
    expect(await quiver(['completion', shell])).toBe(0);
    const known = verbNames.flatMap((verb) => [verb, ...Object.keys(verbs[verb].options)]);
    for (const word of known) expect(printed.join('\n')).toMatch(new RegExp(`(-a |-l |--|'| )${word}\\b`));
  });
});

describe('quiver init', () => {
  const made = join(folder, 'started');
  const run = (command: string, ...args: string[]) =>
    spawnSync(process.execPath, [command, ...args], { cwd: made, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });

  test('the written files run: script, check, generated tests and their own tests', async () => {
    expect(await quiver(['init', made])).toBe(0);
    const modules = join(made, 'node_modules');
    mkdirSync(modules);
    for (const name of ['xstate', 'rxjs', 'vitest', 'fast-check'])
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
    symlinkSync(root, join(modules, 'xstate-quiver'));
    const { scripts, dependencies, devDependencies } = JSON.parse(readFileSync(join(made, 'package.json'), 'utf8'));
    expect(Object.keys({ ...dependencies, ...devDependencies }).sort()).toEqual(readdirSync(modules).sort());
    expect(readFileSync(join(made, '.gitignore'), 'utf8')).toContain('node_modules/');
    expect(scripts).toEqual({
      start: 'node simulate.js',
      check: 'quiver check call.json --protocol ./ring.js',
      test: 'vitest run',
    });
    expect(run('simulate.js')).toMatchObject({ status: 0, stdout: 'valid { probe: 15, victory: 8 }\n' });
    expect(run(program, ...scripts.check.split(' ').slice(1))).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^valid/),
    });
    // A module that exports a chart next to its protocol is tested as the protocol.
    expect(run(program, 'test', './ring.js')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^ring .*on snapshots and on actors[^]*valid\n$/),
    });
  });

  const { version, peerDependencies: peers, devDependencies: dev } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const starters = starterNames.flatMap((name) => [`${name}-js`, `${name}-ts`]);

  test.each(starters)('the starter %s has its files, and the versions of this package', (name) => {
    const starter = join(root, 'examples/starters', name);
    const files = readdirSync(starter);
    expect(files).toEqual(expect.arrayContaining(['.gitignore', 'README.md', 'package.json']));
    expect(files.some((file) => file.endsWith(name.endsWith('js') ? '.test.js' : '.test.ts'))).toBe(true);
    const { scripts, dependencies, devDependencies, stackblitz } = JSON.parse(
      readFileSync(join(starter, 'package.json'), 'utf8'),
    );
    expect(scripts).toMatchObject({ start: expect.any(String), test: 'vitest run' });
    const named = Object.values<string>(scripts).flatMap((script) => script.match(/[\w-]+\.\w+/g) ?? []);
    expect(files).toEqual(expect.arrayContaining(named));
    expect(stackblitz).toEqual({ startCommand: 'npm start' });
    expect(dependencies).toEqual({ xstate: peers.xstate, rxjs: peers.rxjs, 'xstate-quiver': `^${version}` });
    expect(devDependencies.vitest).toBe(`^${dev.vitest}`);
  });

  test('each starter has a folder, and each folder belongs to a starter', () => {
    expect(readdirSync(join(root, 'examples/starters')).sort()).toEqual(starters.toSorted());
  });

  test('a template is written in TypeScript; an unknown one is rejected', async () => {
    const typed = join(folder, 'My Service');
    expect(await quiver(['init', typed, '--template', 'backend', '--typescript'])).toBe(0);
    expect(readdirSync(typed)).toEqual(expect.arrayContaining(['.gitignore', 'tsconfig.json', 'workers.test.ts']));
    expect(JSON.parse(readFileSync(join(typed, 'package.json'), 'utf8')).name).toBe('my-service');
    await expect(quiver(['init', join(folder, 'none'), '--template', 'backen'])).rejects.toThrow(
      'Unknown template "backen". Choose one of: protocol, backend, tabs, xstate, testing.',
    );
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });

  test.each(['we ird <name>', "it's", 'plain-1.2'])('the folder %s is named as a shell reads it', async (name) => {
    expect(await quiver(['init', join(folder, name)])).toBe(0);
    const [line] = /^ {2}cd .*$/m.exec(printed.join('\n'))!;
    const { stdout } = spawnSync('sh', ['-c', `${line}\npwd`], { encoding: 'utf8' });
    expect(stdout).toBe(`${join(realpathSync(folder), name)}\n`);
    expect(line.includes("'")).toBe(name !== 'plain-1.2');
  });

  test('nothing is overwritten', async () => {
    const taken = join(folder, 'taken');
    mkdirSync(taken);
    writeFileSync(join(taken, 'ring.js'), 'mine');
    await expect(quiver(['init', taken])).rejects.toThrow(/taken already contains ring\.js\. Pass the name of an empty folder\./);
    expect(readdirSync(taken)).toEqual(['ring.js']);
    await expect(quiver(['init', 'a', 'b'])).rejects.toThrow('quiver init takes one folder. Remove b.');
    await expect(quiver(['init', join(taken, 'ring.js')])).rejects.toThrow(/Cannot create the folder/);
  });
});

describe('reports for a CI', () => {
  test('of a machine that is well: every case passes', async () => {
    expect(await quiver(['test', inFolder('light.mjs', machine('green')), '--reporter', 'junit'])).toBe(0);
    const [xml] = printed;
    expect(xml).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites tests="(\d+)" failures="0">\n {2}<testsuite name="light" /,
    );
    expect(xml!.match(/<testcase /g)!.length).toBe(Number(/tests="(\d+)"/.exec(xml!)![1]));
  });

  test('of a protocol: its paths, its walks, its coverage', async () => {
    expect(await quiver(['test', 'directory', '--reporter', 'junit'])).toBe(0);
    for (const name of ['tour paths of directory, start 0', 'walk through system 0', 'coverage'])
      expect(printed[0]).toContain(`<testcase classname="directory" name="${name}"/>`);
  });

  test('what fails is named, its text escaped', async () => {
    expect(await quiver(['test', inFolder('stuck.mjs', machine('red')), '--reporter', 'junit'])).toBe(1);
    const [xml] = printed;
    expect(xml).toMatch(/failures="[1-9]/);
    expect(xml).toMatch(
      /<testcase classname="light" name="coverage of light: state green">\n {6}<failure message="not covered: /,
    );
    expect(xml).not.toMatch(/message="[^"]*[<>][^"]*"/);
    expect(xml!.match(/<failure /g)!.length).toBe(Number(/failures="(\d+)"/.exec(xml!)![1]));
    const [page] = /quiver-failures\/[\w.-]+\.html/.exec(xml!)!;
    expect(readFileSync(page, 'utf8')).toContain('id="trace"');
    rmSync(page);
  });

  test('--json is the reporter json', async () => {
    const file = inFolder('notified.mjs', machine('green'));
    await quiver(['test', file, '--json']);
    await quiver(['test', file, '--reporter', 'json']);
    expect(printed[0]).toBe(printed[1]);
  });
});

/** Three processes start one after the other, on a machine that may be busy. */
const PATIENCE = 60_000;

test('--watch tests again when the module has changed', async () => {
  const file = inFolder('watched.mjs', machine('red'));
  const child = spawn(process.execPath, [program, 'test', file, '--watch'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGTERM'));
  let reported = '';
  child.stdout.on('data', (piece: Buffer) => (reported += String(piece)));
  await vi.waitFor(() => expect(reported).toMatch(/^invalid$/m), PATIENCE);
  writeFileSync(file, machine('green'));
  await vi.waitFor(() => expect(reported).toMatch(/^valid$/m), PATIENCE);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});
