/**
 * `xstate-quiver/transports/conformance`: tests to run on your own transport. Every transport of Quiver passes them.
 *
 * @module xstate-quiver/transports/conformance
 */
export { transportConformance } from '../adapters/transports/conformance.js';
