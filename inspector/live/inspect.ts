/**
 * Observation of live nodes, in one line.
 *
 * Nothing is attached before the call, so a program without the call has no cost.
 */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { Simulation } from '../../network/simulation.js';
import type { TraceHeader } from '../../network/trace.js';
import { serveTrace, type Served, type ServeOptions } from '../server.js';
import { isCluster, reportCluster, type InspectableCluster } from './cluster-report.js';
import { LiveTrace } from './live-trace.js';
import { Inbox, type Program } from './inbox.js';
import { Outbox } from './outbox.js';
import { harmless } from './harmless.js';
import { Merger, type OverlayRule } from './merge.js';
import { withMarks } from './marks.js';
import { headerOf, overlayRuleOf, completeProtocol, PROGRAMS } from './protocol.js';
import { listenTo } from './listening.js';
import { reachNode } from './gate.js';
import { Reached } from './reached.js';
import { Reaching } from './reaching.js';
import { nodesAmong, now, reportNode, type Inspectable, type PeerReport, type StepReport } from './report.js';
import { Watch } from './watch.js';

/**
 * Options for `inspect`.
 *
 * @experimental
 */
export interface InspectOptions extends Pick<ServeOptions, 'port' | 'page'> {
  /** The address of a running inspector, as another `inspect` returned it. No new page is opened. */
  readonly report?: string;
  /**
   * Name of the program on the page, which groups its nodes. Its next run replaces them.
   *
   * @defaultValue the file of the program
   */
  readonly program?: string;
  /**
   * Allows gestures from the page: pause nodes, delay, duplicate and drop messages, issue commands. Anyone who can open the page can
   * perform them.
   *
   * @defaultValue false
   */
  readonly reach?: boolean;
}

const run = randomUUID();
const programOf = (name = basename(process.argv[1] ?? 'program')): Program => ({ name, run });

/**
 * Shows live nodes or clusters of this process, or a simulation before it runs, on a page. With `report`, they appear on the page of
 * another `inspect`. Reports to a busy inspector wait until it answers, up to 32 MB.
 *
 * @param what a node, several nodes, or a simulation.
 * @param options the address of the inspector.
 * @returns the address to open, and `close`.
 * @throws UsageError if no node is given, for `reach` with a cluster, if the port is in use, or if no inspector listens at `report`.
 * Nothing is observed then.
 * @example
 * ```ts
 * import { InProcessBus } from 'xstate-quiver/transports';
 * import { createLocks } from 'xstate-quiver/locks';
 * import { inspect } from 'xstate-quiver/inspector';
 *
 * const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const { url, close } = await inspect(locks.node);
 * console.log(`open ${url}`);
 * await close();
 * await locks.close();
 * ```
 * @experimental
 */
export async function inspect(
  what: Inspectable | readonly Inspectable[] | InspectableCluster | readonly InspectableCluster[] | Simulation,
  { report, program: name, reach = false, ...options }: InspectOptions = {},
): Promise<Served> {
  if (isSimulation(what)) return inspectSimulation(what, options);
  const parts = partsOf(what);
  if (reach && parts.some(isCluster))
    throw new UsageError(
      'inspect: a page cannot change a cluster. Remove reach: true, and send events with cluster.actor(…).send.',
    );
  // A node that fails to start has nothing to show, and reports its own error.
  await Promise.allSettled(parts.map(({ ready }) => ready));
  const program = programOf(name);
  return report === undefined ? inspectParts(parts, program, reach, options) : reportTo(report, program, reach, parts);
}

type Part = Inspectable | InspectableCluster;
type Parts = readonly [Part, ...Part[]];

/** The nodes, or the clusters. */
function partsOf(what: Part | readonly Part[]): Parts {
  const parts = [what].flat() as readonly Part[];
  if (!parts.some(isCluster)) return nodesAmong('inspect', parts as readonly Inspectable[]);
  if (parts.every(isCluster)) return parts as Parts;
  throw new UsageError(
    'inspect takes nodes or clusters, not both at once. Show the nodes with a second call, inspect(nodes, { report: url }).',
  );
}

const isSimulation = (what: unknown): what is Simulation => isObject(what) && 'monitor' in what && 'network' in what;

/** Undoes a beginning that failed, so that no listener and no timer remains. */
async function orElse<T>(beginning: Promise<T>, undo: () => void): Promise<T> {
  try {
    return await beginning;
  } catch (error) {
    undo();
    throw error;
  }
}

async function inspectSimulation(simulation: Simulation, options: ServeOptions): Promise<Served> {
  const watch = new Watch(simulation);
  const served = await orElse(
    serveTrace(() => watch.trace.text(), { ...options, written: () => watch.trace.written }),
    () => watch.stop(),
  );
  return {
    url: served.url,
    async close() {
      watch.stop();
      await served.close();
    },
  };
}

async function inspectParts(parts: Parts, program: Program, reach: boolean, options: ServeOptions): Promise<Served> {
  const began = now();
  const { header, marks } = await pageOf(parts);
  const merger = new Merger(began, (line) => trace.add(line), marks, header.links);
  const trace = new LiveTrace({ ...header, began }, () => merger.standing());
  const inbox = new Inbox(merger);
  const reaching = new Reaching(merger, inbox);
  const { stop, reached } = reportAll(parts, { reach, isElsewhere: false }, (report) => inbox.put(report, program));
  if (reached) reaching.listenHere(program, reached);
  const end = () => {
    stop();
    inbox.close();
    trace.end();
  };
  const written = () => trace.written;
  const serving = serveTrace(() => trace.text(), { ...options, reaching, written, report: (reports) => inbox.putAll(reports) });
  const served = await orElse(serving, end);
  return {
    url: served.url,
    async close() {
      end();
      await served.close();
    },
  };
}

/** The header of the page, and the rule of its marks. */
async function pageOf(parts: Parts): Promise<{ readonly header: TraceHeader; readonly marks?: OverlayRule }> {
  const [first, ...others] = parts.filter((part): part is Inspectable => !isCluster(part));
  if (!first) return { header: PROGRAMS };
  const protocol = await completeProtocol(first.protocol);
  return { header: headerOf(protocol, [first, ...others]), marks: overlayRuleOf(protocol, first.instance) };
}

async function reportTo(url: string, program: Program, reach: boolean, parts: Parts): Promise<Served> {
  const outbox = new Outbox(url, program);
  // So that the marks of the first reports need no wait.
  await Promise.all(parts.flatMap((part) => (isCluster(part) ? [] : [completeProtocol(part.protocol)])));
  const { stop, reached } = reportAll(parts, { reach, isElsewhere: true }, (report) => outbox.put(report));
  await orElse(outbox.connect(), () => {
    stop();
    outbox.kill();
  });
  const stopListening = reached ? listenTo(outbox.inspector.page, program, reached) : () => {};
  return {
    url,
    async close() {
      stopListening();
      stop();
      await outbox.close();
    },
  };
}

interface ReportingOptions {
  readonly reach: boolean;
  readonly isElsewhere: boolean;
}

/**
 * Reports nodes and clusters until `stop`, and opens nodes to gestures on request. An error here does not affect them. `isElsewhere`: the
 * page is of another process, which may show other protocols.
 */
function reportAll(parts: Parts, { reach, isElsewhere }: ReportingOptions, put: (report: StepReport | PeerReport) => void) {
  const reached = reach ? new Reached() : null;
  const report = harmless(put);
  const stops = parts.flatMap((part) => {
    if (isCluster(part)) return [reportCluster(part, report)];
    return [
      ...(reached ? [reachNode(part, reached, report)] : []),
      reportNode(part, isElsewhere ? withMarks(part, report) : report),
    ];
  });
  return { reached, stop: () => stops.forEach((stop) => stop()) };
}

export type { Inspectable };
