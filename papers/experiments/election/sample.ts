/** The paper's sample execution (section 3.6), tick by tick: G loses its link to the leader H, searches in vain and elects itself. */
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { protocols } from '../../../machines/index.js';
import type { Height } from '../../../machines/election/height.js';
import { electionContext } from '../../../machines/election/view.js';
import type { Table } from '../experiment.js';

const links = ['AB', 'AC', 'BD', 'BE', 'CF', 'DG', 'EG', 'FG', 'GH'].map((pair) => [pair[0], pair[1]]);

export const sampleScenario = {
  protocol: 'election',
  options: { leader: 'H', hello: false },
  topology: { nodes: Array.from('ABCDEFGH'), links },
  events: [{ at: 1, do: 'cut', link: ['G', 'H'] }],
};

/** Changes at each tick: heights, without the parts that identify nodes. */
const EXPECTED: Readonly<Record<number, string>> = {
  1: 'G ((1,G,0),0,(0,H)) H ((0,0,0),0,(-1,H))',
  2: 'D E F ((1,G,0),-1,(0,H))',
  3: 'B C ((1,G,0),-2,(0,H))',
  4: 'A ((1,G,1),0,(0,H))',
  5: 'B C ((1,G,1),-1,(0,H))',
  6: 'D E F ((1,G,1),-2,(0,H))',
  7: 'G ((0,0,0),0,(-7,G))',
  8: 'D E F ((0,0,0),1,(-7,G))',
  9: 'B C ((0,0,0),2,(-7,G))',
  10: 'A ((0,0,0),3,(-7,G))',
};

const show = ({ tau, oid, r, delta, nlts, lid }: Height): string =>
  `((${tau},${oid ? oid[1] : 0},${r}),${delta},(${nlts},${lid[1]}))`;

export function sampleTable(): Table {
  const simulation = new Simulation(parseScenario(sampleScenario, protocols), { host: 'snapshots' });
  const { network, configuration } = simulation;
  const heights = () => new Map([...configuration.nodes].map(([id, node]) => [id, show(electionContext(node).height)]));
  simulation.start();
  const ticks = new Map<number, Map<string, string>>();
  let before = heights();
  while (simulation.advance()) {
    const after = heights();
    const changed = [...after].filter(([id, height]) => before.get(id) !== height);
    ticks.set(network.now, new Map([...(ticks.get(network.now) ?? []), ...changed]));
    before = after;
  }
  const { at, messages } = simulation.finish();
  const rows = [...ticks]
    .filter(([, changed]) => changed.size > 0)
    .map(([tick, changed]) => ({
      label: `tick ${tick}`,
      cells: [{ value: together(changed), expected: EXPECTED[tick] ?? null }],
    }));
  return {
    title: 'Sample execution: heights that change, tick by tick',
    columns: ['', '((tau, oid, r), delta, (nlts, lid))'],
    rows: [
      ...rows,
      { label: 'quiet at', cells: [{ value: at, expected: 11 }] },
      { label: 'Updates', cells: [{ value: messages.total, expected: 43 }] },
    ],
    note: 'The paper prints a final delta of -3 for A (erratum 11) and leaves out that H elects itself as well (12).',
  };
}

/** Groups nodes that change to the same height. */
function together(changed: ReadonlyMap<string, string>): string {
  const groups = new Map<string, string[]>();
  for (const [id, height] of [...changed].sort(([a], [b]) => (a < b ? -1 : 1)))
    groups.set(height, [...(groups.get(height) ?? []), id]);
  return [...groups].map(([height, ids]) => `${ids.join(' ')} ${height}`).join(' ');
}
