/**
 * The blocks `ts` and `js` of the guides in docs/, and what surrounds each in a program: the imports, the objects of given.ts, and the lines that
 * the page leaves out. check-blocks.mjs compiles and runs these programs, and the site takes the types of its hovers from them.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
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
export const PARTS = {
  'cluster.md 1': {
    before: 'const three = <T,>(all: readonly T[]) => all as readonly [T, T, T];',
    as: (text) =>
      text.replace(/peers\.map\(.*\)(?=;)/, 'three($&)').replace(
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
  'cluster.md 3': {
    imports: '// @ts-nocheck: it is JavaScript',
    names: { peers: null, cluster: null, transport: null },
    notRun: 'three machines; adapters/cluster/unlisted-client.test.ts has a client',
  },
  'cluster.md 5': {
    imports: `import { createCluster } from 'xstate-quiver/cluster';`,
    before: 'const machines = {};',
    notRun: 'a Postgres server; adapters/storage/engines.deep.ts has one',
  },
  'cluster.md 6': {
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
  'cluster.md 7': {
    imports: `// @ts-nocheck: it is JavaScript\nimport { sharedStorage } from 'xstate-quiver/storage';`,
    names: { store: null },
    before: 'const store = {};',
    notRun: 'adapters/storage/shared.test.ts runs the suite',
  },
  'cluster.md 8': {
    imports: '// @ts-nocheck: it is JavaScript',
    names: { cluster: null },
    notRun: 'a part of a member; adapters/cluster/waiting.test.ts sends such an event',
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
  'leaders.md 4': { after: 'await watch.close();' },
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
  'testing-actors.md 3': {
    imports: `// @ts-nocheck: it is JavaScript
      import { checkScenario, defineActors } from 'xstate-quiver/check';
      import { parseScenario } from 'xstate-quiver/network';`,
    after: `const events = ['GO', 'GIVE_UP', 'GO'].map((command, at) => ({ at, node: 'client', do: command }));
      const topology = { nodes: ['client', 'server'], links: [['client', 'server', 1]] };
      const verdictOf = (list) => checkScenario(parseScenario({ protocol: pair.name, topology, events: list }, { [pair.name]: pair })).verdict;
      if (verdictOf(events) !== 'invalid' || verdictOf(events.slice(0, 2)) !== 'valid') throw new Error('other verdicts');`,
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

const BLOCK = /^```(ts|js|json)\n([^]*?)^```$(?:\n```\n([^]*?)^```$)?/gm;
const IMPORT = /^import [^]*?;$/gm;

export const textOf = (page) => readFileSync(join(root, 'docs', page), 'utf8');

/** All blocks of a page, numbered by their kind, with what the block below it shows. */
export function blocksOf(page) {
  const counts = { code: 0, json: 0 };
  const all = [...textOf(page).matchAll(BLOCK)].filter(([, language]) => page !== TRANSPORTS || language !== 'js');
  return all.map(([, language, text, shown]) => {
    const kind = language === 'json' ? 'json' : 'code';
    return { name: `${page} ${++counts[kind]}`, kind, text, shown: kind === 'code' ? (shown ?? null) : null };
  });
}

export const isOfVitest = (module) => module.includes("from 'vitest'");

/** The names that given.ts provides. */
const givenSource = readFileSync(join(root, 'scripts/given.ts'), 'utf8');
const [, values] = /^export const given = \{\n([^]*?)^\};/m.exec(givenSource);
const [, declared] = /^interface Declared \{\n([^]*?)^\}/m.exec(givenSource);
const given = [...values.matchAll(/^ {2}(\w+),$/gm), ...declared.matchAll(/^ {2}readonly (\w+):/gm)].map(([, name]) => name);

/**
 * The program around a block: its own imports and those that the page leaves out, the objects of given.ts that it names, and the lines before
 * and after it. `from` is the module of given.ts.
 */
export function surroundingsOf({ name, text }, from) {
  const { imports = '', before = '', after = '', as = (same) => same, names = {} } = PARTS[name] ?? {};
  const program = as(text);
  const own = `${imports}\n${(program.match(IMPORT) ?? []).join('\n')}`;
  const rest = program.replaceAll(IMPORT, '').replaceAll(/^export /gm, '');
  const nameOf = (each) => (each in names ? names[each] : each);
  // The module of an import is not a name: 'xstate-quiver/locks' is not the object `locks`.
  const imported = own.replaceAll(/'[^']*'/g, '');
  const isWordOf = (word, inside) => new RegExp(`\\b${word}\\b`).test(inside);
  const used = given.filter(
    (each) =>
      nameOf(each) &&
      isWordOf(nameOf(each), before + rest + after) &&
      !isWordOf(nameOf(each), imported) &&
      !(isOfVitest(own) && rest.includes(`const ${each} `)),
  );
  const list = used.map((each) => `${each}: ${nameOf(each)}`).join(', ');
  const fromGiven = used.length === 0 ? '' : `import { given } from '${from}';\nconst { ${list} } = given;\n`;
  return { imports, own, fromGiven, before, rest, after };
}

/** A module that contains the block. */
export function moduleOf(block) {
  const { own, fromGiven, before, rest, after } = surroundingsOf(block, './given.js');
  const body = `${before}\n${rest}\n${after}`;
  return isOfVitest(own)
    ? `${own}\n${fromGiven}${body}`
    : `${own}\n${fromGiven}await (async () => {\n${body}\n})();\nprocess.exit();\n`;
}
