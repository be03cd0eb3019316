/** `quiver rehearse FILE`: runs an application's module under faults in virtual time; with a failure's file, that failure again. */
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import { parseText } from '../../network/scenario/parse.js';
import { rehearse, tellFailure, type RehearsalFailure, type Main, type RehearseOptions } from '../../test/rehearsal/index.js';
import { OutputFile } from '../output-file.js';
import { exportsOf } from '../protocols.js';
import { readFile } from '../scenarios.js';
import { number, verdictInColour } from '../style.js';
import { integerOption } from '../usage.js';
import type { Work } from '../verbs.js';

interface Described extends RehearseOptions {
  readonly main: Main;
}

const command: Work<'rehearse'> = async (values, words) => {
  const [word, again, ...more] = words;
  if (word === undefined || more.length > 0)
    throw new UsageError('name one module, and a failure to run again if you have one: quiver rehearse FILE[#NAME] [FAILURE]');
  const { main, ...options } = await described(word);
  const runs = integerOption('runs', values.runs, 1);
  const seed = integerOption('seed', values.seed);
  const report = await rehearse(
    {
      ...options,
      ...(runs !== undefined && { runs }),
      ...(seed !== undefined && { seed }),
      ...(again !== undefined && { replay: parseText(readFile(again)) as unknown as RehearsalFailure }),
    },
    main,
  );
  const { failure } = report;
  if (failure && values.save !== undefined) {
    const file = new OutputFile(values.save);
    file.line(failure);
    file.keep();
  }
  const result = failure ? 'invalid' : 'valid';
  if (values.json) console.log(JSON.stringify({ verdict: result, ...report }));
  else {
    console.log(`${verdictInColour(result)}  ${word}: ${number(report.runs)} runs, ${number(report.turns)} turns`);
    if (failure) console.log(tellFailure(failure));
    if (failure && values.save !== undefined) console.log(`again: quiver rehearse ${word} ${values.save}`);
  }
  return failure ? 1 : 0;
};

/** What a module exports: a record with `main` and the options of `rehearse`; `FILE#name` names one of several. */
async function described(word: string): Promise<Described> {
  const [file, wanted] = word.split('#') as [string, string?];
  const { exported } = await exportsOf(file);
  const found = Object.entries(exported).filter(([, value]) => isObject(value) && typeof value['main'] === 'function');
  const names = found.map(([name]) => name);
  if (names.length === 0)
    throw new UsageError(`${file} exports no rehearsal; export const rehearsal = { peers: 3, main: async (peer) => { … } }`);
  const name = wanted ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined)
    throw new UsageError(`${file} exports the rehearsals ${names.join(', ')}; name one, ${file}#${names[0]}`);
  const one = found.find(([other]) => other === name);
  if (!one) throw new UsageError(`${file} exports no rehearsal ${name}; it exports ${names.join(', ')}`);
  return one[1] as Described;
}

export default command;
