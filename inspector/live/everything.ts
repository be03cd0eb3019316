/** Reports every node, every cluster and every XState actor of this process, from the call on. */
import { randomUUID } from 'node:crypto';
import { chartDefinition } from '../../network/chart-definition.js';
import { reportActors } from './actors.js';
import { isCluster, reportCluster, type InspectableCluster } from './cluster-report.js';
import { harmless } from './harmless.js';
import type { Program } from './inbox.js';
import { renamed, withMarks } from './marks.js';
import { listenTo } from './listening.js';
import { Outbox } from './outbox.js';
import { reachNode } from './gate.js';
import { reachActors, Reached } from './reached.js';
import { loadProtocols } from './protocol.js';
import { reportNode, type Inspectable, type PeerReport, type StepReport } from './report.js';
import { asError } from '../../machines/errors.js';

/** A global place by which nodes and observers find each other without an import: see adapters/node/watchers.ts. */
const PLACE = Symbol.for('xstate-quiver.watchers');

interface Conversing extends Inspectable {
  readonly name: string;
}

/** Nodes of several conversations may have the same id. The ends of the link layer are not nodes of a protocol. */
function reportConversing(node: Conversing, report: (report: StepReport | PeerReport) => void, reached: Reached | null): void {
  const { protocol, name } = node;
  if (protocol.name === 'link') return;
  const named = (id: string) => `${id} ${name}`;
  const idOf = (named: string) => (named.endsWith(` ${name}`) ? named.slice(0, -name.length - 1) : named);
  const charts = Object.fromEntries(Object.entries(protocol.charts).map(([chart, machine]) => [chart, chartDefinition(machine)]));
  if (reached) {
    const leave = reachNode(node, reached, report, { to: named, of: idOf });
    node.steps$.subscribe({ next: () => {}, complete: leave });
  }
  const put = (one: StepReport | PeerReport) => {
    if (one.kind === 'peer')
      return report({ ...one, node: named(one.node), observation: { ...one.observation, peer: named(one.observation.peer) } });
    report({
      ...one,
      node: named(one.node),
      sent: one.sent.map((sent) => ({ ...sent, to: named(sent.to) })),
      ...(one.from !== undefined && { from: named(one.from) }),
      ...(one.peer !== undefined && { peer: named(one.peer) }),
      ...(one.peers && { peers: one.peers.map((peer) => ({ ...peer, peer: named(peer.peer) })) }),
      ...(one.overlay && { overlay: renamed(one.overlay, named) }),
      ...(one.links && { links: one.links.map(named) }),
      ...(one.kind === 'start' && { charts }),
    });
  };
  reportNode(node, withMarks(node, put));
}

interface Watched {
  /** The address of the inspector. */
  readonly url: string;
  /** The name of the program on the page. */
  readonly name: string;
  /** True if the page may perform gestures. */
  readonly reach: boolean;
}

/** Loads the protocols before the program begins, since late reports are shown in a wrong order. */
export async function reportEverything({ url, name, reach }: Watched): Promise<void> {
  const program = { name, run: randomUUID() };
  const complain = ({ message }: Error) => console.error(`quiver: QUIVER_INSPECT=${url}: ${message}`);
  const outbox = opened(url, program, complain);
  if (!outbox) return;
  await loadProtocols();
  const report = harmless((one: StepReport | PeerReport) => outbox.put(one));
  const reached = reach ? new Reached() : null;
  reportActors(report, reached ? reachActors(reached) : undefined);
  const place = globalThis as unknown as Record<symbol, Set<(made: Conversing | InspectableCluster) => void> | undefined>;
  const watch = harmless((made: Conversing | InspectableCluster) => {
    if (isCluster(made)) reportCluster(made, report, true);
    else reportConversing(made, report, reached);
  });
  (place[PLACE] ??= new Set()).add(watch);
  outbox.connect().catch(complain);
  if (reached) listenTo(outbox.inspector.page, program, reached);
}

/** A program with an invalid address continues unobserved. */
function opened(url: string, program: Program, complain: (error: Error) => void): Outbox | null {
  try {
    return new Outbox(url, program);
  } catch (error) {
    complain(asError(error));
    return null;
  }
}
