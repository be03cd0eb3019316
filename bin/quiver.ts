#!/usr/bin/env node
/**
 * The `quiver` command. Exit status: 0 valid, 1 invalid, 2 unknown, 64 bad usage, a bad scenario or a bad description (one clear line on
 * stderr), 70 a protocol that breaks while it runs.
 */
import { runCommand } from './program.js';
import { endAnyway } from './strays.js';
import { USAGE } from './usage.js';

// Where nothing can be written (a full disk) no verdict is told. A reader that closes the pipe early (`quiver run … | head`) ends the run, without a word. Its verdict is told if it is known; or else
// the status is that of a program that the system ends for this.
const CLOSED_PIPE = 128 + 13;
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(process.exitCode ?? CLOSED_PIPE);
  console.error(`quiver: cannot write to standard output (${message})`);
  process.exit(USAGE);
});

process.exitCode = await runCommand(process.argv.slice(2));

// The other commands wait for what they have started; these run code of others.
if (['run', 'check', 'test', 'verify', 'replay'].includes(process.argv[2]!)) endAnyway();
