/** The `guarantees` of all media side by side. `transportConformance` tests each transport against them. */
import { MESSAGE_BYTES_MAX } from './reading.js';

/** The guarantees of the bus for peers in one process. */
export const inProcessGuarantees = {
  order: 'fifo',
  loss: 'none',
  duplication: 'none',
  presence: 'reported',
  identity: 'checked',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** The guarantees of MessagePorts with a hub in one of the threads. */
export const messagePortGuarantees = { ...inProcessGuarantees } as const;

/** The guarantees of the BroadcastChannel transport between tabs, which does not report other tabs. */
export const broadcastChannelGuarantees = {
  order: 'fifo',
  loss: 'possible',
  duplication: 'none',
  presence: 'none',
  identity: 'claimed',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

/** The guarantees of the WebSocket transport through a hub. Messages in flight are lost when a connection breaks. */
export const webSocketGuarantees = { ...inProcessGuarantees, loss: 'possible' } as const;

/** The guarantees of the WebSocket mesh. Messages in flight are lost when a connection breaks. */
export const webSocketMeshGuarantees = { ...webSocketGuarantees } as const;

/** The guarantees of the NATS transport. Messages may be lost, and NATS does not report peers. */
export const natsGuarantees = { ...broadcastChannelGuarantees } as const;

/** The guarantees of the MQTT transport. Messages may be lost and duplicated, and MQTT does not report peers. */
export const mqttGuarantees = { ...broadcastChannelGuarantees, duplication: 'possible' } as const;
