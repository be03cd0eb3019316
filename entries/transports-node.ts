/**
 * `xstate-quiver/transports/node`: the hub and the mesh, which listen at a port. They need the package `ws`.
 *
 * @module xstate-quiver/transports/node
 */
export { webSocketHub } from '../adapters/transports/web-socket-hub.js';
export { webSocketMesh } from '../adapters/transports/web-socket-mesh.js';
