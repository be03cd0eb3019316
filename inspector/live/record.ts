/**
 * The run of live nodes as a trace that `quiver verify` checks and the inspector shows.
 *
 * It takes the nodes of one process. What comes from nodes elsewhere is told as placed on the wire: then every step of these nodes can
 * be checked, and only the properties that ask for all nodes cannot. For one trace of several processes let them report to an
 * inspector (`inspect`), and save what it serves.
 */
import { UsageError } from '../../machines/errors.js';
import type { TraceHeader, TraceLine } from '../../network/trace.js';
import { Merger } from './merge.js';
import { headerOf, overlayRuleOf } from './protocol.js';
import { nodesAmong, now, reportNode, type Inspectable } from './report.js';

/**
 * A recording that goes on until it is closed, or its nodes are.
 *
 * @experimental
 */
export interface Recording {
  /** Records no more. */
  close(): void;
}

/**
 * The run of live nodes as a trace that `quiver verify` checks and the inspector shows. Call it as soon as the nodes are made.
 *
 * @param write is given each line with its line break, the header first.
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
 * recording.close();
 * await locks.close();
 * ```
 * @experimental
 */
export function record(what: Inspectable | readonly Inspectable[], write: (text: string) => void): Recording {
  const nodes = nodesAmong('record', what);
  const [first] = nodes;
  for (const node of nodes) {
    if (Object.keys(node.view()).length > 0)
      throw new UsageError(`record: node "${node.id}" has started already; record it as soon as it is made`);
  }
  const put = (line: TraceHeader | TraceLine) => write(`${JSON.stringify(line)}\n`);
  const merger = new Merger(now(), put, overlayRuleOf(first.protocol, first.instance), first.instance.topology.links);
  put(headerOf(first));
  const stops = nodes.map((node) => reportNode(node, (report) => merger.take(report)));
  return {
    close() {
      for (const stop of stops) stop();
    },
  };
}
