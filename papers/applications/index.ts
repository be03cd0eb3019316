/** Applications of the papers as protocols: `quiver run FILE --protocol dist/papers/applications/index.js`. */
export { diffusion } from './diffusion.js';
export { mobileObject } from './mobile-object.js';
export { multicast } from './multicast.js';
