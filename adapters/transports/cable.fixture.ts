/** A cable between two ends of a connection, for tests. After it is pulled, neither end is notified. */
import { once } from 'node:events';
import net from 'node:net';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { onTestFinished } from 'vitest';

export interface Cable {
  /** Silences existing connections for good. Later connections work. */
  pull(): void;
}

/** A relay from a new port to a port on this machine. */
export async function tcpCable(to: number): Promise<Cable & { readonly port: number }> {
  const sockets: net.Socket[] = [];
  const server = net.createServer((near) => {
    const far = net.connect(to, '127.0.0.1');
    near.pipe(far).pipe(near);
    for (const end of [near, far]) {
      end.on('error', () => {});
      sockets.push(end);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as net.AddressInfo).port,
    pull: () => {
      for (const socket of sockets.splice(0)) {
        onTestFinished(() => void socket.destroy());
        socket.unpipe().pause();
      }
    },
  };
}

export interface Breakable {
  readonly port: number;
  /** Closes all connections and refuses new ones. */
  cut(): void;
  repair(): Promise<void>;
}

/** A proxy to a port on this machine that can close its connections. */
export async function breakable(to: number): Promise<Breakable> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(to, '127.0.0.1');
    near.pipe(far).pipe(near);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(end);
      end.on('error', () => {});
      end.on('close', () => (sockets.delete(end), other.destroy()));
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as net.AddressInfo;
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => void (server.listening && cut()));
  return { port, cut, repair: () => listen(port) };
}

/** Two MessageChannels with a relay between them. */
export function portCable(): Cable & { readonly near: MessagePort; readonly far: MessagePort } {
  const [left, right] = [new MessageChannel(), new MessageChannel()];
  let isPulled = false;
  const relay = (from: MessagePort, to: MessagePort) => from.on('message', (text) => isPulled || to.postMessage(text));
  relay(left.port2, right.port1);
  relay(right.port1, left.port2);
  onTestFinished(() => [left.port2, right.port1].forEach((port) => port.close()));
  return { near: left.port1, far: right.port2, pull: () => void (isPulled = true) };
}

/** A relay between two BroadcastChannels. */
export function channelCable(near: string, far: string): Cable {
  const ends = [new BroadcastChannel(near), new BroadcastChannel(far)] as const;
  let isPulled = false;
  for (const [i, end] of ends.entries()) {
    end.onmessage = ({ data }: MessageEvent) => isPulled || ends[1 - i]!.postMessage(data);
  }
  onTestFinished(() => ends.forEach((end) => end.close()));
  return { pull: () => void (isPulled = true) };
}
