/**
 * Shows all of this process on an inspector's page, without a change in the program:
 *
 *     quiver explore --live                                                            # prints the address of a page
 *     QUIVER_INSPECT=http://… node --import xstate-quiver/inspector/auto program.js    # in any number of processes
 *
 * Every node (of a lock, an election, a quota) and every XState actor reports to the address. Without the variable, nothing happens.
 * `QUIVER_PROGRAM` names the program on the page; the default is its file. `QUIVER_REACH=1` allows gestures from the page: pause nodes,
 * delay, duplicate and drop messages, issue commands, send events to actors.
 *
 * @module xstate-quiver/inspector/auto
 */
import { basename } from 'node:path';

const { QUIVER_INSPECT: url, QUIVER_REACH, QUIVER_PROGRAM: name = basename(process.argv[1] ?? 'program') } = process.env;

if (url !== undefined && url !== '') {
  // Without an inspector, the program loads none of the inspector's code.
  const { reportEverything } = await import('./everything.js');
  await reportEverything({ url, name, reach: QUIVER_REACH === '1' });
}
