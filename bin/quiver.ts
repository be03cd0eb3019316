#!/usr/bin/env node
/**
 * The `quiver` command. Exit status: 0 valid, 1 invalid, 2 unknown, 64 bad usage, a bad scenario or a bad description (one clear line on
 * stderr), 70 a protocol that breaks while it runs.
 */
import { ProtocolError, UsageError } from '../machines/errors.js';
import { type Subcommand, USAGE } from './command.js';
import { takeProtocols } from './protocols.js';

const commands: Readonly<Record<string, () => Promise<{ command: Subcommand }>>> = {
  run: () => import('./commands/run.js'),
  check: () => import('./commands/check.js'),
  test: () => import('./commands/test.js'),
  explore: () => import('./commands/explore.js'),
  replay: () => import('./commands/replay.js'),
  verify: () => import('./commands/verify.js'),
  paper: () => import('./commands/paper.js'),
  spawn: () => import('./commands/spawn.js'),
};

/** A chart or a function of a description broke while it ran: a fault of the protocol, not of who asked, and no verdict. */
const BROKEN = 70;

const HELP = `quiver: distributed coordination as statecharts

  quiver run FILE… [--json] [--trace FILE] [--seed N] [--host actors|snapshots]   run scenarios ("-" reads one a line)
  quiver check FILE… [--json] [--trace FILE] [--graphs N] [--safety]              explore every interleaving
         [--search breadth|depth] [--reduce symmetry|order] [--cores N] [--states|--depth|--seconds|--megabytes N]
  quiver test PROTOCOL [--json] [--emit FILE] [--trace FILE]                      walk its charts and systems: paths, coverage
         [--swarm N [--seed N] [--save FOLDER]] [--mutants] [--reasons MODULE]    many runs with faults; mistakes to be noticed
  quiver test FILE[#NAME] [--with FILE] [--pairs] [--mutants] [--seed N] [--json] an application's XState machine: states, paths, coverage
         [--emit FILE] [--trace FILE] [--lcov FOLDER] [--counts FILE] [--replay STEPS]
  quiver explore [FILE] [--story NAME [--contacts FILE]] [--live] [--port N]      watch a run, a story or live actors in the browser
  quiver replay TRACE                                                            run a trace again and compare
  quiver verify TRACE [--json]                                                   check a trace against charts and properties
  quiver paper NAME [--json] [--svg DIRECTORY]                                   reproduce a paper's tables
  quiver spawn FILE NODE (--url URL | --hub PORT) [--trace FILE] [--inspect]      one node as a process of its own, on WebSockets

All of them take --protocol FILE: a module that exports a protocol of your own.
Exit status: 0 valid, 1 invalid, 2 unknown, ${USAGE} bad usage, a bad scenario or description, ${BROKEN} a protocol that breaks.`;

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    console.log(HELP);
    return name === undefined ? USAGE : 0;
  }
  const load = commands[name];
  if (!load) throw new UsageError(`"${name}" is no command; the commands are ${Object.keys(commands).join(', ')}`);
  return (await load()).command(await takeProtocols(args));
}

// A reader that closes the pipe early (`quiver run … | head`) ends the run; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // Of what we did not expect the stack is the message; Node's own exit status for it is 1, which is a verdict here.
  const isExpected = error instanceof UsageError || error instanceof ProtocolError;
  console.error(isExpected ? `quiver: ${error.message}` : error);
  process.exitCode = error instanceof UsageError ? USAGE : BROKEN;
}
