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
import { isShown } from './follow-page.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ELSEWHERE = ['from-xstate-test.md'];
/** Its blocks `js` are programs that need servers. */
const TRANSPORTS = 'transports.md';

const IN_PROCESS = `import { InProcessBus } from 'xstate-quiver/transports';`;
/** Two peers, and the messages that the second one receives. */
const PAIR = `
  const bus = new InProcessBus();
  const [a, b] = [bus.transport('a'), bus.transport('b')];
  const received: unknown[] = [];
  b.events.subscribe((event) => {
    if (event.type === 'message') received.push(event.message);
  });
  await Promise.all([a.connect(), b.connect()]);`;

/** Options for the tests of a machine. */
const MACHINE_TESTS = {
  imports: `import type { MachineTests } from 'xstate-quiver/test';`,
  before: 'void ({',
  after: '} satisfies MachineTests);',
};

/**
 * The context of a block that is a part of a program, by the page and the number of the block on it. `before` and `after` surround it, and
 * `as` replaces it in the program. `names` are those that differ from given.ts (`null`: not from there), and `notRun` is the reason.
 */
const PARTS = {
  'cluster.md 1': {
    as: (text) =>
      text.replace(
        'setup({})',
        `setup({ types: {} as {
          context: { customer: string; paid: number };
          events: { type: 'PAY'; amount: number };
          input: { customer: string };
        } })`,
      ),
  },
  'cluster.md 2': {
    imports: '// @ts-nocheck: it is JavaScript',
    names: { peers: null, cluster: null, id: null, transport: null },
    notRun: 'three machines; examples/apps/actors runs such members',
  },
  'cluster.md 4': {
    imports: `import { createCluster } from 'xstate-quiver/cluster';`,
    before: 'const machines = {};',
    notRun: 'a Postgres server; adapters/storage/engines.deep.ts has one',
  },
  'cluster.md 5': {
    imports: '// @ts-nocheck: it is JavaScript',
    names: { store: null },
    before: `const rows = new Map();
      const db = {
        read: async (key) => rows.get(key),
        writeIf: async (key, row, revision) => (rows.get(key)?.revision ?? null) === revision && !!rows.set(key, row),
        remove: async (key) => void rows.delete(key),
        list: async (prefix) => [...rows.keys()].filter((key) => key.startsWith(prefix)),
      };`,
    after: `await storage.save('x', 7);\nif ((await storage.load('x')) !== 7) throw new Error('nothing was stored');`,
  },
  'cluster.md 6': {
    imports: `// @ts-nocheck: it is JavaScript\nimport { sharedStorage } from 'xstate-quiver/storage';`,
    names: { store: null },
    before: 'const store = {};',
    notRun: 'adapters/storage/shared.test.ts runs the suite',
  },
  'quotas.md 1': {
    before: `for (const id of ['b', 'c']) createQuota({ transport: bus.transport(id), peers, budget: 100_000 });`,
  },
  'directory.md 1': { imports: `import { explore } from 'xstate-quiver/check';` },
  'leaders.md 1': {
    before: `for (const id of ['b', 'c']) createElection({ transport: bus.transport(id), peers });\n{`,
    after: '}',
  },
  'leaders.md 2': { notRun: 'it goes on for as long as the peer runs' },
  'inspector-attach.md 3': {
    imports: `import { createActor, type ActorOptions, type AnyStateMachine } from 'xstate';`,
    before:
      'const useMachine = (logic: AnyStateMachine, options: ActorOptions<AnyStateMachine>) => void createActor(logic, options);',
    notRun: 'it connects to the page that quiver explore --live serves',
  },
  'inspector-attach.md 2': {
    as: (text) => text.replace('export default ', 'void '),
    notRun: 'inspector/page.attach.test.ts runs Vite with it',
  },
  'inspector-attach.md 1': { notRun: 'two processes, of which the page shows one' },
  'locks.md 1': { notRun: 'a hub and two more processes; docs/start/backend.md runs them' },
  'locks.md 2': { before: 'const transfer = async (...all: readonly unknown[]) => void all;' },
  'locks.md 7': {
    imports: `import { createLocks } from 'xstate-quiver/locks';`,
    notRun: 'the voters are other processes; adapters/locks/clients.test.ts runs them',
  },
  'locks.md 8': { imports: `import { createLocks } from 'xstate-quiver/locks';`, notRun: 'it writes into /var/lib' },
  'operating-locks.md 1': {
    imports: `import { createLocks } from 'xstate-quiver/locks';\nimport { linked } from 'xstate-quiver/transports';`,
    notRun: 'several machines, of which the page shows one at a time; adapters/locks/members.test.ts runs them',
  },
  'operating-locks.md 2': { imports: `import { createLocks } from 'xstate-quiver/locks';` },
  'operating-locks.md 3': {
    before: `const token = 'a secret of a page';`,
    notRun: 'it listens at a port; bin/cluster.test.ts runs it',
  },
  'own-protocol.md 1': {
    imports: `import { send } from 'xstate-quiver';`,
    before: 'type In = { context: { next: string; number: number } };',
    as: (text) => text.replace('idle:', 'void { idle:').replace(/\n$/, '};'),
    notRun: 'two excerpts of examples/own-protocol/machine.ts, whose tests run',
  },
  'own-protocol.md 2': {
    imports: `import { assign } from 'xstate';\nimport { send, withEvent } from 'xstate-quiver';`,
    before: `type Probe = { number: number };\nconst same = () => ({ to: 'n1', message: { type: 'probe' } });`,
    as: (text) => `void {${text.replace('\n', ',\n')}};`,
    notRun: 'two excerpts of examples/own-protocol/machine.ts, whose tests run',
  },
  'own-protocol.md 3': {
    imports: `import { defineCore, defineProtocol, shapes, type NetworkGraph } from 'xstate-quiver';\nimport { checks, view } from '../checks.js';\nimport { ringMachine } from '../machine.js';`,
    before: `const nextOf = (node: string, { topology: { nodes }, rank }: NetworkGraph) => nodes[(rank(node) + 1) % nodes.length]!;`,
  },
  'own-protocol.md 6': { as: (text) => text.replaceAll("'./r", "'../r") },
  'rehearsal.md 1': {
    imports: `// @ts-nocheck: it is JavaScript\nimport { rehearse } from 'xstate-quiver/rehearsal';`,
    names: {
      store: null,
      order: null,
      id: null,
      sleep: null,
      main: null,
      invoices: null,
      peers: null,
      transport: null,
      locks: null,
    },
    after: `const { main: service, ...how } = invoices;\nif (!(await rehearse({ ...how, shrinkSeconds: 0 }, service)).failure) throw new Error('nothing is found');`,
  },
  'rehearsal.md 2': {
    names: { store: null, invoices: 'store' },
    before: 'const fence = 1;',
    notRun: 'a line of the block before it',
  },
  'rehearsal.md 3': {
    imports: `import { expect, test } from 'vitest';\nimport { linked } from 'xstate-quiver/transports';\nimport { createLocks } from 'xstate-quiver/locks';\nimport { webSocket } from 'xstate-quiver/transports';`,
    as: (text) => text.replace('runs: 200', 'runs: 10'), // of minutes
  },
  'rehearsal.md 5': { notRun: 'test/rehearsal/transports.deep.ts runs it, with the client of NATS' },
  'rehearsal.md 6': {
    imports: `import { expect } from 'vitest';\nimport { rehearse, rehearsalMatchers } from 'xstate-quiver/rehearsal';`,
    before: `declare module 'vitest' { interface Matchers<T = any> { toHold(): T } }\nexpect.extend(rehearsalMatchers);`,
    notRun: 'it needs a failure, and test/rehearsal/matchers.test.ts has one',
  },
  'rehearsal.md 7': {
    imports: `import { defineConfig } from 'vitest/config';`,
    as: (text) => text.replace('export default ', 'void '),
    notRun: 'test/rehearsal/reporter.test.ts runs Vitest with it',
  },
  'shipping.md 1': {
    imports: `import { inspect, record } from 'xstate-quiver/inspector';`,
    notRun: 'it serves a page until it is ended',
  },
  'tab-locks.md 1': { before: 'const cart = {};\nconst save = async (...all: readonly unknown[]) => void all;' },
  'testing-actors.md 1': { imports: '// @ts-nocheck: it is JavaScript' },
  'testing-actors.md 2': {
    imports: `import type { checkActors } from 'xstate-quiver/check';`,
    before: 'void ({',
    after: '} satisfies Parameters<typeof checkActors>[1]);',
  },
  'testing-machines.md 1': {
    imports: `import { describe, expect, test } from 'vitest';\nimport { MachineTesting } from 'xstate-quiver/test';`,
    after: `test('the timer is found', async () => {
      expect((await new MachineTesting(press).findings()).map(({ name }) => name)).toContain('late event LONG');
    });`,
  },
  'testing-machines.md 2': { names: { machine: 'toggle' }, as: (text) => text.replace(/^import .*'\.\/toggle\.js';\n/m, '') },
  'testing-machines.md 3': {
    imports: `import fc from 'fast-check';\nimport { describe, expect, test } from 'vitest';\nimport { describeMachine } from 'xstate-quiver/test';`,
    notRun: 'a checkout with all that a machine can have; examples/machines has several, and runs them',
  },
  'testing-machines.md 4': MACHINE_TESTS,
  'testing-machines.md 5': MACHINE_TESTS,
  'testing-machines.md 6': MACHINE_TESTS,
  'testing-machines-reference.md 1': MACHINE_TESTS,
  'testing-machines-reference.md 2': MACHINE_TESTS,
  'testing.md 2': {
    imports: `import type { Checks } from 'xstate-quiver';`,
    before: 'void ({',
    after: `} satisfies Pick<Checks<any>, 'systems'>);`,
  },
  'testing.md 3': {
    imports: `/// <reference types="vite/client" />\nimport { expect, test } from 'vitest';\nimport { describeScenarios } from 'xstate-quiver/check';`,
    notRun: 'it takes the files of a folder, and here is none',
  },
  'transports.md 1': {
    imports: IN_PROCESS,
    after: `${PAIR}\nlet tries = 0;
      const send = (to: string, message: Json) => {
        if (++tries < 2) throw new BackpressureError('full', to);
        a.send(to, message);
      };
      await sendWhenThereIsRoom({ ...a, send } as Transport, 'b', 'twice tried');
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (received.join() !== 'twice tried') throw new Error(\`\${tries} tries, and received was \${received.join()}\`);`,
  },
  'transports.md 2': {
    imports: IN_PROCESS,
    after: `${PAIR}\nconst reported: string[] = [];
      listen(b, (from, text) => void reported.push(\`\${from}: \${text}\`));
      say(a, 'b', 'hello');
      a.send('b', { weather: 'fine' });
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (reported.join() !== 'a: hello') throw new Error(\`reported was \${reported.join()}\`);`,
  },
};

const BLOCK = /^```(ts|js|json|jsonc)\n([^]*?)^```$(?:\n```\n([^]*?)^```$)?/gm;
const IMPORT = /^import [^]*?;$/gm;

const textOf = (page) => readFileSync(join(root, 'docs', page), 'utf8');

/** All blocks of a page, numbered by their kind, with what the block below it shows. */
function blocksOf(page) {
  const counts = { code: 0, json: 0 };
  const all = [...textOf(page).matchAll(BLOCK)].filter(([, language]) => page !== TRANSPORTS || language !== 'js');
  return all.map(([, language, text, shown]) => {
    const kind = language.startsWith('json') ? 'json' : 'code';
    return { name: `${page} ${++counts[kind]}`, kind, text, shown: kind === 'code' ? (shown ?? null) : null };
  });
}

const isOfVitest = (module) => module.includes("from 'vitest'");

/** A module that holds the block, with what it names of given.ts. */
function moduleOf({ name, text }, given) {
  const { imports = '', before = '', after = '', as = (same) => same, names = {} } = PARTS[name] ?? {};
  const program = as(text);
  const own = `${imports}\n${(program.match(IMPORT) ?? []).join('\n')}`;
  const isTest = isOfVitest(own);
  const rest = program.replaceAll(IMPORT, '').replaceAll(/^export /gm, '');
  const nameOf = (each) => (each in names ? names[each] : each);
  const isWordOf = (word, inside) => new RegExp(`\\b${word}\\b`).test(inside);
  const used = given.filter(
    (each) =>
      nameOf(each) &&
      isWordOf(nameOf(each), before + rest + after) &&
      !isWordOf(nameOf(each), own) &&
      !(isTest && rest.includes(`const ${each} `)),
  );
  const list = used.map((each) => `${each}: ${nameOf(each)}`).join(', ');
  const fromGiven = used.length === 0 ? '' : `import { given } from './given.js';\nconst { ${list} } = given;\n`;
  const body = `${before}\n${rest}\n${after}`;
  return isTest ? `${own}\n${fromGiven}${body}` : `${own}\n${fromGiven}await (async () => {\n${body}\n})();\nprocess.exit();\n`;
}

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
  { input: { client: ({ ref }) => ({ server: ref('server') }), server: ({ ref }) => ({ client: ref('client') }) }, events: { client: { GO: [{}] } } },
);
for (const text of ${JSON.stringify(texts)}) {
  const json = JSON.parse(text.replaceAll(/^\\/\\/.*$/gm, ''));
  const { verdict } = new Simulation(parseScenario(json, { ...protocols, ring, 'client and server': pair })).run();
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
  const [, values] = /^export const given = \{\n([^]*?)^\};/m.exec(source);
  const [, declared] = /^interface Declared \{\n([^]*?)^\}/m.exec(source);
  const given = [...values.matchAll(/^ {2}(\w+),$/gm), ...declared.matchAll(/^ {2}readonly (\w+):/gm)].map(([, name]) => name);
  const pages = readdirSync(join(root, 'docs')).filter((page) => page.endsWith('.md') && !ELSEWHERE.includes(page));
  const blocks = pages.flatMap(blocksOf);
  const code = blocks
    .filter(({ kind }) => kind === 'code')
    .map((block) => ({ ...block, module: moduleOf(block, given), file: block.name.replace('.md ', '-') }));
  const unknown = Object.keys(PARTS).filter((name) => !code.some((block) => block.name === name));
  if (unknown.length > 0)
    throw new Error(`scripts/check-blocks.mjs names ${unknown.join(', ')}, but docs/ contains no such block.`);

  const scenarios = blocks.filter(({ kind }) => kind === 'json').map(({ text }) => text);
  writeFileSync(join(work, 'given.ts'), source);
  writeFileSync(join(work, 'scenarios.ts'), scenariosModule(scenarios));
  for (const { file, module } of code) writeFileSync(join(work, `${file}${isOfVitest(module) ? '.test' : ''}.ts`), module);
  const flags =
    '--strict --skipLibCheck --module nodenext --target es2022 --lib es2023,esnext.disposable,dom --types node --rootDir .. --outDir out';
  const sources = readdirSync(work).filter((file) => file.endsWith('.ts'));
  run('node', [join(root, 'node_modules/typescript/bin/tsc'), ...flags.split(' '), ...sources], work);

  const runnable = code.filter(({ name }) => !PARTS[name]?.notRun);
  const programs = runnable.filter(({ module }) => !isOfVitest(module));
  for (const { file, name, shown } of [...programs, { file: 'scenarios', name: 'scenarios', shown: null }]) {
    const printed = printedBy(join(work, 'out/blocks', `${file}.js`), name);
    if (shown !== null && !isShown(printed, shown)) throw new Error(`docs/${name} printed\n${printed}\ninstead of\n${shown}`);
  }
  const tests = runnable.filter(({ module }) => isOfVitest(module)).map(({ file }) => `${file}.test.ts`);
  run('node', [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', work, '--testTimeout', '120000', ...tests], work);
  const commands = checkCommands(pages, folder, run);
  return `${code.length} blocks of the guides compile, ${runnable.length} of them and ${scenarios.length} scenarios run, ${commands} commands have the options that they are given`;
}

/** The output of a program. A program that fails, or that prints to standard error, is a mistake of the page. */
function printedBy(program, name) {
  const { status, signal, stdout, stderr } = spawnSync('node', [program], { encoding: 'utf8', timeout: 60_000 });
  if (status !== 0) throw new Error(`docs/${name} exited with ${status ?? signal}\n${stdout}${stderr}`);
  if (stderr !== '') throw new Error(`docs/${name} printed to standard error\n${stderr}`);
  return stdout;
}
