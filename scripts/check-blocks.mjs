/**
 * Checks every block `ts` and `js` of the guides in docs/: it compiles with the types of the packed library, and runs as its own program,
 * or with Vitest if it contains tests. A program prints what the page shows, and nothing to standard error. A block that cannot be run has a
 * reason here. Blocks `json` are scenarios and are run. Commands in
 * blocks have only existing options.
 *
 * Other checks cover docs/start and docs/recipes (check-pages.mjs follows them, block by block), the blocks `js` of docs/transports.md and
 * of the pages below it (examples/transports-page.test.ts runs them with real servers) and docs/from-xstate-test.md
 * (examples/machines/moving-in.test.ts).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { blocksOf, isOfVitest, moduleOf, PARTS, textOf } from './blocks.mjs';
import { isShown, VITEST_LIMITS } from './follow-page.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ELSEWHERE = ['from-xstate-test.md'];
/** Scenarios of built-in protocols, and of those that the pages define. */
const scenariosModule = (texts) => `
import { parseScenario, Simulation } from 'xstate-quiver/network';
import { protocols } from 'xstate-quiver/machines';
import { defineActors } from 'xstate-quiver/check';
import { ring } from '../ring.js';
import { given } from './given.js';

const { client, server } = given;
const pair = defineActors(
  { client, server },
  { input: { client: ({ ref }) => ({ server: ref('server') }), server: ({ ref }) => ({ client: ref('client') }) }, events: { client: { GO: [{}], GIVE_UP: [{}] } } },
);
for (const text of ${JSON.stringify(texts)}) {
  const { verdict } = new Simulation(parseScenario(JSON.parse(text), { ...protocols, ring, 'client and server': pair })).run();
  if (verdict !== 'valid') throw new Error(\`\${verdict}: \${text}\`);
}
process.exit();
`;

/** Lines of the command, with a verb and options that it has. */
function checkCommands(pages, folder, run) {
  const lines = pages.flatMap((page) =>
    [...textOf(page).matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, text]) => text.match(/\bquiver [a-z]+.*$/gm) ?? []),
  );
  const help = new Map();
  for (const line of lines) {
    const [, verb] = line.split(' ');
    if (!help.has(verb)) help.set(verb, run('node_modules/.bin/quiver', [verb, '--help'], folder));
    const mine = line.split(/#|&&|\|/)[0];
    const unknown = (mine.match(/--[a-z-]+/g) ?? []).filter((option) => !new RegExp(`${option}\\b(?!-)`).test(help.get(verb)));
    if (unknown.length > 0) throw new Error(`docs/ contains "${line}", but quiver ${verb} has no ${unknown.join(', ')}.`);
  }
  return lines.length;
}

/** In a folder where the packed library and the files of docs/own-protocol.md stand; `run` runs a command in a folder and gives what it prints. */
export function checkBlocks(folder, run) {
  const work = join(folder, 'blocks');
  mkdirSync(work);
  for (const each of ['vitest', 'vite', '@opentelemetry', 'pg', '@types/pg'])
    if (!existsSync(join(folder, 'node_modules', each)))
      symlinkSync(join(root, 'node_modules', each), join(folder, 'node_modules', each));
  const source = readFileSync(join(root, 'scripts/given.ts'), 'utf8');
  const pages = readdirSync(join(root, 'docs')).filter((page) => page.endsWith('.md') && !ELSEWHERE.includes(page));
  const blocks = pages.flatMap(blocksOf);
  const code = blocks
    .filter(({ kind }) => kind === 'code')
    .map((block) => ({ ...block, module: moduleOf(block), file: block.name.replace('.md ', '-') }));
  const unknown = Object.keys(PARTS).filter((name) => !code.some((block) => block.name === name));
  if (unknown.length > 0) throw new Error(`scripts/blocks.mjs names ${unknown.join(', ')}, but docs/ contains no such block.`);

  const scenarios = blocks.filter(({ kind }) => kind === 'json').map(({ text }) => text);
  writeFileSync(join(work, 'given.ts'), source);
  writeFileSync(join(work, 'scenarios.ts'), scenariosModule(scenarios));
  for (const { file, module } of code) writeFileSync(join(work, `${file}${isOfVitest(module) ? '.test' : ''}.ts`), module);
  const flags =
    '--strict --noUncheckedIndexedAccess --skipLibCheck --module nodenext --target es2022 --lib es2023,esnext.disposable,dom --types node --rootDir .. --outDir out';
  const sources = readdirSync(work).filter((file) => file.endsWith('.ts'));
  run('node', [join(root, 'node_modules/typescript/bin/tsc'), ...flags.split(' '), ...sources], work);

  const runnable = code.filter(({ name }) => !PARTS[name]?.notRun);
  const programs = runnable.filter(({ module }) => !isOfVitest(module));
  for (const { file, name, shown } of [...programs, { file: 'scenarios', name: 'scenarios', shown: null }]) {
    const printed = printedBy(join(work, 'out/blocks', `${file}.js`), name);
    if (shown !== null && !isShown(printed, shown)) throw new Error(`docs/${name} printed\n${printed}\ninstead of\n${shown}`);
  }
  const tests = runnable.filter(({ module }) => isOfVitest(module)).map(({ file }) => `${file}.test.ts`);
  run('node', [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', work, ...VITEST_LIMITS, ...tests], work);
  const commands = checkCommands(pages, folder, run);
  return `${code.length} blocks of the guides compile, ${runnable.length} of them and ${scenarios.length} scenarios run, ${commands} commands have the options that they are given`;
}

/** The output of a program. A program that fails, or that prints to standard error, is a mistake of the page. */
function printedBy(program, name) {
  const { status, signal, stdout, stderr } = spawnSync('node', [program], { encoding: 'utf8', timeout: 600_000 });
  if (status !== 0) throw new Error(`docs/${name} exited with ${status ?? signal}\n${stdout}${stderr}`);
  if (stderr !== '') throw new Error(`docs/${name} printed to standard error\n${stderr}`);
  return stdout;
}
