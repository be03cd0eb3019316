/**
 * The page for any program: an address to open and to give to programs in QUIVER_INSPECT, and one to give to `@statelyai/inspect`.
 */
import { TRACE_VERSION, type TraceHeader } from '../../network/trace.js';
import { LiveTrace } from '../live/live-trace.js';
import { FreeNames } from '../live/free-names.js';
import { Inbox } from '../live/inbox.js';
import { Merger } from '../live/merge.js';
import { Reaching } from '../live/reaching.js';
import { now } from '../live/report.js';
import { serveTrace, type Served, type ServeOptions } from '../server.js';
import { StatelyReader } from './reader.js';

export interface Receiving extends Served {
  /** For `createWebSocketInspector({ url })`. */
  readonly socket: string;
}

const HEADER: TraceHeader = {
  quiver: TRACE_VERSION,
  protocol: 'programs',
  scenario: null,
  seed: 0,
  nodes: [],
  links: [],
  charts: {},
  properties: [],
  live: true,
};

/**
 * Serves a page for any program: `url` is to open, and to give to programs in QUIVER_INSPECT; `socket` is for
 * `createWebSocketInspector` of `@statelyai/inspect`.
 *
 * @throws UsageError when the port is in use or the page is not built.
 * @example
 * ```ts
 * import { receiveInspection } from 'xstate-quiver/inspector';
 *
 * const { url, socket, close } = await receiveInspection();
 * console.log(`open ${url}; createWebSocketInspector({ url: '${socket}' })`);
 * await close();
 * ```
 * @experimental
 */
export async function receiveInspection(options: Pick<ServeOptions, 'port' | 'page'> = {}): Promise<Receiving> {
  const merger = new Merger(now(), (line) => trace.add(line));
  const inbox = new Inbox(merger);
  const trace = new LiveTrace(HEADER, () => merger.standing());
  const names = new Set<string>();
  const programs = new FreeNames();
  // Every program that connects numbers its actors for itself, and says no name of its own.
  const connect = () => {
    const { name, giveBack } = programs.take('program');
    const reader = new StatelyReader(merger, now, names, name);
    const end = () => {
      reader.close();
      giveBack();
    };
    return { take: (text: string) => reader.read(text), end };
  };
  const report = (batch: unknown) => inbox.putAll(batch);
  const reaching = new Reaching(merger, inbox);
  const served = await serveTrace(() => trace.text(), { ...options, connect, report, reaching });
  return {
    url: served.url,
    socket: `${served.url.replace('http:', 'ws:')}inspect`,
    async close() {
      inbox.close();
      trace.end();
      await served.close();
    },
  };
}
