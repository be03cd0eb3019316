/**
 * A transport over a BroadcastChannel between the tabs, frames and workers of one origin; in Node, between the threads of one process.
 *
 * Every context on the channel receives all messages and keeps those addressed to it. The channel keeps its order, but does not report
 * other peers and stores nothing for a tab that opens later. Wrap the transport in `linked`.
 */
import type { NodeId } from '../../machines/effects.js';
import { environmentOf, type InEnvironment } from '../environment.js';
import { checkOptions, environment as environmentChecks, id as idCheck, optional, someText } from '../options.js';
import { createTransport } from './driver.js';
import { FrameReader, frameText } from './frame.js';
import { broadcastChannelGuarantees } from './guarantees.js';
import { newId } from './ids.js';
import { isObject } from '../../machines/checks.js';
import type { Transport } from './transport.js';

/**
 * Options for `broadcastChannel`.
 *
 * @public
 */
export interface BroadcastChannelOptions extends InEnvironment {
  /** Id of this peer. Every tab needs a unique one. @defaultValue a new id, for a client */
  readonly id?: NodeId;
  /** Name of the channel, the same for all peers. @defaultValue `quiver` */
  readonly channel?: string;
}

const CHECKS = { id: optional(idCheck), channel: optional(someText), ...environmentChecks };

/**
 * A transport over a BroadcastChannel between the tabs, frames and workers of one origin; in Node, between the threads of one process. It
 * may lose messages and does not report which peers are up: wrap it in `linked`.
 *
 * @param options the id of this peer, and the name of the channel (default `quiver`).
 * @returns a transport that is not connected yet.
 * @throws UsageError for options that are missing, wrong or unknown.
 * @example
 * ```ts
 * import { broadcastChannel } from 'xstate-quiver/transports';
 *
 * const transport = broadcastChannel({ id: crypto.randomUUID(), channel: 'printers' });
 * await transport.connect();
 * await transport.close();
 * ```
 * @public
 */
export function broadcastChannel(options: BroadcastChannelOptions = {}): Transport<typeof broadcastChannelGuarantees> {
  checkOptions('broadcastChannel', options, CHECKS);
  const { id = newId(environmentOf(options)), channel = 'quiver', ...environment } = options;
  return createTransport(id, broadcastChannelGuarantees, (medium) => {
    const opened = new BroadcastChannel(channel);
    const reader = new FrameReader(id, medium, environmentOf(environment).clock);
    opened.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isObject(data) && data['to'] === id) reader.read(data['frame']);
    });
    medium.opened({ send: (to, _, text) => opened.postMessage({ to, frame: frameText(id, text) }), close: () => opened.close() });
  });
}
