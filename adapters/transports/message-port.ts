/**
 * A transport over MessagePorts between workers and frames, through a hub in one of them.
 *
 * The transport needs only the standard MessagePort, so it works in browser workers, iframes and Node's worker threads. Create a `MessageChannel`,
 * pass one port to `hub.attach` and the other one to the peer. A port keeps its order and loses nothing while both ends run. When a peer's
 * thread ends, the peer is reported `down` if the platform reports closed ports (Node does, browsers since 2024). On other platforms, only
 * peers that close their transport are reported.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { environmentOf } from '../environment.js';
import { checkOptions, hasMethods, id as idCheck } from '../options.js';
import { createTransport } from './driver.js';
import { messagePortGuarantees } from './guarantees.js';
import { Hub, type Line } from './hub.js';
import { throughHub } from './through-hub.js';
import type { Transport } from './transport.js';

/**
 * The part of a port that the transport uses. DOM MessagePorts and those of Node's worker threads match it.
 *
 * @public
 */
export interface Port {
  postMessage(message: unknown): void;
  addEventListener(
    type: 'message' | 'close',
    listener: (event: { readonly type: string; readonly data?: unknown }) => void,
  ): void;
  start(): void;
  close(): void;
}

/**
 * Creates the transport of the peer that owns this port of a hub.
 *
 * @param port a `MessagePort` whose other end is attached to the hub.
 * @param options the id of this peer.
 * @returns a transport that is not connected yet.
 * @throws UsageError for a value that is not a port, and for an invalid id.
 * @example
 * ```ts
 * import { MessagePortHub, messagePort } from 'xstate-quiver/transports';
 *
 * const hub = new MessagePortHub();
 * const { port1, port2 } = new MessageChannel();
 * hub.attach(port1);
 * const transport = messagePort(port2, { id: 'a' }); // in a worker, pass the port that it has received
 * await transport.connect();
 * await transport.close();
 * hub.close();
 * ```
 * @public
 */
export function messagePort(port: Port, options: { readonly id: NodeId }): Transport<typeof messagePortGuarantees> {
  checkPort('messagePort', port);
  checkOptions('messagePort', options, { id: idCheck });
  const { id } = options;
  const key = environmentOf({}).crypto.randomUUID();
  return createTransport(
    id,
    messagePortGuarantees,
    throughHub({ id, key }, () => lineOf(port)),
  );
}

function checkPort(who: string, port: unknown): void {
  if (!hasMethods(port, 'postMessage', 'addEventListener', 'start', 'close'))
    throw new UsageError(`${who} takes a port of new MessageChannel(): port1 for one side, port2 for the other`);
}

/**
 * A hub for peers on MessagePorts. It runs in one of the threads, usually the one that starts the others.
 *
 * @public
 */
export class MessagePortHub {
  private readonly hub = new Hub();

  /**
   * Serves the peer that holds the other port of the channel.
   *
   * @throws UsageError for a value that is not a port.
   */
  attach(port: Port): void {
    checkPort('attach of a MessagePortHub', port);
    this.hub.attach(lineOf(port));
  }

  /** Closes all ports. */
  close(): void {
    this.hub.close();
  }
}

const lineOf = (port: Port): Line => ({
  send: (text) => port.postMessage(text),
  close: () => port.close(),
  listen: ({ frame, closed }) => {
    port.addEventListener('message', (event) => frame(event.data));
    port.addEventListener('close', closed);
    port.start();
  },
});
