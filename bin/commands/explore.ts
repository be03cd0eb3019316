/**
 * `quiver explore`: serves the inspector's page until Ctrl-C, with a scenario's run, a trace, a rehearsal's failure, a story, live actors
 * or, by default, the list of stories. With `--save`, it writes a file instead.
 */
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ENDINGS, formatOf } from '../../inspector/exports/formats.js';
import { gesturesFor, textOf, type Gestures } from '../../inspector/gestures.js';
import { keepAddress, lastAddress } from '../../inspector/live/last-address.js';
import { TraceReader } from '../../inspector/model/reader.js';
import { serveTrace, type Served, type TraceSource } from '../../inspector/server.js';
import { receiveInspection } from '../../inspector/stately/receive.js';
import type { Shelf } from '../../inspector/stories/shelf.js';
import { UsageError, thrownText } from '../../machines/errors.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { parseContacts } from '../../network/topology/contacts.js';
import type { TraceHeader, TraceLine } from '../../network/trace.js';
import { checkFailure } from '../../test/rehearsal/failure.js';
import { traceOfFailure } from '../../test/rehearsal/failure-trace.js';
import { integerOption } from '../usage.js';
import type { ValuesOf, VerbWork } from '../verbs.js';
import { Forks } from '../forks.js';
import { importOf, protocolsFor } from '../protocols.js';
import { recordRun } from '../../network/record-run.js';
import { recordBranch, recordNearest } from '../recording.js';
import { readFile, readJsonAs } from '../read-file.js';
import { readerIn, readScenario } from '../scenarios.js';
import { bold, dim } from '../style.js';
import { writeTrace } from '../trace-file.js';

const command: VerbWork<'explore'> = async (values, words) => {
  const [file, ...more] = words;
  if (more.length > 0 || [file, values.story, values.live].filter((one) => one !== undefined).length > 1)
    throw new UsageError(
      'quiver explore takes one scenario, trace, failure of a rehearsal or story: npx quiver explore FILE, or npx quiver explore --story NAME',
    );
  refuseIdle(values, file);
  const port = integerOption('port', values.port, 0, 65_535);
  if (values.live) return live(port);
  const shelf = file === undefined ? await stories(values.contacts) : NO_STORIES;
  if (values.save !== undefined) return save(values.save, file, integerOption('seed', values.seed));
  const place = file === undefined ? placeOf(values.story, shelf) : '';
  const forks = new Forks();
  const source = file === undefined ? '' : await sourceOf(file, integerOption('seed', values.seed), forks);
  const served = await serveTrace(source, {
    ...(port !== undefined && { port }),
    gestures: await gesturesIn(dirname(file ?? '.'), forks),
    shelf,
  });
  console.log(bold(`${served.url}${place}`));
  return untilStopped(served);
};

const NO_STORIES: Shelf = {
  stories: [],
  run: (story) => {
    throw new UsageError(`Unknown story "${story}".`);
  },
};

async function stories(contacts: string | undefined): Promise<Shelf> {
  const { storyShelf } = await import('../../papers/stories/shelf.js');
  return storyShelf(contacts === undefined ? undefined : contactsIn(contacts));
}

/** Reads a list of contacts. An invalid one is rejected before a page requests it. */
function contactsIn(file: string): string {
  const text = readFile(file);
  try {
    parseContacts(text);
  } catch (error) {
    throw new UsageError(`--contacts ${file}: ${thrownText(error)}`);
  }
  return text;
}

/** Rejects an option that would have no effect. */
function refuseIdle({ live, save, seed, port, contacts, story }: ValuesOf<'explore'>, file: string | undefined): void {
  if (live && save !== undefined)
    throw new UsageError(
      '--save cannot be combined with --live: no trace exists yet. To save one, press "Save the last minute" on the page and run quiver explore --save with that file.',
    );
  if (contacts !== undefined && (live || file !== undefined || (story !== undefined && story !== 'districts')))
    throw new UsageError('--contacts works only with the story "districts", which this command does not show. Omit --contacts.');
  if (save !== undefined && port !== undefined)
    throw new UsageError('--port and --save cannot be combined: --save writes a file and serves no page. Omit --port.');
  if (seed === undefined) return;
  const kind = file === undefined ? null : kindOf(file);
  if (kind === 'scenario') return;
  const run = live ? '--live shows' : kind === 'trace' ? `${file} is` : kind === 'failure' ? `${file} shows` : 'a story shows';
  const what = live ? 'programs as they run' : kind === null ? 'its own runs' : 'a recorded run';
  throw new UsageError(
    `--seed works only with a scenario that runs now, but ${run} ${what}. Omit --seed, or run a scenario: npx quiver explore scenario.json --seed ${seed}`,
  );
}

/** Gestures in scenarios whose files are in a folder. */
async function gesturesIn(folder: string, forks: Forks): Promise<Gestures> {
  const protocols = await protocolsFor(null);
  const parse = (json: unknown) => parseScenario(json, protocols, readerIn(folder));
  const gestures = gesturesFor(parse, recordRun, recordNearest, recordBranch);
  return {
    ...gestures,
    run: (json) => forks.run(parse(json), json),
    offer(json) {
      const module = importOf(parse(json).protocol.name, folder);
      return { ...gestures.offer(json), ...(module && { module }) };
    },
  };
}

/** The trace, or the run of the scenario, as a file of another kind: its own page, a picture, what another tool reads. */
async function save(path: string, file: string | undefined, seed: number | undefined): Promise<number> {
  if (file === undefined || formatOf(path) === null)
    throw new UsageError(
      `--save needs a scenario or a trace, and a file name that ends with one of ${ENDINGS}: npx quiver explore run.ndjson --save run.html`,
    );
  const kind = kindOf(file);
  if (kind === 'trace') await writeTrace(path, linesOf(file));
  else if (kind === 'failure') await writeTrace(path, traceOfFailure(readJsonAs(file, checkFailure)));
  else {
    const { scenario, json } = await readScenario(file, seed);
    await writeTrace(path, recordRun(scenario, json));
  }
  console.log(`written: ${path}`);
  return 0;
}

function linesOf(file: string): readonly (TraceHeader | TraceLine)[] {
  const lines: (TraceHeader | TraceLine)[] = [];
  const reader = new TraceReader({ header: (header) => lines.push(header), line: (line) => lines.push(line) });
  reader.push(readFile(file));
  reader.end();
  if (reader.problem === null) return lines;
  const fix = `To keep the intact lines before it: head -n ${lines.length} ${file} > whole.ndjson`;
  throw new UsageError(`${file}: ${reader.problem} Nothing was written.${lines.length > 1 ? ` ${fix}` : ''}`);
}

/** Any program with nodes or XState's actors may report. The address is that of the last inspector of this project. */
async function live(port: number | undefined): Promise<number> {
  const address = lastAddress('.');
  const receiving = await receiveInspection({ ...(port !== undefined && { port }), ...(address !== undefined && { address }) });
  keepAddress('.', receiving.url);
  console.log(bold(receiving.url));
  console.log(`in a browser:   createInspector({ url: '${receiving.url}' }).inspect from xstate-quiver/inspector/browser`);
  console.log(`your programs:  QUIVER_INSPECT=${receiving.url} node --import xstate-quiver/inspector/auto program.js`);
  console.log(
    `or in them:     createActor(machine, { inspect: createWebSocketInspector({ url: '${receiving.socket}' }).inspect })`,
  );
  return untilStopped(receiving);
}

async function untilStopped({ close }: Served): Promise<number> {
  console.log(dim('open the address in a browser; Ctrl-C ends it'));
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await close();
  return 0;
}

function placeOf(name: string | undefined, { stories }: Shelf): string {
  if (name === undefined) return '#stories';
  if (stories.some((story) => story.name === name)) return `#story=${name}`;
  throw new UsageError(`Unknown story "${name}". Known stories: ${stories.map((story) => story.name).join(', ')}`);
}

async function sourceOf(file: string, seed: number | undefined, forks: Forks): Promise<TraceSource> {
  const kind = kindOf(file);
  if (kind === 'trace') return streamOf(file);
  return kind === 'failure' ? [...textOf(traceOfFailure(readJsonAs(file, checkFailure)))].join('') : run(file, seed, forks);
}

/** The kind of a file by its first characters: a trace may be longer than a string can be. The page checks the version. */
function kindOf(file: string): 'trace' | 'failure' | 'scenario' {
  if (file === '-' || !statSync(file, { throwIfNoEntry: false })?.isFile()) return 'scenario';
  const start = Buffer.alloc(64);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, start);
  closeSync(descriptor);
  const [, key] = /^\s*{\s*"(quiver|rehearsal)":/.exec(String(start)) ?? [];
  return key === 'quiver' ? 'trace' : key === 'rehearsal' ? 'failure' : 'scenario';
}

const streamOf =
  (file: string): TraceSource =>
  () =>
    createReadStream(file, 'utf8');

/** Runs the scenario for each page that requests it. */
async function run(file: string, seed: number | undefined, forks: Forks): Promise<TraceSource> {
  const recorded = await readScenario(file, seed);
  return () => forks.run(recorded.scenario, recorded.json);
}

export default command;
