/**
 * `xstate-quiver/transports`: transports that also run in a browser, layers such as `linked` and `sealed`, and tools for your own
 * transport.
 *
 * @module xstate-quiver/transports
 */
export { createTransport, type DriverListener } from '../adapters/transports/driver.js';
export type { Json, Transport } from '../adapters/transports/transport.js';
export {
  BackpressureError,
  ClosedError,
  ConfigurationError,
  ConnectionError,
  ForgottenError,
  LostError,
  StorageError,
} from '../adapters/transports/errors.js';
export { broadcastChannel } from '../adapters/transports/broadcast-channel.js';
export { InProcessBus } from '../adapters/transports/in-process.js';
export { MessagePortHub, messagePort } from '../adapters/transports/message-port.js';
export { mqtt } from '../adapters/transports/mqtt.js';
export { nats } from '../adapters/transports/nats.js';
export { webSocket } from '../adapters/transports/web-socket.js';
export { linked } from '../adapters/linked.js';
export { withMedium } from '../adapters/transports/medium.js';
export { sealed } from '../adapters/transports/sealed.js';
