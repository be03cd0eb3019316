// The hub in a process of its own, as a server stands beside its clients.
import { webSocketHub } from '../../dist/adapters/transports/web-socket-hub.js';

const hub = await webSocketHub({ port: 0 });
process.on('disconnect', () => process.exit());
process.send({ what: 'ready', port: hub.port });
