/** The modules of a user: TypeScript on every Node, factories, several machines, and none at all. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { called } from './called.fixture.js';
import { runCommand } from './program.js';

const { printed, complained, inFolder } = called();

const program = fileURLToPath(new URL('../dist/bin/quiver.js', import.meta.url));
const xstate = JSON.stringify(import.meta.resolve('xstate'));

const TOGGLE = `createMachine({ id: 'toggle', initial: 'off', states: { off: { on: { TOGGLE: 'on' } }, on: { on: { TOGGLE: 'off' } } } })`;

const run = async (...words: string[]) => ({
  status: await runCommand(words),
  printed: printed.join('\n'),
  complained: complained.join('\n'),
});

const fileOf = (name: string, body: string) => inFolder(name, `import { createMachine } from ${xstate};\n${body}\n`);

/** The built command: in this process Vite would load TypeScript. */
const started = (...words: string[]) => spawnSync(process.execPath, [program, ...words], { encoding: 'utf8' });

describe('TypeScript', () => {
  test.each(['ts', 'mts', 'tsx'])('a machine in a .%s file', (ending) => {
    const path = fileOf(
      `toggle.${ending}`,
      `enum Level { Low = 1 }\nexport const toggle = ${TOGGLE};\nexport const level: number = Level.Low;`,
    );
    expect(started('test', path)).toMatchObject({ status: 0, stdout: expect.stringContaining('2 states'), stderr: '' });
  });

  test('TypeScript samples import the machine without an ending or by its .js name', () => {
    const path = fileOf('switch.ts', `export const toggle = ${TOGGLE};`);
    const samples = inFolder(
      'switch.samples.ts',
      `import { toggle } from './switch';
import { toggle as compiled } from './switch.js';
import type { MachineTests } from 'xstate-quiver/test';
if (toggle !== compiled) throw new Error('two copies');
export default { invariants: { 'is never on': (state) => state.value !== 'on' } } satisfies MachineTests;`,
    );
    const { status, stdout: text } = started('test', path, '--with', samples);
    expect([status, text]).toEqual([1, expect.stringContaining('is never on: does not hold in "on"')]);
  });

  test('JSX, and the paths of a tsconfig.json', () => {
    mkdirSync(inFolder('aliased'));
    inFolder('aliased/tsconfig.json', '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }');
    inFolder('aliased/states.ts', `export const first: string = 'off';`);
    const path = fileOf(
      'aliased/view.tsx',
      `/** @jsxRuntime classic */ /** @jsx h */
import { first } from '@/states';
const h = (...all: unknown[]) => all;
export const view = <p>{first}</p>;
export const toggle = createMachine({ id: 'view', initial: first, states: { off: {} } });`,
    );
    expect(started('test', path)).toMatchObject({ status: 0, stdout: expect.stringContaining('1 state') });
  });

  test('JavaScript that imports TypeScript', () => {
    fileOf('inner.ts', `enum Level { Low }\nexport const toggle = ${TOGGLE};\nexport const level: Level = Level.Low;`);
    const path = inFolder('outer.mjs', `export { toggle } from './inner.ts';`);
    expect(started('test', path)).toMatchObject({ status: 0, stderr: '' });
  });

  test('your own protocol for quiver check', () => {
    const path = inFolder(
      'own.ts',
      `const name: string = 'directory';\nexport { directory } from ${JSON.stringify(new URL('../dist/machines/directory/index.js', import.meta.url).pathname)};`,
    );
    expect(started('check', '--protocol', path, '--safety', '--states', '10')).toMatchObject({ status: 2, stderr: '' });
  });

  test('an error in it names the file', () => {
    expect(started('test', inFolder('broken.ts', 'const = 1;')).stderr).toMatch(
      /^quiver: Cannot load .*broken\.ts: [^]*broken\.ts/,
    );
  });
});

describe('which machine', () => {
  const factory = `export const makeToggle = () => ${TOGGLE};`;

  test('a factory is named, with what to do', async () => {
    const path = fileOf('factory.js', factory);
    expect((await run('test', path)).complained).toBe(
      `quiver: ${path} exports no machine and no protocol. It exports makeToggle (a function). If makeToggle returns a machine: npx quiver test ${path}#makeToggle`,
    );
  });

  test('a factory that is named is called', async () => {
    const path = fileOf('called.js', factory);
    expect(await run('test', `${path}#makeToggle`)).toMatchObject({ status: 0, printed: expect.stringContaining('2 states') });
  });

  test('a factory that needs arguments is refused, and not called without them', async () => {
    const path = fileOf('deps.js', `export const makeToggle = (deps) => createMachine({ entry: () => deps.log('on') });`);
    const fix = 'export const machine = makeToggle(…)';
    expect((await run('test', `${path}#makeToggle`)).complained).toBe(
      `quiver: ${path}#makeToggle needs an argument. Export the machine that it returns, ${fix}, and pass that name.`,
    );
    expect((await run('test', path)).complained).toContain(`If makeToggle returns a machine, export it: ${fix}`);
  });

  test('a function that throws, and one that returns no machine', async () => {
    const path = fileOf('other.js', `export const fails = () => { throw new Error('no'); }; export const helper = () => 7;`);
    expect((await run('test', `${path}#fails`)).complained).toMatch(
      /#fails was called without arguments and threw Error: no\. Export .*\n {2}Error: no\n {6}at .*other\.js:\d+:\d+\)?$/,
    );
    expect((await run('test', `${path}#helper`)).complained).toContain(
      '#helper was called without arguments and returned number, not a machine',
    );
  });

  test('an error while a module loads has its place', async () => {
    const path = fileOf('loads.js', `throw new Error('no database');`);
    expect((await run('test', path)).complained).toMatch(
      /^quiver: Cannot load .*loads\.js: no database\n {2}Error: no database\n {6}at .*loads\.js:\d+:\d+\)?$/,
    );
  });

  test('a default export next to a named one is not taken silently', async () => {
    const path = fileOf('both.js', `export default ${TOGGLE};\nexport const child = ${TOGGLE};`);
    expect((await run('test', path)).complained).toBe(
      `quiver: ${path} exports several machines: child, default. Choose one: ${path}#child`,
    );
    expect(await run('test', `${path}#default`)).toMatchObject({ status: 0 });
    expect(await run('test', `${path}#child`)).toMatchObject({ status: 0 });
  });

  test('the same machine by default and by its name', async () => {
    const path = fileOf('twice.js', `export const toggle = ${TOGGLE};\nexport default toggle;`);
    expect(await run('test', path)).toMatchObject({ status: 0 });
  });

  test.each([
    [
      'nothing',
      '',
      'It exports nothing. quiver test takes a protocol of defineProtocol, or a machine of XState 5: the result of createMachine or setup(…).createMachine.',
    ],
    [
      'values',
      'export const a = 1; export default {}; export class Toggle {}',
      'It exports Toggle (a class), a (number), default (an object). quiver test takes',
    ],
    ['old', `export const light = { transition() {}, initialState: {} };`, 'It exports light (a machine of XState 4)'],
    [
      'logic',
      `import { fromPromise } from ${xstate}; export const load = fromPromise(async () => 1);`,
      'It exports load (actor logic, not a machine)',
    ],
    [
      'actor',
      `import { createActor } from ${xstate}; export const running = createActor(${TOGGLE});`,
      'It exports running (an actor: export its machine)',
    ],
  ])('a module without a machine: %s', async (name, body, complaint) => {
    const path = fileOf(`${name}.js`, body);
    expect((await run('test', path)).complained).toContain(`${path} exports no machine and no protocol. ${complaint}`);
  });
});
