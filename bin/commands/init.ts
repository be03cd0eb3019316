/** `quiver init [FOLDER]`: copies a starter of examples/starters into a folder that does not contain its files yet. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UsageError, thrownText } from '../../machines/errors.js';
import { EXAMPLES } from '../read-file.js';
import type { VerbWork } from '../verbs.js';

const STARTERS = join(EXAMPLES, 'starters');

/** The names of the starters. Each has a folder for JavaScript and one for TypeScript. */
export const starterNames = ['protocol', 'backend', 'tabs', 'xstate', 'testing'] as const;

/** A package does not contain files of this name. */
const GITIGNORE = 'node_modules/\ndist/\nquiver-failures/\n';

const command: VerbWork<'init'> = async ({ template = 'protocol', typescript = false }, words) => {
  const [folder = '.', ...more] = words;
  if (more.length > 0) throw new UsageError(`quiver init takes one folder. Remove ${more.join(', ')}.`);
  if (folder === '') throw new UsageError('The name of the folder is empty. Pass the name of an empty folder.');
  if (!starterNames.some((name) => name === template))
    throw new UsageError(`Unknown template "${template}". Choose one of: ${starterNames.join(', ')}.`);
  const starter = join(STARTERS, `${template}-${typescript ? 'ts' : 'js'}`);
  const files = [...new Set([...readdirSync(starter), '.gitignore'])];
  const taken = files.filter((name) => existsSync(join(folder, name)));
  if (taken.length > 0) throw new UsageError(`${folder} already contains ${taken.join(', ')}. Pass the name of an empty folder.`);
  const made: { name: string; scripts: object } = JSON.parse(readFileSync(join(starter, 'package.json'), 'utf8'));
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-');
  try {
    mkdirSync(folder, { recursive: true });
    for (const file of files) if (file !== '.gitignore') copyFileSync(join(starter, file), join(folder, file));
    writeFileSync(join(folder, '.gitignore'), GITIGNORE);
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...made, name: name || made.name }, null, 2)}\n`);
  } catch (error) {
    throw new UsageError(`Cannot create the folder ${folder} (${thrownText(error)}). Choose another one.`);
  }
  const steps = ['npm install', ...stepsOf(made.scripts)];
  console.log(`${files.join(', ')} are there. Next:\n`);
  for (const step of folder === '.' ? steps : [`cd ${inShell(folder)}`, ...steps]) console.log(`  ${step}`);
  return 0;
};

/** The commands for the scripts of a package. */
const stepsOf = (scripts: object): string[] =>
  Object.keys(scripts).map((name) => (name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`));

const inShell = (word: string): string => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);

export default command;
