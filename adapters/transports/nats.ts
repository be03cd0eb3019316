/**
 * Peers that reach one another through NATS, core subjects only: from one server to clusters of them across continents.
 *
 *     import { connect } from '@nats-io/transport-node';
 *     const transport = nats({ id: 'a', connection: () => connect({ servers, maxReconnectAttempts: -1 }) });
 *
 * The connection is yours to configure, in a browser with `wsconnect` of `@nats-io/nats-core`; the transport closes it. Each peer
 * listens on a subject of its own. Core NATS delivers at most once: what is sent while the server or the other peer is away is lost,
 * so put the link layer on top. Anybody who may publish to the subjects can speak for anybody: see `sealed`.
 */
import type { NatsConnection } from '@nats-io/nats-core';
import type { NodeId } from '../../machines/effects.js';
import { createTransport } from './driver.js';
import { ConnectionError } from './errors.js';
import { FrameReader, frameText, topicToken } from './frame.js';
import { FRAME_BYTES_MAX, MESSAGE_BYTES_MAX } from './reading.js';
import type { Transport } from './transport.js';

export const natsGuarantees = {
  order: 'fifo',
  loss: 'possible',
  duplication: 'none',
  presence: 'none',
  identity: 'claimed',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

export interface NatsOptions {
  readonly id: NodeId;
  readonly connection: () => Promise<NatsConnection>;
  /** The first token of all subjects. */
  readonly subject?: string;
}

export const nats = ({ id, connection, subject = 'quiver' }: NatsOptions): Transport<typeof natsGuarantees> =>
  createTransport(id, natsGuarantees, async (medium, signal) => {
    const made = await connection().catch((error: Error) => {
      throw new ConnectionError(`peer "${id}" has no connection to NATS: ${error.message}`, { cause: error });
    });
    if (signal.aborted) {
      await made.close();
      return;
    }
    const { max_payload: bytesMax = FRAME_BYTES_MAX } = made.info ?? {};
    if (bytesMax < FRAME_BYTES_MAX) {
      await made.close();
      throw new ConnectionError(
        `the NATS server of peer "${id}" takes frames of ${bytesMax} bytes; set its max_payload to ${FRAME_BYTES_MAX} or more`,
      );
    }
    const reader = new FrameReader(id, medium);
    made.subscribe(`${subject}.${topicToken(id)}`, {
      callback: (error, message) => {
        if (error) medium.broke(new ConnectionError(`NATS refuses peer "${id}" its subject: ${error.message}`));
        else reader.read(message.string());
      },
    });
    void made
      .closed()
      .then((error) =>
        medium.lost(new ConnectionError(`the NATS connection of peer "${id}" ended: ${error?.message ?? 'closed'}`)),
      );
    // The subscription stands once the server has answered.
    await made.flush();
    medium.opened({
      send: (to, _, text) => made.publish(`${subject}.${topicToken(to)}`, frameText(id, text)),
      close: () => made.close(),
    });
  });
