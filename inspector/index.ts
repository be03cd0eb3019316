/** The inspector: watch a network of statecharts in the browser. */
export { serveTrace, type Served, type ServeOptions, type TraceSource } from './server.js';
