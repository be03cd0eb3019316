/** The rehearsals that a module of an application exports, for the command and for processes that run a part of them. */
import { isObject } from '../machines/checks.js';
import { UsageError } from '../machines/errors.js';
import type { Main } from '../test/rehearsal/peer.js';
import type { RehearseOptions } from '../test/rehearsal/options.js';
import { exportsOf } from './modules.js';

export interface DescribedRehearsal extends RehearseOptions {
  readonly main: Main;
}

/**
 * The exported rehearsal of a module: an object with `main` and the options of `rehearse`; `FILE#name` selects one of several.
 */
export async function rehearsalIn(word: string): Promise<DescribedRehearsal> {
  const [file, wanted] = word.split('#') as [string, string?];
  const { exported } = await exportsOf(file);
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
