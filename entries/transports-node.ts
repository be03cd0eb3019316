/** `xstate-quiver/transports/node`: the hub and the mesh, which listen at a port. They need the package `ws`. */
export { webSocketHub } from '../adapters/transports/web-socket-hub.js';
export { webSocketMesh } from '../adapters/transports/web-socket-mesh.js';
