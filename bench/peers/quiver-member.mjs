// One process that wants to lead, by Quiver's election: `node quiver-member.mjs ID PEERS HUB`.
import { WebSocket } from 'ws';
import { createElection } from '../../dist/adapters/election.js';
import { linked } from '../../dist/adapters/linked.js';
import { webSocket } from '../../dist/adapters/transports/web-socket.js';

const [id, all, url] = process.argv.slice(2);
const peers = all.split(',');
process.on('disconnect', () => process.exit());
const transport = linked(webSocket({ id, url, WebSocket }), { peers, beatMs: 20, patience: 8 });
process.on('message', () => {
  const election = createElection({ transport, peers });
  election.addEventListener('change', () => process.send({ what: 'follows', leader: election.leader }));
});
// Connected before the first request, like the rival's channel.
await transport.connect();
process.send({ what: 'ready' });
