// The hub in its own process, as a server is next to its clients.
import { webSocketHub } from '../../dist/adapters/transports/web-socket-hub.js';

const hub = await webSocketHub({ port: 0 });
process.on('disconnect', () => process.exit());
process.send({ what: 'ready', port: hub.port });
