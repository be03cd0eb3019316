#!/usr/bin/env node
/**
 * The `quiver` command. Exit status: 0 valid, 1 invalid, 2 unknown, 64 bad usage, a bad scenario or a bad description (one clear line on
 * stderr), 70 a protocol that breaks while it runs.
 */
import nodeModule from 'node:module';
import { USAGE } from './usage.js';

// Node 22.1 and later keep compiled code from one run to the next.
(nodeModule as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.();
const { runCommand } = await import('./program.js');

/** How long the process may go on when the work is done. */
const LINGER_MS = 1000;

/** Ends the process although work is still running, and reports what. */
function endAnyway(): void {
  const end = (): void => {
    const kinds = new Set(process.getActiveResourcesInfo().filter((kind) => !/TTY|Pipe|FS/.test(kind)));
    console.error(
      `quiver: The work is done, but something is still running (${[...kinds].join(', ')}): a module, an action or a live service has not stopped what it started. Return a function that stops it. The process now exits.`,
    );
    process.exit();
  };
  setTimeout(end, LINGER_MS).unref();
}

// If standard output cannot be written (a full disk), the verdict is not reported. A reader that closes the pipe early (`quiver run … | head`) ends
// the run silently. The status is the verdict if it is known, otherwise that of a program that the system ends for this reason.
const CLOSED_PIPE = 128 + 13;
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(process.exitCode ?? CLOSED_PIPE);
  console.error(`quiver: Cannot write to standard output (${message}).`);
  process.exit(USAGE);
});

process.exitCode = await runCommand(process.argv.slice(2));

// The other commands wait for what they have started; these run code of others.
if (['run', 'check', 'test', 'verify', 'replay'].includes(process.argv[2]!)) endAnyway();
