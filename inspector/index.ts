/** The inspector: watch a network of statecharts in the browser. */
export { handsFor, type Hands, type Offer } from './hands.js';
export { inspect, type Inspectable, type InspectOptions } from './live/inspect.js';
export { record, type Recording } from './live/record.js';
export { traceOfPaths, type WalkedPath } from './path-trace.js';
export { serveTrace, type Served, type ServeOptions, type TraceSource } from './server.js';
export { receiveInspection, type Receiving } from './stately/receive.js';
