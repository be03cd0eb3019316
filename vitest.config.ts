import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { built } from './testing/built.js';
import { missing } from './testing/chromium.js';
import { SlowestFiles } from './testing/slowest.js';

/** Nothing that one file's tests leave behind can reach another's, so they share their modules: to load them again costs more than most tests. */
const shared =
  '{machines,network,test,papers,adapters,inspector,bin,examples,bench,chaos,testing,scripts,site/playground}/**/*.test.ts';
/** A rehearsal replaces globals of the platform, and one that leaves a rule out loads its own modules. */
const alone = ['test/rehearsal/**/*.test.ts', 'chaos/in-world.test.ts', 'bin/program.test.ts'];
/**
 * Tests that listen at a port that was open a moment ago. A program that one thread starts has the sockets of all threads for a moment. A
 * socket that another thread closes is still open then: it accepts a connection, or its port cannot be opened again.
 */
const ports = [
  'adapters/transports/**/*.test.ts',
  'adapters/{standstill,versions}.test.ts',
  'adapters/locks/relayed.test.ts',
  'testing/servers.test.ts',
  'examples/transports-page.test.ts',
  'inspector/server.test.ts',
];
/** They mock a package that the product imports, or have the product import modules in TypeScript: it has to be loaded by Vitest, from its sources. */
const sources = ['bin/commands/{check,test}.test.ts', 'bin/outside.test.ts', 'inspector/{sockets,vite}.test.ts'];
/** The inspector's page in a real Chromium: built and started once for all of them. */
const ofPage = 'inspector/page*.test.ts';

if (missing) console.warn(`Skipped the tests of the inspector's page and of the browser examples, because there is ${missing}`);

/** Files of more than six seconds, the longest first. Others follow by their names, on every machine alike, and the last of them is short. */
const LONG = [
  'inspector/page',
  'inspector/page.actors',
  'inspector/page.address',
  'test/rehearsal/cluster',
  'test/rehearsal/clients',
  'bin/program',
  'adapters/standstill',
  'adapters/transports/web-socket-mesh',
  'adapters/transports/displaced',
  'adapters/transports/web-socket-limits',
  'adapters/transports/sealed',
  'adapters/transports/web-socket-hub',
  'examples/transports-page',
  'machines/paths',
  'papers/classics/classics',
  'papers/applications/applications',
  'adapters/cluster/mutants',
  'inspector/live/outbox',
  'test/machine/cases',
  'bin/quiver',
  'test/one-world',
  'test/swarm/departures',
  'machines/cluster/checked',
  'examples/machines/machines',
];

const gone = LONG.filter((name) => !existsSync(new URL(`${name}.test.ts`, import.meta.url)));
if (gone.length > 0) throw new Error(`LONG in vitest.config.ts names ${gone.join(', ')}, and there is no such file of tests`);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at < 0 ? LONG.length : at;
    };
    // Files of a project share their modules as long as none of another project comes between them.
    const projects = ['page', 'alone', 'ports', 'sources', 'shared'];
    const project = (file: TestSpecification): number => projects.indexOf(file.project.name);
    return [...files].sort(
      (a, b) =>
        project(a) - project(b) || place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : Number(a.moduleId > b.moduleId)),
    );
  }
}

// Searches create many objects of short life. With 16 MB for young ones, the default, they spend a sixth of their time in the garbage collector.
setFlagsFromString('--max-semi-space-size=64');

type ProjectOptions = Pick<
  NonNullable<TestProjectInlineConfiguration['test']>,
  'exclude' | 'isolate' | 'pool' | 'globalSetup' | 'setupFiles'
>;

const plugins = await built();

function project(
  name: string,
  include: string[],
  { exclude = [], ...more }: ProjectOptions = {},
): TestProjectInlineConfiguration {
  return { extends: true, plugins, test: { name, include, exclude: [...configDefaults.exclude, ...exclude], ...more } };
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    // A busy machine is slow, and no test is about that: these end a test that waits for what never comes.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    setupFiles: 'testing/setup.ts',
    reporters: ['default', new SlowestFiles()],
    pool: 'threads',
    // The applications of examples/apps import the package by its name: what is built is loaded as it is.
    server: { deps: { external: [/\/dist\//] } },
    // Twice the two cores of CI: many tests wait for processes, sockets and pages.
    maxWorkers: 4,
    projects: [
      project('shared', [shared], {
        exclude: [...alone, ...ports, ...sources, ofPage, 'examples/starters/**'],
        isolate: false,
        setupFiles: ['testing/setup.ts', 'testing/leaks.ts'],
      }),
      project('ports', ports, { pool: 'forks', isolate: false, setupFiles: ['testing/setup.ts', 'testing/leaks.ts'] }),
      project('alone', alone),
      project('page', missing ? [] : [ofPage], { isolate: false, globalSetup: 'inspector/page/testing/setup.ts' }),
      { ...project('sources', sources, { isolate: false }), plugins: [] },
    ],
  },
});
