/**
 * The marks of a live node on a page that shows several protocols: who holds, who waits, who leads. The program of the node adds them to
 * its reports, since the inspector does not know the protocol.
 */
import type { NodeId } from '../../machines/effects.js';
import type { NodeView, Overlay } from '../../machines/protocol.js';
import { viewAfter } from '../../network/trace.js';
import { completeProtocol, overlayRuleOf } from './protocol.js';
import type { Inspectable, PeerReport, StepReport } from './report.js';

type Report = StepReport | PeerReport;

/** Adds marks to the reports of a node. Reports wait, in order, until the protocol has been loaded. */
export function withMarks(node: Inspectable, put: (report: Report) => void): (report: Report) => void {
  const waiting: Report[] = [];
  let take = (report: Report): void => void waiting.push(report);
  const loaded = completeProtocol(node.protocol).then(
    (protocol) => overlayRuleOf(protocol, node.instance),
    () => () => undefined,
  );
  void loaded.then((rule) => {
    let view: NodeView = {};
    take = (report) => {
      if (report.kind === 'peer') return put(report);
      view = viewAfter(view, report.roles);
      const { ports = {} } = report;
      const known = { nodes: new Map([[node.id, view]]), inFlight: [], ports: new Map([[node.id, ports]]) };
      const overlay = rule(node.id, view, known);
      put(overlay ? { ...report, overlay } : report);
    };
    waiting.forEach(take);
  });
  return (report) => take(report);
}

/** The same marks with other names of the nodes that they point to. */
export const renamed = ({ pointers, edges, ...marks }: Overlay, name: (id: NodeId) => NodeId): Overlay => ({
  ...marks,
  ...(pointers && { pointers: pointers.map((pointer) => ({ ...pointer, to: name(pointer.to) })) }),
  ...(edges && { edges: edges.map((edge) => ({ ...edge, to: name(edge.to) })) }),
});
