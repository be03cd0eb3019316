/** A peer as a program: `node start-peer.js ID SUBJECT URL HISTORY [FOLDER]`. It ends with whoever started it, or when it is told to go. */
import { ChaosPeer, UNCONNECTED } from './peer.js';
import type { RoundSubject } from './plan.js';
import { WORK } from './work.js';

const [id, subject, url, history, folder] = process.argv.slice(2) as [string, RoundSubject, string, string, string?];
const orphaned = () => process.exit();
process.on('disconnect', orphaned);
// Perhaps before we listened.
if (!process.connected) orphaned();

const peer = new ChaosPeer(id, url, history, folder);
const working = WORK[subject](peer);
working.catch(() => {});
await peer.transport.connect().catch(() => process.exit(UNCONNECTED));
peer.tell('connected');
const object = await working;
peer.tell('done');
await peer.until('ended');
await object[Symbol.asyncDispose]();
await peer.transport.close();

// From here on nothing may keep the process: if something does, the round sees that it does not end by itself.
process.off('disconnect', orphaned);
process.disconnect();
setTimeout(() => {
  console.error(`still open: ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(1);
}, 5_000).unref();
