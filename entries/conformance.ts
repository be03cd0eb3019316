/**
 * `xstate-quiver/transports/conformance`: the tests that every transport passes.
 *
 * @module xstate-quiver/transports/conformance
 */
export { transportConformance } from '../adapters/transports/conformance.js';
