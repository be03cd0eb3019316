/**
 * A driver whose connection is made again when it is lost, for as long as the transport is open.
 *
 * In between every peer is down and what is sent is lost; the link layer above knows how to live with that. Pauses grow from a tenth
 * of a second to five, by chance a little shorter, so that a thousand clients do not come back to a hub in the same moment.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Connection, Driver, Medium } from './driver.js';

const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 5_000;

export function reconnecting(driver: Driver): Driver {
  return async (medium, signal) => {
    const peers = new Set<NodeId>();
    let connection: Connection | undefined;
    let hasOpened = false;
    let failures = 0;

    const inner: Medium = {
      opened: (made) => {
        connection = made;
        failures = 0;
        if (!hasOpened) medium.opened({ send: (to, message) => connection?.send(to, message), close: () => connection?.close() });
        hasOpened = true;
      },
      received: (from, message) => medium.received(from, message),
      up: (peer) => {
        peers.add(peer);
        medium.up(peer);
      },
      down: (peer) => {
        peers.delete(peer);
        medium.down(peer);
      },
      lost: (error) => {
        connection = undefined;
        for (const peer of peers) medium.down(peer);
        peers.clear();
        if (hasOpened) tryLater();
        else medium.lost(error);
      },
      broke: (error) => medium.broke(error),
    };

    const tryLater = () => {
      if (signal.aborted) return;
      const pause = Math.min(PAUSE_MIN_MS * 2 ** failures++, PAUSE_MAX_MS) * (1 - Math.random() / 4);
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop);
        Promise.resolve(driver(inner, signal)).catch(tryLater);
      }, pause);
      const stop = () => clearTimeout(timer);
      signal.addEventListener('abort', stop, { once: true });
    };

    await driver(inner, signal);
  };
}
