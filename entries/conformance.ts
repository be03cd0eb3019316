/** `xstate-quiver/transports/conformance`: the tests that every transport passes. */
export { transportConformance } from '../adapters/transports/conformance.js';
