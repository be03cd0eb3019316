/**
 * Watching what is alive, in one line.
 *
 * Nothing is attached before the call, so a program that does not call it pays nothing.
 */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { isObject } from '../../machines/checks.js';
import type { Simulation } from '../../network/simulation.js';
import { serveTrace, type Served, type ServeOptions } from '../server.js';
import { LiveTrace } from './live-trace.js';
import { Inbox, type Program } from './inbox.js';
import { Outbox } from './outbox.js';
import { harmless } from './harmless.js';
import { Merger } from './merge.js';
import { headerOf, overlayRuleOf, protocolOf } from './protocol.js';
import { listenTo } from './listening.js';
import { Reached, reachNode } from './reached.js';
import { Reaching } from './reaching.js';
import { nodesAmong, now, reportNode, type Inspectable, type PeerReport, type StepReport } from './report.js';
import { Watch } from './watch.js';

/**
 * What `inspect` may be given.
 *
 * @experimental
 */
export interface InspectOptions extends Pick<ServeOptions, 'port' | 'page'> {
  /** The address of an inspector that runs already, as it was given by another `inspect`: no new page is opened. */
  readonly report?: string;
  /** What the program is called on the page: its nodes stand together, and those of its next run in their place. Its file unless given. */
  readonly program?: string;
  /**
   * Lets the page reach in: pause the nodes, hold up, delay, double and drop what comes to them, issue commands. Whoever can open the page
   * can do so; off unless given.
   */
  readonly reach?: boolean;
}

const run = randomUUID();
const programOf = (name = basename(process.argv[1] ?? 'program')): Program => ({ name, run });

/**
 * Shows what is alive on a page of its own: a node or several of this process, or a simulation before it runs; with `report`, on
 * the page of another `inspect`.
 *
 * @returns the address to open, and `close`.
 * @throws UsageError for no node, when the port is in use, and when no inspector listens at `report`; nothing is watched then. Reports to an
 * inspector that is busy wait, 32 MB at most, until it answers.
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
  what: Inspectable | readonly Inspectable[] | Simulation,
  { report, program: name, reach = false, ...options }: InspectOptions = {},
): Promise<Served> {
  if (isSimulation(what)) return inspectSimulation(what, options);
  const nodes = nodesAmong('inspect', what);
  // A node that cannot start has nothing to show, and says so itself.
  await Promise.allSettled(nodes.map(({ ready }) => ready));
  const program = programOf(name);
  return report === undefined ? inspectNodes(nodes, program, reach, options) : reportTo(report, program, reach, nodes);
}

const isSimulation = (what: unknown): what is Simulation => isObject(what) && 'monitor' in what && 'network' in what;

/** What has failed to begin leaves nothing behind: neither something that listens nor a timer. */
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
    serveTrace(() => watch.trace.text(), options),
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

async function inspectNodes(
  nodes: readonly Inspectable[],
  program: Program,
  reach: boolean,
  options: ServeOptions,
): Promise<Served> {
  const [first] = nodes as readonly [Inspectable];
  const { instance } = first;
  const began = now();
  const protocol = await protocolOf(first.protocol);
  const merger = new Merger(began, (line) => trace.add(line), overlayRuleOf(protocol, instance), instance.topology.links);
  const trace = new LiveTrace({ ...headerOf(protocol, first), began }, () => merger.standing());
  const inbox = new Inbox(merger);
  const reaching = new Reaching(merger, inbox);
  const { stop, reached } = told(nodes, reach, (report) => inbox.put(report, program));
  if (reached) reaching.listenHere(program, reached);
  const end = () => {
    stop();
    inbox.close();
    trace.end();
  };
  const serving = serveTrace(() => trace.text(), { ...options, reaching, report: (reports) => inbox.putAll(reports) });
  const served = await orElse(serving, end);
  return {
    url: served.url,
    async close() {
      end();
      await served.close();
    },
  };
}

async function reportTo(url: string, program: Program, reach: boolean, nodes: readonly Inspectable[]): Promise<Served> {
  const outbox = new Outbox(url, program);
  const { stop, reached } = told(nodes, reach, (report) => outbox.put(report));
  await orElse(outbox.connect(), () => {
    stop();
    outbox.kill();
  });
  const stopListening = reached ? listenTo(url, program, reached) : () => {};
  return {
    url,
    async close() {
      stopListening();
      stop();
      await outbox.close();
    },
  };
}

/** Reports the nodes and, where they are to be reached, opens them to gestures, until `stop`; whatever fails here, the nodes go on. */
function told(nodes: readonly Inspectable[], reach: boolean, put: (report: StepReport | PeerReport) => void) {
  const reached = reach ? new Reached() : null;
  const report = harmless(put);
  const stops = nodes.flatMap((node) => [...(reached ? [reachNode(node, reached, report)] : []), reportNode(node, report)]);
  return { reached, stop: () => stops.forEach((stop) => stop()) };
}

export type { Inspectable };
