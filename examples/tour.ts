/**
 * The tour, `npm start`. Arrow, Ivy and the other Arvy policies serve the same requests on three real backbones, as live XState actors,
 * with every property watched at every step. Then the bridge, whose bound is 5, runs on a ring.
 */
import { Simulation } from '../network/simulation.js';
import { Random } from '../network/random.js';
import { parseScenario } from '../network/scenario/parse.js';
import type { Report } from '../network/report.js';
import { protocols } from '../machines/index.js';
import { ProgressLine } from '../bin/progress.js';
import { bold, dim, number, table, verdictInColor } from '../bin/style.js';

const REQUESTS = 60;
const PLACES = [
  { name: 'Abilene', topology: { kind: 'abilene' }, policies: ['arrow', 'ivy', 'middle'] },
  { name: 'NSFNET', topology: { kind: 'nsfnet' }, policies: ['arrow', 'ivy', 'middle'] },
  { name: 'GÉANT', topology: { kind: 'geant' }, policies: ['arrow', 'ivy', 'middle'] },
  { name: 'ring of 16', topology: { kind: 'ring', n: 16 }, policies: ['arrow', 'ivy', 'bridge'] },
] as const;

const COLUMNS = ['policy', 'messages', 'find cost', 'optimum', 'ratio', 'bound', 'properties'];

function run(place: (typeof PLACES)[number], policy: string, progress: ProgressLine): { report: Report; nodes: number } {
  const scenario = (requests: readonly string[]) =>
    parseScenario(
      { protocol: 'directory', topology: place.topology, options: { policy }, workload: { sequential: requests } },
      protocols,
    );
  const { nodes } = scenario([]).graph.topology;
  const random = new Random(1, place.name);
  const requests = Array.from({ length: REQUESTS }, () => random.pick(nodes));
  const simulation = new Simulation(scenario(requests));
  progress.show(`${place.name}, ${policy}`);
  return { report: simulation.run(), nodes: nodes.length };
}

function rowOf(policy: string, { messages, meters, properties, summary }: Report): string[] {
  const bound = meters[0]?.bound;
  const held = properties.filter(({ holds }) => holds).length;
  return [
    policy,
    number(messages.total),
    number(Math.round(summary['findCost'] as number)),
    number(Math.round(summary['opt'] as number)),
    number(summary['ratio'] as number),
    bound ? number(Math.round(bound)) : '—',
    `${held} of ${properties.length} hold`,
  ];
}

const progress = new ProgressLine();
const reports: Report[] = [];
console.log(bold('One token, many nodes: what it costs to find it\n'));
for (const place of PLACES) {
  const runs = place.policies.map((policy) => ({ policy, ...run(place, policy, progress) }));
  progress.done();
  reports.push(...runs.map(({ report }) => report));
  const unit = place.name.startsWith('ring') ? 'hops' : 'km';
  console.log(`${bold(place.name)} ${dim(`${runs[0]!.nodes} nodes, ${REQUESTS} requests one after the other, cost in ${unit}`)}`);
  console.log(
    `${table(
      COLUMNS,
      runs.map(({ policy, report }) => rowOf(policy, report)),
    )}\n`,
  );
}
const all = reports.every((report) => report.verdict === 'valid');
console.log(
  `${verdictInColor(all ? 'valid' : 'invalid')}  ${dim('optimum: the token carried straight from each requester to the next; bound: the paper’s, on the find cost')}`,
);
console.log(`\nWatch it:  npx quiver explore examples/scenarios/ring-ivy.json`);
console.log(`Check it:  npx quiver check examples/scenarios/three-requests.json`);
console.log(`Break it:  npx quiver check examples/scenarios/printed-deadlock.json`);
process.exitCode = all ? 0 : 1;
