/**
 * `quiver explore`: serves the inspector's page until Ctrl-C: with a scenario's run or a trace, with a story, or, when nothing is named,
 * with the list of stories.
 */
import { dirname } from 'node:path';
import { handsFor } from '../../inspector/hands.js';
import { serveTrace, type TraceSource } from '../../inspector/server.js';
import type { Shelf } from '../../inspector/stories/shelf.js';
import { UsageError } from '../../machines/errors.js';
import { TRACE_VERSION } from '../../network/trace.js';
import { integerOption, parse, type Command } from '../command.js';
import { record } from '../recording.js';
import { parseIn, readFile, readScenarios } from '../scenarios.js';
import { storyShelf } from '../stories.js';
import { bold, dim } from '../style.js';

export const command: Command = async (args) => {
  const { values, positionals } = parse(args, {
    port: { type: 'string' },
    seed: { type: 'string' },
    story: { type: 'string' },
    contacts: { type: 'string' },
  });
  const [file, ...more] = positionals;
  if (more.length > 0 || (file !== undefined && values.story !== undefined))
    throw new UsageError('name one scenario, trace or story: quiver explore FILE, or quiver explore --story NAME');
  const shelf = storyShelf(values.contacts === undefined ? undefined : readFile(values.contacts));
  const place = file === undefined ? placeOf(values.story, shelf) : '';
  const source = file === undefined ? '' : isTrace(file) ? readFile(file) : await run(file, integerOption('seed', values.seed));
  const hands = handsFor((json) => parseIn(dirname(file ?? '.'), json), record);
  const { url, close } = await serveTrace(source, { port: integerOption('port', values.port) ?? 0, hands, shelf });
  console.log(`${bold(`${url}${place}`)}\n${dim('open it in a browser; Ctrl-C ends it')}`);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await close();
  return 0;
};

function placeOf(name: string | undefined, { stories }: Shelf): string {
  if (name === undefined) return '#stories';
  if (stories.some((story) => story.name === name)) return `#story=${name}`;
  throw new UsageError(`there is no story "${name}"; there are ${stories.map((story) => story.name).join(', ')}`);
}

const isTrace = (file: string): boolean => file !== '-' && readFile(file).trimStart().startsWith(`{"quiver":${TRACE_VERSION},`);

/** A run of the scenario, made anew for every page that asks for it. */
async function run(file: string, seed: number | undefined): Promise<TraceSource> {
  for await (const item of readScenarios([file], seed)) {
    if ('error' in item) throw item.error;
    return function* () {
      for (const line of record(item.scenario, item.json)) yield `${JSON.stringify(line)}\n`;
    };
  }
  throw new UsageError(`${file} holds no scenario`);
}
