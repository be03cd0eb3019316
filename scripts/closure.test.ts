/**
 * Limits the number of this repository's files that each entry loads, and lists files that it must not load: an application of one product
 * does not load the others. A bound that is more than a third too high is out of date and fails.
 */
import { expect, test } from 'vitest';
import { closureOf, wayTo } from './closure.js';

interface Bound {
  readonly files: number;
  /** Folders of which no file is loaded. */
  readonly without?: readonly string[];
}

const PROTOCOLS = ['controller', 'directory', 'election', 'exclusion', 'locks', 'queue'].map((name) => `machines/${name}/`);

const BOUNDS: Readonly<Record<string, Bound>> = {
  'test/machine/describe-machine.ts': { files: 60, without: ['test/explore/', 'inspector/', ...PROTOCOLS] },
  'bin/quiver.ts': { files: 3 },
  'bin/program.ts': { files: 8 },
  'bin/commands/run.ts': { files: 75, without: ['inspector/', 'test/', ...PROTOCOLS] },
  'bin/commands/check.ts': { files: 127, without: ['inspector/', ...PROTOCOLS] },
  'entries/inspector.ts': { files: 57, without: ['test/', ...PROTOCOLS] },
  'adapters/transports/web-socket.ts': { files: 20, without: ['machines/locks/', 'machines/directory/'] },
  'adapters/transports/web-socket-mesh.ts': { files: 31, without: ['machines/locks/', 'machines/directory/'] },
  'index.ts': { files: 56, without: PROTOCOLS },
  'entries/test.ts': { files: 62, without: ['test/explore/', 'inspector/', ...PROTOCOLS] },
  'entries/transports.ts': { files: 75, without: PROTOCOLS },
};

/** The modules of `quiver test machine.js`: the command, then the verb, then the machine tests. */
const TEST_MACHINE = ['bin/quiver.ts', 'bin/program.ts', 'bin/commands/test.ts', 'bin/test-machine.ts'];

test.each(Object.entries(BOUNDS))('%s', (entry, { files, without = [] }) => {
  const loaded = closureOf(entry);
  const ways = without.map((folder) => wayTo(loaded, (file) => file.startsWith(folder))).filter((way) => way.length > 0);
  expect(ways.map((way) => way.join(' -> '))).toEqual([]);
  expect(loaded.size).toBeLessThanOrEqual(files);
  expect(loaded.size).toBeGreaterThan(0.75 * files);
});

test('quiver test machine.js', () => {
  const loaded = new Map(TEST_MACHINE.flatMap((entry) => [...closureOf(entry)]));
  expect(
    [...loaded.keys()].filter((file) => file.startsWith('inspector/') || PROTOCOLS.some((name) => file.startsWith(name))),
  ).toEqual([]);
  expect(loaded.size).toBeLessThanOrEqual(88);
});

test('imports are followed through re-exports, and not into types or dynamic imports', () => {
  const loaded = closureOf('scripts/closure.test.ts');
  expect([...loaded.keys()]).toEqual(['scripts/closure.test.ts', 'scripts/closure.ts']);
  expect(wayTo(closureOf('entries/test.ts'), (file) => file === 'test/machine/describe-machine.ts')).toEqual([
    'entries/test.ts',
    'test/machine/describe-machine.ts',
  ]);
  expect(closureOf('test/failure-page.ts').size).toBe(1);
});
