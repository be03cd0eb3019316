/** What each medium promises, side by side: the `guarantees` of its transports, to which `transportConformance` holds them. */
import { MESSAGE_BYTES_MAX } from './reading.js';

/** What the bus in one process promises. */
export const inProcessGuarantees = {
  order: 'fifo',
  loss: 'none',
  duplication: 'none',
  presence: 'reported',
  identity: 'checked',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** What message ports with a hub promise. */
export const messagePortGuarantees = {
  order: 'fifo',
  loss: 'none',
  duplication: 'none',
  presence: 'reported',
  identity: 'checked',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** What a BroadcastChannel promises. */
export const broadcastChannelGuarantees = {
  order: 'fifo',
  loss: 'possible',
  duplication: 'none',
  presence: 'none',
  identity: 'claimed',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** What WebSockets by way of a hub promise. */
export const webSocketGuarantees = {
  order: 'fifo',
  loss: 'possible',
  duplication: 'none',
  presence: 'reported',
  identity: 'checked',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** What a mesh promises. */
export const webSocketMeshGuarantees = {
  order: 'fifo',
  loss: 'possible',
  duplication: 'none',
  presence: 'reported',
  identity: 'checked',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** What NATS promises. */
export const natsGuarantees = {
  order: 'fifo',
  loss: 'possible',
  duplication: 'none',
  presence: 'none',
  identity: 'claimed',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** What MQTT promises. */
export const mqttGuarantees = {
  order: 'fifo',
  loss: 'possible',
  duplication: 'possible',
  presence: 'none',
  identity: 'claimed',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;
