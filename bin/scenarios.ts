/** Reads the scenarios of a command line from JSON files, NDJSON files with one scenario on each line, or standard input (`-`). */
import { createReadStream } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { UsageError } from '../machines/errors.js';
import { parseScenario } from '../network/scenario/parse.js';
import { parseText } from '../network/scenario/text.js';
import type { Scenario } from '../network/scenario/types.js';
import type { ReadText } from '../network/topology/files.js';
import { protocolsFor } from './protocols.js';
import { readFile } from './read-file.js';
import { traceHeaderIn, unexpectedTrace } from './unexpected-trace.js';

export interface Source {
  /** The file and, if it contains several scenarios, the line. */
  readonly where: string;
  /** The JSON as it was given. */
  readonly json: unknown;
  readonly scenario: Scenario;
  /** The words after `quiver check` that examine this system again, if they are not the file. */
  readonly again?: string;
}

/** A scenario, or the error in it. The other scenarios still run. */
export type ReadScenario = Source | { readonly where: string; readonly error: UsageError };

export async function* readScenarios(files: readonly string[], seed: number | undefined): AsyncGenerator<ReadScenario> {
  if (files.length === 0)
    throw new UsageError(
      'The command needs a scenario. Name its JSON file, or "-" to read scenarios from standard input, one on each line.',
    );
  for (const file of files) {
    if (file === '-' || file.endsWith('.ndjson')) yield* readLines(file, seed);
    else yield await read(file, readFile(file), dirname(file), seed);
  }
}

/** Reads the first scenario of a file. */
export async function readScenario(file: string, seed: number | undefined): Promise<Source> {
  for await (const item of readScenarios([file], seed)) {
    if ('error' in item) throw item.error;
    return item;
  }
  throw new UsageError(`${file} contains no scenario. Write a JSON object with protocol and topology to it.`);
}

async function* readLines(file: string, seed: number | undefined): AsyncGenerator<ReadScenario> {
  if (file !== '-') readFile(file);
  const input = file === '-' ? process.stdin : createReadStream(file);
  const name = file === '-' ? 'standard input' : file;
  let number = 0;
  let isNone = true;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    number++;
    const trace = number === 1 ? traceHeaderIn(line) : null;
    // Its other lines are not scenarios either.
    if (trace) {
      yield { where: name, error: unexpectedTrace(name, trace, 'not a scenario') };
      return;
    }
    if (line.trim() === '') continue;
    isNone = false;
    yield await read(`${name}, line ${number}`, line, file === '-' ? '.' : dirname(file), seed);
  }
  if (isNone) yield { where: name, error: new UsageError(`${name} contains no scenario. Write one scenario a line.`) };
}

async function read(where: string, text: string, folder: string, seed: number | undefined): Promise<ReadScenario> {
  try {
    const given = parseText(text);
    const json = seed === undefined || typeof given !== 'object' ? given : { ...given, seed };
    return { where, json, scenario: await parseIn(folder, json) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { where, error: new UsageError(`${where}: ${error.message}`) };
  }
}

/** Parses a scenario whose files are in a folder. */
export const parseIn = async (folder: string, json: unknown): Promise<Scenario> =>
  parseScenario(json, await protocolsFor(json), readerIn(folder));

/** Reads the files that a scenario names, relative to its folder. */
export const readerIn =
  (folder: string): ReadText =>
  (path) =>
    readFile(resolve(folder, path));
