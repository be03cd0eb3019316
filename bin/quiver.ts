#!/usr/bin/env node
/**
 * The `quiver` command. Exit status: 0 valid, 1 invalid, 2 unknown, 64 bad usage, a bad scenario or a bad description (one clear line on
 * stderr), 70 a protocol that breaks while it runs.
 */
import { ProtocolError, UsageError } from '../machines/errors.js';
import { quiver } from './program.js';
import { endAnyway } from './strays.js';
import { BROKEN, USAGE } from './usage.js';

// A reader that closes the pipe early (`quiver run … | head`) ends the run; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  process.exitCode = await quiver(process.argv.slice(2));
} catch (error) {
  // Of what we did not expect the stack is the message; Node's own exit status for it is 1, which is a verdict here.
  const isExpected = error instanceof UsageError || error instanceof ProtocolError;
  console.error(isExpected ? `quiver: ${error.message}` : error);
  process.exitCode = error instanceof UsageError ? USAGE : BROKEN;
}

// The other commands wait for what they have started; this one runs code of others.
if (process.argv[2] === 'test') endAnyway();
