/** WebSockets of programs that report to an inspector. The package `ws` is loaded only on the first request for one. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { UsageError } from '../machines/errors.js';

/** Receives the messages of one program as texts. A `UsageError` ends the connection. */
export interface ProgramConnection {
  take(text: string): void;
  /** The connection has ended: closed by the program, or lost. */
  end(isLost: boolean): void;
}

const BYTES_MAX = 10_000_000;
/** The statuses of the protocol for a message that cannot be read, and for an error of our own. */
const INVALID = 1007;
const UNEXPECTED = 1011;
/** The status that a socket without a closing handshake ends with. */
const LOST = 1006;
const REFUSAL = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** Accepts WebSockets at the path, which holds the token; any other upgrade is refused. Returns what ends all connections. */
export async function acceptSockets(
  server: Server,
  path: string,
  connect: (reply: (text: string) => void) => ProgramConnection,
  refused: (request: IncomingMessage) => void,
): Promise<() => void> {
  const { WebSocketServer } = await import('ws').catch(() => {
    throw new UsageError(
      'An inspector page for programs (quiver explore --live, receiveInspection) needs the package ws. Install it: npm install ws',
    );
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: BYTES_MAX });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.url?.split('?')[0] !== path) {
      socket.on('error', () => {});
      socket.end(REFUSAL);
      return refused(request);
    }
    sockets.handleUpgrade(request, socket, head, (client) =>
      listen(
        client,
        connect((text) => client.send(text)),
      ),
    );
  });
  return () => sockets.clients.forEach((client) => client.terminate());
}

function listen(client: WebSocket, { take, end }: ProgramConnection): void {
  client.on('message', (data: Buffer) => {
    try {
      take(data.toString('utf8'));
    } catch (error) {
      if (error instanceof UsageError) return client.close(INVALID, error.message.slice(0, 120));
      warn(error);
      client.close(UNEXPECTED);
    }
  });
  client.on('close', (code) => {
    try {
      end(code === LOST);
    } catch (error) {
      warn(error);
    }
  });
  client.on('error', () => client.terminate());
}

/** One program's messages end its own connection at most. */
function warn(error: unknown): void {
  console.warn(`inspector: a report over a WebSocket was ignored: ${String(error)}`);
}
