/**
 * The command line as a function of its words, built on commander. `verbs.ts` contains the verbs and options. `commands/` contains the
 * implementation of each verb, which is loaded on demand.
 */
import { createRequire } from 'node:module';
import { Command, CommanderError, Option } from 'commander';
import { ProtocolError, UsageError } from '../machines/errors.js';
import { unknownWord } from '../network/scenario/read.js';
import { withoutColor } from './style.js';
import { BROKEN, USAGE } from './usage.js';
import { sharedOptions, verbNames, verbs, type OptionSpec, type ValuesOf, type Verb, type VerbWork } from './verbs.js';

const load: { readonly [V in Verb]: () => Promise<{ readonly default: VerbWork<V> }> } = {
  init: () => import('./commands/init.js'),
  run: () => import('./commands/run.js'),
  check: () => import('./commands/check.js'),
  test: () => import('./commands/test.js'),
  explore: () => import('./commands/explore.js'),
  replay: () => import('./commands/replay.js'),
  verify: () => import('./commands/verify.js'),
  paper: () => import('./commands/paper.js'),
  spawn: () => import('./commands/spawn.js'),
  rehearse: () => import('./commands/rehearse.js'),
  cluster: () => import('./commands/cluster.js'),
  completion: () => import('./commands/completion.js'),
};

const { version }: { version: string } = createRequire(import.meta.url)('xstate-quiver/package.json');

const AFTER = `
Exit status: 0 valid, 1 invalid, 2 unknown, ${USAGE} bad usage, a bad scenario or
description, ${BROKEN} a protocol that breaks.
The arguments and options of a verb: npx quiver VERB --help`;

/** Runs a command line and returns its exit status. Throws a `UsageError` if the command line is wrong. */
export async function quiver(args: readonly string[]): Promise<number> {
  let status = 0;
  const program = programOf(async (verb, values, words) => {
    const { default: command } = await load[verb]();
    status = await command(values, words);
  });
  if (args.length === 0) {
    program.outputHelp();
    return USAGE;
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw complaintOf(error, args);
  }
  return status;
}

/** Returns the exit status in all cases, and prints errors to standard error. */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    return await quiver(args);
  } catch (error) {
    // For unexpected errors the stack is printed; Node's own exit status for them is 1, which is a verdict here.
    const isExpected = error instanceof UsageError || error instanceof ProtocolError;
    console.error(isExpected ? `quiver: ${error.message}${placeOf(error)}` : error);
    return error instanceof UsageError ? USAGE : BROKEN;
  }
}

/** The folder of this package's code. */
const OWN = new URL('..', import.meta.url).pathname;

/** The error of the user's own code that a protocol's error or a usage error wraps, with its place: lines to print below the message. */
function placeOf(error: UsageError | ProtocolError): string {
  let thrown: unknown = error;
  while (thrown instanceof ProtocolError || thrown instanceof UsageError) thrown = thrown.cause;
  if (!(thrown instanceof Error)) return '';
  const frames = (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const frame = frames.find((line) => !/node_modules|node:|<anonymous>\)?$/.test(line) && !line.includes(OWN));
  // Files that are missing or invalid have no place in code.
  if (error instanceof UsageError && frame === undefined) return '';
  const place = frame ?? frames[0];
  return [`\n  ${thrown.name}: ${thrown.message}`, ...(place ? [`      ${place.trim()}`] : [])].join('\n');
}

type Act = (verb: Verb, values: ValuesOf<Verb>, words: readonly string[]) => Promise<void>;

function programOf(act: Act): Command {
  const program = new Command('quiver')
    .description('Distributed coordination as statecharts.')
    .version(version, '-V, --version', 'the version of this package')
    .helpOption('-h, --help', sharedOptions['help']!.description)
    .helpCommand('help [verb]', 'the same as VERB --help')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', AFTER);
  quiet(program).addOption(optionOf('no-color', sharedOptions['no-color']!));
  for (const verb of verbNames) program.addCommand(verbOf(verb, act));
  return program;
}

function verbOf(verb: Verb, act: Act): Command {
  const { summary, takes, options, examples } = verbs[verb];
  const command = quiet(new Command(verb))
    .description(summary)
    .usage(`${takes} [options]`)
    .argument('[words...]')
    .helpOption('-h, --help', sharedOptions['help']!.description)
    .addHelpText('after', `\nFor example:\n${examples.map((line) => `  ${line}`).join('\n')}`)
    .configureHelp({ visibleArguments: () => [] });
  const own: [string, OptionSpec][] = Object.entries(options);
  for (const [name, option] of own) command.addOption(optionOf(name, option));
  command.addOption(
    optionOf('protocol', sharedOptions['protocol']!).argParser((file, files: string[] | undefined) => [...(files ?? []), file]),
  );
  command.addOption(optionOf('no-color', sharedOptions['no-color']!));
  return command.action(async (words: string[], { protocol = [], color, ...values }) => {
    if (!color || command.parent!.opts()['color'] === false) withoutColor();
    const { bringProtocols } = await import('./protocols.js');
    await bringProtocols(protocol);
    await act(verb, { ...values, ...negated(own, values) }, words);
  });
}

const optionOf = (name: string, { value, description }: OptionSpec): Option =>
  value === undefined
    ? new Option(`--${name}`, description)
    : new Option(`--${name} <${value}>`, description).argParser(onlyOne(name));

/** An option with one value, of which a second one would make the first be forgotten. */
const onlyOne =
  (name: string) =>
  (value: string, before: string | undefined): string => {
    if (before === undefined) return value;
    throw new UsageError(`--${name} is given twice, ${before} and ${value}. Omit one of them.`);
  };

/** For `--no-x` commander sets `x` to false; a verb uses the names in its table. */
const negated = (own: readonly [string, OptionSpec][], values: Readonly<Record<string, unknown>>): Record<string, boolean> =>
  Object.fromEntries(own.filter(([name]) => name.startsWith('no-')).map(([name]) => [name, values[name.slice(3)] === false]));

/** Makes commander throw its errors, so that they are printed in one place. */
const quiet = (command: Command): Command => command.exitOverride().configureOutput({ writeErr: () => {} });

/** Commander's error message with a fix, on one line. */
function complaintOf({ code, message }: CommanderError, args: readonly string[]): UsageError {
  const verb = verbNames.find((name) => args.includes(name));
  // The word after `help` comes without a message.
  if (code === 'commander.unknownCommand' || code === 'commander.help') {
    const word = /'(.*?)'/.exec(message)?.[1] ?? args[args.indexOf('help') + 1]!;
    return unknownWord(`Unknown command "${word}"`, word, verbNames);
  }
  if (code === 'commander.optionMissingArgument') {
    const [, name, value] = /--([\w-]+) <(\w+)>/.exec(message)!;
    const known: Readonly<Record<string, OptionSpec>> = { ...sharedOptions, ...(verb && verbs[verb].options) };
    return new UsageError(`--${name} has no value. Add ${value}: ${known[name!]!.description}.`);
  }
  const problem = message.replace(/^error: /, '').replaceAll(/\s+/g, ' ');
  return new UsageError(
    `${problem[0]!.toUpperCase()}${problem.slice(1)}. See npx quiver ${verb === undefined ? '' : `${verb} `}--help.`,
  );
}
