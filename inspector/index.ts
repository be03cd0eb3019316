/** The inspector: watch a network of statecharts in the browser. */
export { linesThatAnswer, type AnsweringLine } from './answering.js';
export { inspect, type InspectOptions } from './live/inspect.js';
export { record, type Recording } from './live/record.js';
export { serveTrace, type Served, type ServeOptions } from './server.js';
export { receiveInspection } from './stately/receive.js';
