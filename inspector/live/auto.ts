/**
 * Everything of this process on an inspector's page, without a word in the program:
 *
 *     quiver explore --live                                                            # prints the address of a page
 *     QUIVER_INSPECT=http://… node --import xstate-quiver/inspector/auto program.js    # in as many processes as there are
 *
 * Every node, whatever makes it (a lock, an election, a quota), and every XState actor reports to the address. Without the variable
 * nothing happens. `QUIVER_PROGRAM` names the program on the page; its file unless given. With `QUIVER_REACH=1` the page can reach in:
 * pause nodes, hold up, delay, double and drop what comes to them, issue commands, send events to actors.
 */
import { basename } from 'node:path';

const { QUIVER_INSPECT: url, QUIVER_REACH, QUIVER_PROGRAM: name = basename(process.argv[1] ?? 'program') } = process.env;

if (url !== undefined && url !== '') {
  // A program that nobody watches loads nothing of the inspector.
  const { reportEverything } = await import('./everything.js');
  reportEverything({ url, name, reach: QUIVER_REACH === '1' });
}
