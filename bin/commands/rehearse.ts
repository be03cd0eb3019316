/** `quiver rehearse FILE`: runs an application under faults in virtual time. With the file of a failure, it repeats that failure. */
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import { checkReplay } from '../../test/rehearsal/failure.js';
import { rehearse } from '../../test/rehearsal/rehearse.js';
import type { Rehearsal } from '../../test/rehearsal/report.js';
import { formatFailure } from '../../test/rehearsal/failure.js';
import { frameOf, RUNS_MAX, type RehearseOptions } from '../../test/rehearsal/options.js';
import type { Main } from '../../test/rehearsal/peer.js';
import { OutputFile } from '../output-file.js';
import { exportsOf } from '../modules.js';
import { readJsonAs } from '../read-file.js';
import { number, verdictInColor } from '../style.js';
import { integerOption } from '../usage.js';
import type { VerbWork } from '../verbs.js';

const command: VerbWork<'rehearse'> = async (values, words) => {
  const [word, again, ...more] = words;
  if (word === undefined || more.length > 0)
    throw new UsageError(
      'quiver rehearse takes one module, and optionally a failure to run again: npx quiver rehearse FILE[#NAME] [FAILURE]',
    );
  const runs = integerOption('runs', values.runs, 1, RUNS_MAX);
  const seed = integerOption('seed', values.seed);
  const idle = again === undefined ? undefined : (['runs', 'seed'] as const).find((option) => values[option] !== undefined);
  if (idle !== undefined) throw new UsageError(`${again} is one run with its own seed. Omit --${idle}, or the failure.`);
  const report = await rehearsal(word, runs, seed, again);
  const { failure } = report;
  if (failure && values.save !== undefined) {
    const file = new OutputFile(values.save);
    file.line(failure);
    file.keep();
  }
  const result = failure ? 'invalid' : 'valid';
  if (values.json) console.log(JSON.stringify({ verdict: result, ...report }));
  else {
    console.log(
      `${verdictInColor(result)}  ${word}: ${number(report.runs)} ${report.runs === 1 ? 'run' : 'runs'}, ${number(report.turns)} turns`,
    );
    if (failure) console.log(formatFailure(failure));
    if (failure && values.save !== undefined) console.log(`again: npx quiver rehearse ${word} ${values.save}`);
  }
  return failure ? 1 : 0;
};

async function rehearsal(word: string, runs?: number, seed?: number, again?: string): Promise<Rehearsal> {
  const { main, ...options } = await rehearsalIn(word);
  const frame = frameOf(options);
  return rehearse(
    {
      ...options,
      ...(runs !== undefined && { runs }),
      ...(seed !== undefined && { seed }),
      ...(again !== undefined && { replay: readJsonAs(again, (json) => checkReplay(json, frame)) }),
    },
    main,
  );
}

interface DescribedRehearsal extends RehearseOptions {
  readonly main: Main;
}

/**
 * The exported rehearsal of a module: an object with `main` and the options of `rehearse`; `FILE#name` selects one of several.
 */
async function rehearsalIn(word: string): Promise<DescribedRehearsal> {
  const [file, wanted] = word.split('#');
  const { exported } = await exportsOf(file!);
  const found = Object.entries(exported).filter(([, value]) => isObject(value) && typeof value['main'] === 'function');
  const names = found.map(([name]) => name);
  if (names.length === 0)
    throw new UsageError(`${file} exports no rehearsal. Add: export const rehearsal = { peers: 3, main: async (peer) => { … } }`);
  const name = wanted ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined)
    throw new UsageError(`${file} exports several rehearsals: ${names.join(', ')}. Choose one: ${file}#${names[0]}`);
  const one = found.find(([other]) => other === name);
  if (!one) throw new UsageError(`${file} exports no rehearsal ${name}. It exports ${names.join(', ')}.`);
  return one[1] as DescribedRehearsal;
}

export default command;
