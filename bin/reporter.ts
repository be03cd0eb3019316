/** Reads the options that choose the output of `quiver test`: text, JSON or JUnit XML. */
import { UsageError } from '../machines/errors.js';

const reporters = ['text', 'json', 'junit'] as const;

export type Reporter = (typeof reporters)[number];

/** The chosen output. `--json` is short for `--reporter json`. */
export function chosenReporter({ json, reporter }: { readonly json?: boolean; readonly reporter?: string }): Reporter {
  const found = reporters.find((name) => name === (reporter ?? (json ? 'json' : 'text')));
  if (!found) throw new UsageError(`--reporter is "${reporter}". Choose one of ${reporters.join(', ')}.`);
  if (json && found !== 'json') throw new UsageError(`--json and --reporter ${found} cannot be combined. Omit one of them.`);
  return found;
}
