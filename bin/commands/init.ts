/** `quiver init [FOLDER]`: a protocol, a scenario, a test and a script, written into a folder that holds nothing of that name yet. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../../machines/errors.js';
import type { VerbWork } from '../verbs.js';

/** The files as they are written; only package.json is made. */
const TEMPLATE = new URL('../start/', import.meta.url);

const command: VerbWork<'init'> = async (_, words) => {
  const [folder = '.', ...more] = words;
  if (more.length > 0) throw new UsageError(`quiver init takes one folder. Remove ${more.join(', ')}.`);
  if (folder === '')
    throw new UsageError('The name of the folder is empty. Pass the name of an empty folder: quiver init FOLDER');
  const files = readdirSync(TEMPLATE).filter((name) => name !== 'README.md');
  const taken = [...files, 'package.json'].filter((name) => existsSync(join(folder, name)));
  if (taken.length > 0)
    throw new UsageError(`${folder} already contains ${taken.join(', ')}. Pass the name of an empty folder: quiver init FOLDER`);
  try {
    mkdirSync(folder, { recursive: true });
    for (const name of files) copyFileSync(new URL(name, TEMPLATE), join(folder, name));
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packageOf(basename(resolve(folder))), null, 2)}\n`);
  } catch (error) {
    throw new UsageError(`Cannot create the folder ${folder} (${(error as Error).message}). Choose another one.`);
  }
  const steps = ['npm install', 'npm start', 'npm run check', 'npm test'];
  console.log(`${[...files, 'package.json'].join(', ')} are there. Next:\n`);
  for (const step of folder === '.' ? steps : [`cd ${inShell(folder)}`, ...steps]) console.log(`  ${step}`);
  return 0;
};

/** Quotes a word for a shell. */
const inShell = (word: string): string => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);

/** The package file, with the versions of the dependencies with which this package was built. */
function packageOf(name: string): object {
  const own = JSON.parse(readFileSync(createRequire(import.meta.url).resolve('xstate-quiver/package.json'), 'utf8'));
  const { version, peerDependencies: peers, devDependencies: dev } = own;
  return {
    name: name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-') || 'my-protocol',
    private: true,
    type: 'module',
    scripts: {
      start: 'node simulate.js',
      check: 'quiver check call.json --protocol ./ring.js',
      test: 'vitest run',
    },
    dependencies: { xstate: peers.xstate, rxjs: peers.rxjs, 'xstate-quiver': `^${version}` },
    devDependencies: { 'fast-check': peers['fast-check'], vitest: `^${dev.vitest}` },
  };
}

export default command;
