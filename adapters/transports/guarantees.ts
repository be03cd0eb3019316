/** The `guarantees` of all media side by side. `transportConformance` tests each transport against them. */
import { MESSAGE_BYTES_MAX } from './reading.js';

/** Guarantees of the bus within one process. */
export const inProcessGuarantees = {
  order: 'fifo',
  loss: 'none',
  duplication: 'none',
  presence: 'reported',
  identity: 'checked',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** Guarantees of message ports with a hub. */
export const messagePortGuarantees = {
  order: 'fifo',
  loss: 'none',
  duplication: 'none',
  presence: 'reported',
  identity: 'checked',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** Guarantees of a BroadcastChannel. */
export const broadcastChannelGuarantees = {
  order: 'fifo',
  loss: 'possible',
  duplication: 'none',
  presence: 'none',
  identity: 'claimed',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** Guarantees of WebSockets through a hub. */
export const webSocketGuarantees = {
  order: 'fifo',
  loss: 'possible',
  duplication: 'none',
  presence: 'reported',
  identity: 'checked',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** Guarantees of a WebSocket mesh. */
export const webSocketMeshGuarantees = {
  order: 'fifo',
  loss: 'possible',
  duplication: 'none',
  presence: 'reported',
  identity: 'checked',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** Guarantees of NATS. */
export const natsGuarantees = {
  order: 'fifo',
  loss: 'possible',
  duplication: 'none',
  presence: 'none',
  identity: 'claimed',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** Guarantees of MQTT. */
export const mqttGuarantees = {
  order: 'fifo',
  loss: 'possible',
  duplication: 'possible',
  presence: 'none',
  identity: 'claimed',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;
