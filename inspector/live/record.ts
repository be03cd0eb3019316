/**
 * Records the run of live nodes as a trace that `quiver verify` checks and the inspector shows.
 *
 * All nodes are in this process. A message from elsewhere appears as placed on the wire. The verifier can check every step of the recorded
 * nodes, but not properties that need all nodes. For one trace of several processes, let them report to an inspector (`inspect`) and save
 * its trace.
 */
import { UsageError } from '../../machines/errors.js';
import type { TraceHeader, TraceLine } from '../../network/trace.js';
import { Merger } from './merge.js';
import { headerOf, overlayRuleOf, completeProtocol } from './protocol.js';
import { nodesAmong, now, reportNode, type Inspectable, type PeerReport, type StepReport } from './report.js';

/**
 * A recording, which lasts until it or its nodes are closed.
 *
 * @experimental
 */
export interface Recording {
  /** Stops recording. Resolves when every line has been written. */
  close(): Promise<void>;
}

/**
 * The run of live nodes as a trace that `quiver verify` checks and the inspector shows. Call it as soon as the nodes are made.
 *
 * @param write is given each line with its line break, the header first.
 * @returns the recording, which `close` stops.
 * @throws UsageError for no node, and for one that has started already.
 * @example
 * ```ts
 * import { InProcessBus } from 'xstate-quiver/transports';
 * import { createLocks } from 'xstate-quiver/locks';
 * import { record } from 'xstate-quiver/inspector';
 *
 * const lines: string[] = [];
 * const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const recording = record(locks.node, (line) => lines.push(line)); // or into a file
 * await locks.request('printer', async () => {});
 * await recording.close();
 * await locks.close();
 * ```
 * @experimental
 */
export function record(what: Inspectable | readonly Inspectable[], write: (text: string) => void): Recording {
  const nodes = nodesAmong('record', what);
  const [first] = nodes;
  for (const node of nodes) {
    if (Object.keys(node.view()).length > 0)
      throw new UsageError(`record: node "${node.id}" has already started. Call record directly after creating it.`);
  }
  const put = (line: TraceHeader | TraceLine) => write(`${JSON.stringify(line)}\n`);
  const began = now();
  const early: (StepReport | PeerReport)[] = [];
  let take = (report: StepReport | PeerReport): void => {
    early.push(report);
  };
  const written = completeProtocol(first.protocol).then((protocol) => {
    put(headerOf(protocol, nodes));
    const merger = new Merger(began, put, overlayRuleOf(protocol, first.instance), first.instance.topology.links);
    take = (report) => merger.take(report);
    early.forEach(take);
  });
  const stops = nodes.map((node) => reportNode(node, (report) => take(report)));
  return {
    async close() {
      for (const stop of stops) stop();
      await written;
    },
  };
}
