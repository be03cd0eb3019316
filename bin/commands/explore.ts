/** `quiver explore FILE`: serves the inspector's page with a scenario's run, or with a trace, until Ctrl-C. */
import { dirname } from 'node:path';
import { handsFor } from '../../inspector/hands.js';
import { serveTrace, type TraceSource } from '../../inspector/server.js';
import { UsageError } from '../../machines/errors.js';
import { TRACE_VERSION } from '../../network/trace.js';
import { integerOption, parse, type Command } from '../command.js';
import { record } from '../recording.js';
import { parseIn, readFile, readScenarios } from '../scenarios.js';
import { bold, dim } from '../style.js';

export const command: Command = async (args) => {
  const { values, positionals } = parse(args, { port: { type: 'string' }, seed: { type: 'string' } });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('name one scenario or trace: quiver explore FILE');
  const source = isTrace(file) ? readFile(file) : await run(file, integerOption('seed', values.seed));
  const hands = handsFor((json) => parseIn(dirname(file), json), record);
  const { url, close } = await serveTrace(source, { port: integerOption('port', values.port) ?? 0, hands });
  console.log(`${bold(url)}\n${dim('open it in a browser; Ctrl-C ends it')}`);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await close();
  return 0;
};

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
