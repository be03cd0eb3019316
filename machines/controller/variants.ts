/**
 * Options of scenarios for the controller in addition to `options.ts`: the paper to the letter, for the checker to refute, and a signal
 * that waits for the permits. Applications do not use these options, so their quotas, names and banks do not include this code.
 */
import { oneOf, refuseUnknown } from '../checks.js';
import { UsageError } from '../errors.js';
import type { NetworkGraph } from '../protocol.js';
import { controllerCore } from './core.js';
import { firstPhase, termsOf } from './growth/phases.js';
import type { Settings } from './messages.js';
import { CONTROLLER_KEYS, controllerOptions, growingKinds, type ControllerOptions } from './options.js';

type Raw = Readonly<Record<string, unknown>>;

export function controllerVariants(raw: Raw, graph: NetworkGraph): ControllerOptions {
  refuseUnknown(raw, [...CONTROLLER_KEYS, 'rules', 'echo', 'signal']);
  const { rules, echo, signal, ...rest } = raw;
  const options = controllerOptions(rest, graph);
  const settings = { ...options.settings, echo: echoOf({ echo }, options) };
  const isPrinted = followsPrint({ rules }, options);
  const isLate = waits({ signal }, options, isPrinted);
  const { M, W, phase } = options;
  if (!phase || !(isPrinted || isLate)) return { ...options, settings };
  const first = firstPhase(isPrinted ? 'printed' : phase.rule, M, W, phase.n, false, isLate);
  return { ...options, settings, phase: first, terms: termsOf(first) };
}

/** A late end would lose the permits that a request for several units has gathered. */
export const variantCommands = {
  ...controllerCore.commands,
  take: {
    ...controllerCore.commands['take'],
    refusal: ({ phase }: ControllerOptions, { amount = 1 }) =>
      phase?.late && amount > 1 ? 'with options.signal "late" take one at a time' : null,
  },
};

function echoOf(raw: Raw, { kind, adaptive, settings: { pipelined } }: ControllerOptions): Settings['echo'] {
  const echo = oneOf(raw, 'echo', ['quiet', 'premature'] as const, 'quiet');
  if (echo === 'premature' && (!growingKinds.includes(kind) || pipelined || adaptive))
    throw new UsageError('options.echo "premature" needs kind main, modified, names or bank, without pipelined. Omit it.');
  return echo;
}

function followsPrint(raw: Raw, { kind }: ControllerOptions): boolean {
  const rules = oneOf(raw, 'rules', ['corrected', 'printed'] as const, 'corrected');
  if (rules === 'printed' && kind !== 'modified')
    throw new UsageError(`options.rules "printed" needs kind "modified", not "${kind}". Omit it.`);
  return rules === 'printed';
}

/** True if the end is announced only once M - W permits are given; the root must then be able to collect the rest. */
function waits(raw: Raw, { kind }: ControllerOptions, isPrinted: boolean): boolean {
  const isLate = oneOf(raw, 'signal', ['early', 'late'] as const, 'early') === 'late';
  if (isLate && (isPrinted || (kind !== 'main' && kind !== 'modified')))
    throw new UsageError('options.signal "late" needs kind main or modified, with corrected rules. Omit it.');
  return isLate;
}
