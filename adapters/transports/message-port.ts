/**
 * Workers and frames that talk over MessagePorts, by way of a hub in one of them.
 *
 * Only the standard MessagePort is used, so browser workers, iframes and Node's worker threads are still here: make a
 * `MessageChannel`, give one port to `hub.attach` and the other to the peer. A port keeps its order and loses nothing while both ends
 * live. A peer whose thread ends is reported `down` where the platform reports a closed port (Node does, browsers do since 2024);
 * elsewhere only one that closes its transport is.
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
 * What is used of a port: a DOM MessagePort is one, and so is one of Node's worker threads.
 *
 * @public
 */
export interface Port {
  postMessage(message: unknown): void;
  addEventListener(type: 'message' | 'close', listener: (event: any) => void): void;
  start(): void;
  close(): void;
}

/**
 * The transport of the peer that holds this port of a hub.
 *
 * @throws UsageError for what is no port, and an id that is none.
 * @example
 * ```ts
 * import { MessagePortHub, messagePort } from 'xstate-quiver/transports';
 *
 * const hub = new MessagePortHub();
 * const { port1, port2 } = new MessageChannel();
 * hub.attach(port1);
 * const transport = messagePort(port2, { id: 'a' }); // in a worker: of the port that it was sent
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
    throw new UsageError(`${who} takes a port, as new MessageChannel() has two: port1 for one side, port2 for the other`);
}

/**
 * Where peers on MessagePorts meet; it runs in one of the threads, usually the one that starts the others.
 *
 * @public
 */
export class MessagePortHub {
  private readonly hub = new Hub();

  /**
   * Serves the peer that holds the other port of the channel.
   *
   * @throws UsageError for what is not a port.
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
