/** The hub as its own process: `node hub.js PORT HISTORY`. It ends with its parent. */
import { webSocketHub } from '../adapters/transports/web-socket-hub.js';
import { reportStalls, writerTo } from './history.js';

process.on('disconnect', () => process.exit());
if (!process.connected) process.exit();
await webSocketHub({ port: Number(process.argv[2]) });
reportStalls(writerTo(process.argv[3]!), 'pause', 'broker');
