// One process that wants to lead, by the leader election of the package broadcast-channel.
import { BroadcastChannel, createLeaderElection } from 'broadcast-channel';

const channel = new BroadcastChannel('bench', { type: 'node' });
process.on('disconnect', () => process.exit());
process.on('message', async () => {
  await createLeaderElection(channel).awaitLeadership();
  process.send({ what: 'leads' });
});
process.send({ what: 'ready' });
