/**
 * Figure 1: the two processes of a node and their bins, drawn from a run. RESOURCE-REQUEST has the local bin (l), DELIVERY-PROCESS the global bin
 * (g). An internal link connects them, and the links of the tree connect the delivery processes.
 */
import { deliveryOf, requestOf, rootBinOf } from '../../../machines/controller/view.js';
import type { Configuration } from '../../../machines/protocol.js';
import type { Drawing, DrawnArrow, DrawnPanel } from '../drawing.js';
import { stateAt } from '../state-after.js';

const SIZE = 3;
const scenario = {
  protocol: 'controller',
  topology: { kind: 'path', n: SIZE },
  options: { kind: 'basic', M: 60, W: 48 },
  events: [{ at: 0, node: 'n2', do: 'take' }],
};

const delivery = (node: string): string => `g${node.slice(1)}`;

/** Permits in the bins of each node, and the requests and refills between nodes, at a time of the run. */
export function binsAt(at: number) {
  const c: Configuration<any> = stateAt(scenario, at);
  const bins = [...c.nodes].map(([id, node], i) => ({
    local: requestOf(node, 'R')!.permits,
    global: i === 0 ? rootBinOf(c, 'R').permits : deliveryOf(node, 'R')!.permits,
    id,
  }));
  return { bins, flights: c.flights };
}

function panelAt(caption: string, at: number): DrawnPanel {
  const { bins, flights } = binsAt(at);
  const nodes = bins.flatMap(({ id, local, global }, i) => [
    { id: delivery(id), x: i, y: 0, note: String(global) },
    { id: `l${i}`, x: i, y: 1, note: String(local) },
  ]);
  const internal = bins.map((_, i): DrawnArrow => ({ from: `g${i}`, to: `l${i}`, kind: 'link' }));
  const links = bins.slice(1).map((_, i): DrawnArrow => ({ from: `g${i}`, to: `g${i + 1}`, kind: 'link' }));
  const messages = flights.map(({ from, to }): DrawnArrow => ({ from: delivery(from), to: delivery(to), kind: 'message' }));
  return { caption, nodes, arrows: [...internal, ...links, ...messages] };
}

export const schematicFigure = (): Drawing => ({
  name: 'controller-figure-1',
  title: 'Figure 1: the local (l) and global (g) bins of three nodes with their permits; the root is 0',
  panels: [panelAt('node 2 requests', 0), panelAt('node 1 forwards', 1), panelAt('the root refills', 2), panelAt('granted', 9)],
});
