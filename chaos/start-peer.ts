/** A peer as a program: `node start-peer.js '{"id":"a",…}'`. It ends with its parent, when its disk fails, or on request. */
import { ChaosPeer, UNCONNECTED, UNSTORED, type Started } from './peer.js';
import { WORK, workUntilStopped } from './work.js';

const started = JSON.parse(process.argv[2]!) as Started;
const orphaned = () => process.exit();
process.on('disconnect', orphaned);
// The parent may have ended before this listener existed.
if (!process.connected) orphaned();

const peer = new ChaosPeer(started);
const work = WORK[started.subject](peer);
work.done.catch(() => {});
await peer.transport.connect().catch(() => process.exit(UNCONNECTED));
peer.write('start', { peer: peer.id, life: started.life });
peer.notify('connected');
if (!(await workUntilStopped(peer, work))) process.exitCode = UNSTORED;

// From here on nothing should keep the process alive. If something does, the round detects that it does not end by itself.
process.off('disconnect', orphaned);
process.disconnect();
setTimeout(() => {
  console.error(`still open: ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(1);
}, 5_000).unref();
