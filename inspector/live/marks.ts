/**
 * The marks of a live node on a page that shows several protocols: who holds, who waits, who leads. The program of the node adds them to
 * its reports, since the inspector does not know the protocol.
 */
import type { NodeId } from '../../machines/effects.js';
import type { NodeView, Overlay } from '../../machines/protocol.js';
import { completeProtocol, overlayRuleOf } from './protocol.js';
import { changed, type Inspectable, type PeerReport, type StepReport } from './report.js';

type Report = StepReport | PeerReport;

/** Adds marks to the reports of a node. Reports wait, in order, until the protocol has been loaded. */
export function withMarks(node: Inspectable, put: (report: Report) => void): (report: Report) => void {
  const waiting: Report[] = [];
  let marksOf: ((report: StepReport) => Overlay | undefined) | null = null;
  const take = (report: Report) => {
    const overlay = report.kind === 'peer' ? undefined : marksOf!(report);
    put(overlay ? { ...(report as StepReport), overlay } : report);
  };
  const loaded = completeProtocol(node.protocol).then(
    (protocol) => overlayRuleOf(protocol, node.instance),
    () => () => undefined,
  );
  void loaded.then((rule) => {
    let view: NodeView = {};
    marksOf = ({ roles, ports = {} }) => {
      view = changed(view, roles);
      return rule(node.id, view, { nodes: new Map([[node.id, view]]), inFlight: [], ports: new Map([[node.id, ports]]) });
    };
    for (const report of waiting.splice(0)) take(report);
  });
  return (report) => {
    if (marksOf) take(report);
    else waiting.push(report);
  };
}

/** The same marks with other names of the nodes that they point to. */
export const renamed = ({ pointers, edges, ...marks }: Overlay, name: (id: NodeId) => NodeId): Overlay => ({
  ...marks,
  ...(pointers && { pointers: pointers.map((pointer) => ({ ...pointer, to: name(pointer.to) })) }),
  ...(edges && { edges: edges.map((edge) => ({ ...edge, to: name(edge.to) })) }),
});
