/** What can be shared, each with what it comes to: just what one process alone would have found over the same pieces. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, resolve } from 'node:path';
import type { Exploration } from '../../test/explore/examine.js';
import type { CheckOptions } from '../../test/explore/scenario.js';
import type { Rehearsal } from '../../test/rehearsal/index.js';
import { frameOf } from '../../test/rehearsal/options.js';
import type { SwarmPart, SwarmReport } from '../../test/swarm/swarm.js';
import { broughtFiles, type FoundProtocol } from '../protocols.js';
import { rehearsalIn } from '../rehearsal-module.js';
import type { Source } from '../scenarios.js';
import { number } from '../style.js';
import type { Job } from './job.js';
import { together } from './together.js';

const { version } = createRequire(import.meta.url)('xstate-quiver/package.json') as { version: string };

/** Enough to tell two programs apart, and short enough to be read. */
const DIGEST_LENGTH = 16;

const digestOf = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, DIGEST_LENGTH);
};

/** After `from`, `import`, `import(` or `require(`. In a comment as well: a file too many does no harm, since all who share a job have it. */
const IMPORT = /\b(?:from|import|require)\s*\(?\s*(["'`])(\.{1,2}\/[^"'`\n]+)\1/g;
/** What `require` tries; an import names its file. */
const ENDS = ['', '.js', '.cjs', '.json', '/index.js'];

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/**
 * What is in the files that a module is made of, in the order in which they are first named: itself, and what it imports from files beside
 * it, and so on, where the import says which one in its text. Whoever compares these compares the program, up to packages, and up to what is
 * read or imported by a name that is made as it runs.
 */
function contentsBeneath(files: readonly string[]): readonly Buffer[] {
  const contents = new Map<string, Buffer>();
  const waiting = files.map((file) => resolve(file)).reverse();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (contents.has(path)) continue;
    const content = readFileSync(path);
    contents.set(path, content);
    waiting.push(...importedBy(path, content.toString()).reverse());
  }
  return [...contents.values()];
}

function importedBy(path: string, text: string): string[] {
  const folder = dirname(path);
  return Array.from(text.matchAll(IMPORT), ([, , name]) => resolve(folder, name!.replace(/[?#].*$/, ''))).flatMap((named) => {
    const found = ENDS.map((end) => named + end).find(isFile);
    return found === undefined ? [] : [found];
  });
}

/** The files that a job is made of, by what is in them and in what they import. */
const ofFiles = (files: readonly string[]): string => digestOf(...contentsBeneath(files));

/** What all the same is said beside the result, where something was not as it would have been alone. */
async function shared<R>(url: string, job: Job<R>): Promise<readonly R[]> {
  const { results, ownCount, againCount, twice } = await together(url, job);
  const told = [`${number(ownCount)} of ${number(results.length)} ran here`];
  if (againCount > 0) told.push(`${number(againCount)} came here after another worker had gone`);
  if (twice.length > 0) told.push(`run twice, with the same result: ${twice.map(job.titleOf).join(', ')}`);
  console.error(`quiver: shared at ${url}: ${told.join('; ')}`);
  return results;
}

const smallest = (numbers: Iterable<number>): number => Math.min(Infinity, ...numbers);

export async function sharedRehearsal(url: string, word: string, runsGiven?: number, seedGiven?: number): Promise<Rehearsal> {
  const { main: _, ...options } = await rehearsalIn(word);
  frameOf(options);
  const { runs: runsSaid = 100, seed: seedSaid = 1, shrinkSeconds = 60 } = options;
  const { joinedRehearsal } = await import('../../test/rehearsal/rehearse.js');
  const [runs, seed] = [runsGiven ?? runsSaid, seedGiven ?? seedSaid];
  const [file, name] = word.split('#') as [string, string?];
  const job: Job<Rehearsal> = {
    name: `rehearse ${basename(file)}${name === undefined ? '' : `#${name}`}`,
    terms: { version, file: ofFiles([file]), runs, seed },
    task: { work: 'rehearse', word, runs, seed },
    titleOf: (run) => `seed ${seed + run}`,
    inputOf: (run) => run,
    piecesOf: (results) => {
      const failed = [...results].flatMap(([run, { failure }]) => (failure ? [run + 1] : []));
      return Math.min(runs, smallest(failed));
    },
    // How short a failure was made is a matter of time.
    essenceOf: ({ digest, failure }) => (failure && shrinkSeconds > 0 ? [failure.judge] : [digest]),
  };
  return joinedRehearsal(await shared(url, job));
}

export async function sharedSwarm(
  url: string,
  { protocol, module }: FoundProtocol,
  word: string,
  runs: number,
  seed: number,
): Promise<SwarmReport> {
  const { joinedSwarm, partsNeeded } = await import('../../test/swarm/swarm.js');
  const job: Job<SwarmPart> = {
    name: `swarm ${protocol.name}`,
    terms: { version, file: module ? ofFiles([module.path]) : 'of this package', runs, seed },
    task: { work: 'swarm', word, protocols: broughtFiles(), seed },
    titleOf: (part) => `part ${part + 1} of the swarm`,
    inputOf: (part) => part,
    piecesOf: (results) => {
      const failed = [...results].flatMap(([part, { failure }]) => (failure ? [part + 1] : []));
      const first: SwarmPart[] = [];
      for (let part = 0; results.has(part); part++) first.push(results.get(part)!);
      return Math.min(partsNeeded(runs, first), smallest(failed));
    },
    essenceOf: (part) => part,
  };
  return joinedSwarm(runs, await shared(url, job));
}

/** Of each source, in their order. */
export async function sharedCheck(
  url: string,
  sources: readonly Source[],
  options: CheckOptions,
): Promise<readonly Exploration[]> {
  if (sources.length === 0) return [];
  const files = broughtFiles();
  const said = JSON.stringify([sources.map(({ json }) => json), options]);
  const [{ where, scenario }] = sources as readonly [Source];
  const job: Job<Exploration> = {
    name: `check ${basename(where.replace(/ on .*/, ''))} ${scenario.protocol.name}`,
    terms: {
      version,
      file: files.length === 0 ? 'of this package' : ofFiles(files),
      scenarios: digestOf(said),
      searches: sources.length,
    },
    task: { work: 'check', protocols: files, options },
    titleOf: (search) => sources[search]!.where,
    inputOf: (search) => ({ where: sources[search]!.where, json: sources[search]!.json }),
    piecesOf: () => sources.length,
    essenceOf: ({ verdict, states, transitions, stopped }) =>
      stopped === undefined ? [verdict, states, transitions] : [verdict],
  };
  return shared(url, job);
}
