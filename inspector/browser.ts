/**
 * Reports XState actors of a browser, or of any runtime with WebSocket, to an inspector that runs on this machine: one import, no
 * window, nothing of Node.js.
 *
 * @module xstate-quiver/inspector/browser
 */
import type { InspectionEvent } from 'xstate';
import { readAddress } from './live/address.js';
import { reportActors, reporterOf } from './live/actors.js';
import { harmless } from './live/harmless.js';
import { reachActors, Reached } from './live/reached.js';
import type { StepReport } from './live/report.js';
import { SocketOutbox } from './live/socket-outbox.js';

/**
 * Options of a program in a browser: the address for its reports, and its name.
 *
 * @experimental
 */
interface BrowserInspectorOptions {
  /** The address that `quiver explore --live` printed, token included. */
  readonly url: string;
  /** The name of the program on the page. @defaultValue the title of the document, its host, or "program" */
  readonly name?: string;
  /** True if viewers of the page may send events to the actors. @defaultValue false */
  readonly reach?: boolean;
}

/**
 * Reports the actors that are created with its `inspect`.
 *
 * @experimental
 */
interface BrowserInspector {
  /** The option `inspect` of `createActor`, `useMachine` or `useActorRef`. */
  readonly inspect: (event: InspectionEvent) => void;
  /** Stops the reports and closes the connection. */
  close(): void;
}

/**
 * Connects to an inspector and returns `inspect` for `createActor` and `useMachine`. The child actors of an actor report with it.
 * Reports wait, 32 MB at most, while the inspector is busy or away.
 *
 * @throws UsageError when `url` is not an address. In a runtime without `WebSocket` it warns and reports nothing.
 * @example
 * ```ts
 * import { createActor, createMachine } from 'xstate';
 * import { createInspector } from 'xstate-quiver/inspector/browser';
 *
 * const { inspect, close } = createInspector({ url: 'http://127.0.0.1:4000/TOKEN/' });
 * const actor = createActor(createMachine({ id: 'app' }), { inspect }).start();
 * actor.stop();
 * close();
 * ```
 * @experimental
 */
export function createInspector(options: BrowserInspectorOptions): BrowserInspector {
  const opened = open('createInspector', options);
  if (!opened) return { inspect: () => {}, close: () => {} };
  const { outbox, reach } = opened;
  const { receive, stop } = reporterOf(
    harmless((report: StepReport) => outbox.put(report)),
    reach,
  );
  const close = () => {
    stop();
    outbox.close();
  };
  return { inspect: receive, close };
}

/**
 * Reports every actor that starts from now on, whatever creates it. Call it before the program starts its first actor.
 *
 * @returns `close`, which stops the reports.
 * @throws UsageError when `url` is not an address. In a runtime without `WebSocket` it warns and reports nothing.
 * @example
 * ```ts
 * import { inspectAll } from 'xstate-quiver/inspector/browser';
 *
 * const { close } = inspectAll({ url: 'http://127.0.0.1:4000/TOKEN/' });
 * close();
 * ```
 * @experimental
 */
export function inspectAll(options: BrowserInspectorOptions): Pick<BrowserInspector, 'close'> {
  const opened = open('inspectAll', options);
  if (!opened) return { close: () => {} };
  const { outbox, reach } = opened;
  const stop = reportActors(
    harmless((report) => outbox.put(report)),
    reach,
  );
  const close = () => {
    stop();
    outbox.close();
  };
  return { close };
}

function open(caller: string, { url, name, reach: isReachable = false }: BrowserInspectorOptions) {
  const address = readAddress(caller, url);
  if (typeof WebSocket === 'undefined') {
    console.warn(
      `quiver: ${caller} reports nothing, because this runtime has no WebSocket. Use Node.js 22 or later, or a browser.`,
    );
    return null;
  }
  const { document, location } = globalThis as Partial<typeof globalThis>;
  const run = `${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
  const program = { name: name ?? (document?.title || location?.host || 'program'), run };
  const reached = isReachable ? new Reached() : null;
  return { outbox: new SocketOutbox(address, program, reached), reach: reached ? reachActors(reached) : undefined };
}
