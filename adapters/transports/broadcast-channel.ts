/**
 * Tabs, frames and workers of one origin, over a BroadcastChannel; in Node, the threads of one process.
 *
 * Everybody on the channel hears everything and keeps what is addressed to it. The channel keeps its order, but tells nobody who is
 * there and holds nothing for a tab that comes later: put the link layer on top.
 */
import type { NodeId } from '../../machines/effects.js';
import { environmentOf, type InEnvironment } from '../environment.js';
import { checkOptions, environment as environmentChecks, id as idCheck, optional, someText } from '../options.js';
import { createTransport } from './driver.js';
import { FrameReader, frameText } from './frame.js';
import { broadcastChannelGuarantees } from './guarantees.js';
import { isObject } from '../../machines/checks.js';
import type { Transport } from './transport.js';

/**
 * Options for `broadcastChannel`.
 *
 * @public
 */
export interface BroadcastChannelOptions extends InEnvironment {
  /** Of this peer; every tab needs its own. */
  readonly id: NodeId;
  /** The channel that everybody opens. @defaultValue `quiver` */
  readonly channel?: string;
}

const CHECKS = { id: idCheck, channel: optional(someText), ...environmentChecks };

/**
 * Tabs, frames and workers of one origin, over a BroadcastChannel; in Node, the threads of one process. It may lose messages and
 * reports nobody's presence: `linked` puts the link layer on top.
 *
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
export function broadcastChannel(options: BroadcastChannelOptions): Transport<typeof broadcastChannelGuarantees> {
  checkOptions('broadcastChannel', options, CHECKS);
  const { id, channel = 'quiver', ...environment } = options;
  return createTransport(id, broadcastChannelGuarantees, (medium) => {
    const opened = new BroadcastChannel(channel);
    const reader = new FrameReader(id, medium, environmentOf(environment).clock);
    opened.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isObject(data) && data['to'] === id) reader.read(data['frame']);
    });
    medium.opened({
      send: (to, _, text) => opened.postMessage({ to, frame: frameText(id, text) }),
      close: () => opened.close(),
    });
  });
}
