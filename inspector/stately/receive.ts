/**
 * A server with an inspector page for any program. Programs report to it through QUIVER_INSPECT, or through Stately's `@statelyai/inspect`.
 */
import { LiveTrace } from '../live/live-trace.js';
import { Inbox, programKey, type BatchAnswer, type Program, type SocketBatch } from '../live/inbox.js';
import { Merger } from '../live/merge.js';
import { PROGRAMS } from '../live/protocol.js';
import { Reaching } from '../live/reaching.js';
import { now } from '../live/report.js';
import { serveTrace, type Served, type ServeOptions } from '../server.js';
import type { ProgramConnection } from '../sockets.js';
import { parseRecord, StatelyReader } from './reader.js';

export interface Receiving extends Served {
  /** For `createWebSocketInspector({ url })`. */
  readonly socket: string;
}

/** A batch names its program first. */
const BATCH_START = '{"program":';

/**
 * Serves a page for any program: `url` is to open, and to give to programs in QUIVER_INSPECT; `socket` is for
 * `createWebSocketInspector` of `@statelyai/inspect`.
 *
 * @param options the port and the address of the server.
 * @returns the server with its `url` and `close`.
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
export async function receiveInspection(options: Pick<ServeOptions, 'port' | 'address' | 'page'> = {}): Promise<Receiving> {
  const began = now();
  const merger = new Merger(began, (line) => trace.add(line));
  const inbox = new Inbox(merger);
  const trace = new LiveTrace({ ...PROGRAMS, began }, () => merger.standing());
  const names = new Set<string>();
  const inUse = new Set<number>();
  const speakStately = () => {
    // Every program that connects numbers its own actors and sends no name.
    let number = 1;
    while (inUse.has(number)) number++;
    inUse.add(number);
    const name = number === 1 ? 'program' : `program (${number})`;
    return { reader: new StatelyReader(merger, now, names, name), giveBack: () => void inUse.delete(number) };
  };
  const current: Current = new Map();
  const reaching = new Reaching(merger, inbox);
  const connect = (reply: (text: string) => void) => connection({ inbox, reaching, current, speakStately }, reply);
  const refused = (why: string) => {
    console.warn(`quiver: ${why}`);
    merger.refuse(why, now());
  };
  const report = (batch: unknown) => inbox.putAll(batch);
  const written = () => trace.written;
  const served = await serveTrace(() => trace.text(), { ...options, connect, refused, report, reaching, written });
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

/** The connection over which each program reports now: an older one may end later. */
type Current = Map<string, ProgramConnection>;

interface Receiver {
  readonly inbox: Inbox;
  readonly reaching: Reaching;
  readonly current: Current;
  speakStately(): { readonly reader: StatelyReader; readonly giveBack: () => void };
}

/** A program sends batches, as `xstate-quiver/inspector/browser` does, or single events of `@statelyai/inspect`. */
function connection({ inbox, reaching, current, speakStately }: Receiver, reply: (text: string) => void): ProgramConnection {
  let program: Program | null = null;
  let stately: ReturnType<typeof speakStately> | null = null;
  let stopListening: (() => void) | null = null;
  const one: ProgramConnection = {
    take(text) {
      if (!text.startsWith(BATCH_START)) return (stately ??= speakStately()).reader.read(text);
      const batch = parseRecord(text) as Partial<SocketBatch>;
      if (batch.answer !== undefined) return reaching.answered(batch.answer);
      const answer: BatchAnswer = { isTaken: inbox.putAll(batch, Infinity), number: batch.number };
      program = batch.program!;
      current.set(programKey(program), one);
      if (batch.isReachable) stopListening ??= reaching.listen(program, (order) => reply(JSON.stringify(order)));
      reply(JSON.stringify(answer));
    },
    end(isLost) {
      stopListening?.();
      stately?.reader.close();
      stately?.giveBack();
      if (!program || current.get(programKey(program)) !== one) return;
      current.delete(programKey(program));
      inbox.leave(program, isLost);
    },
  };
  return one;
}
