/**
 * Every backbone of the Topology Zoo that `../shared/data` has, 4 to 754 nodes, with every protocol, every property watched: what it does
 * and sends is recorded, and no run takes a minute of one core. Skipped where the data is not there.
 *
 * `npm run test:deep -- test/backbones` prints the table: messages, ticks, and seconds of one core.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { protocols } from '../machines/index.js';
import type { Topology } from '../machines/protocol.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import { decodeText } from '../network/scenario/text.js';
import { topologyFiles } from '../network/topology/files.js';
import { createTopology } from '../network/topology/index.js';

const folder = new URL('../../shared/data/topologies/', import.meta.url);
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.gml')) : [];
const read = (name: string): string => decodeText(readFileSync(new URL(name, folder)));

const SECONDS_MAX = 60;
const VOTERS = 5;
const TABS = 20;
const workload = { concurrent: 10, requests: 300 };

type Parts = Readonly<Record<string, unknown>>;

/** The requests for each protocol. `name` is that of the protocol, and the text after a comma is only for the reader. */
const tasks: Readonly<Record<string, (topology: Pick<Topology, 'nodes' | 'links'>) => Parts>> = {
  controller: () => ({ options: { kind: 'basic', M: 300, W: 30 }, workload }),
  directory: () => ({ options: { policy: 'ivy', hold: 1 }, workload }),
  /** The leader loses all its links. */
  election: ({ nodes, links }) => ({
    events: links.filter((link) => link.includes(nodes[0]!)).map(([u, v]) => ({ at: 1, do: 'cut', link: [u, v] })),
  }),
  exclusion: () => ({ options: { hold: 1 }, workload }),
  /** A message over every link. */
  link: ({ links }) => ({ events: links.map(([u, v], i) => ({ at: i, do: 'post', node: u, peer: v, body: i })) }),
  /** Locks need voters that reach each other and their clients: five of them over the backbone, and all other nodes are clients. */
  locks: ({ nodes }) => {
    const [voters, clients] = [nodes.slice(0, VOTERS), nodes.slice(VOTERS)];
    const links = voters.flatMap((voter, i) => nodes.slice(i + 1).map((node) => [voter, node]));
    return { topology: { nodes, links }, options: { voters, clients, hold: 1 }, workload };
  },
  queue: ({ nodes }) => ({ workload: { ...workload, requests: nodes.length > 100 ? 100 : workload.requests } }),
  'queue, its tree stabilizing': ({ nodes }) => ({
    options: { tree: 'stabilizing' },
    workload: { ...workload, requests: nodes.length > 100 ? 10 : workload.requests },
  }),
  /** As many as a browser may have; one is closed without a word. */
  tabs: ({ nodes }) => ({
    events: [...nodes.slice(0, TABS).map((node) => ({ at: 0, do: 'arrive', node })), { at: 30, do: 'crash', node: nodes[1] }],
    until: { at: 400 },
  }),
};

/** Messages and the last tick of each. */
const recorded: Readonly<Record<string, readonly (readonly [messages: number, at: number])[]>> = {
  'Abilene.gml': [
    [504, 170],
    [1088, 598],
    [68, 19],
    [20_878, 1035],
    [151, 21],
    [3623, 1456],
    [36, 6],
    [203, 6],
    [10_630, 400],
  ],
  'Arpanet196912.gml': [
    [6, 2],
    [834, 598],
    [4, 5],
    [14_520, 1827],
    [33, 11],
    [834, 598],
    [5, 2],
    [21, 2],
    [816, 400],
  ],
  'AttMpls.gml': [
    [1334, 259],
    [1252, 601],
    [297, 29],
    [36_782, 1093],
    [1061, 61],
    [5282, 1986],
    [958, 46],
    [6774, 51],
    [43_135, 400],
  ],
  'Cogentco.gml': [
    [8158, 3763],
    [1721, 604],
    [1384, 80],
    [9028, 300],
    [13_862, 251],
    [6745, 2342],
    [8942, 85],
    [16_930, 29],
    [167_491, 400],
  ],
  'Geant2012.gml': [
    [1426, 350],
    [1357, 601],
    [373, 39],
    [15_498, 559],
    [1285, 71],
    [5993, 2204],
    [2123, 74],
    [11_279, 75],
    [53_980, 400],
  ],
  'Kdl.gml': [
    [14_780, 4902],
    [2272, 612],
    [7105, 264],
    [8194, 279],
    [167_377, 901],
    [8007, 2376],
    [80_121, 209],
    [107_745, 50],
    [570_202, 400],
  ],
  'Nsfnet.gml': [
    [812, 180],
    [1152, 601],
    [71, 15],
    [17_498, 921],
    [165, 21],
    [3954, 1567],
    [36, 4],
    [156, 4],
    [15_468, 400],
  ],
};

describe.skipIf(files.length === 0).each(files)('%s', (file) => {
  const { nodes, links } = createTopology({ file }, topologyFiles(read));
  test.each(Object.entries(tasks))('%s', (name, task) => {
    const protocol = name.split(',')[0]!;
    const begun = process.cpuUsage();
    const scenario = parseScenario({ protocol, topology: { nodes, links }, ...task({ nodes, links }) }, protocols);
    const { verdict, messages, at } = new Simulation(scenario, { host: 'snapshots' }).run();
    const { user, system } = process.cpuUsage(begun);
    const seconds = (user + system) / 1e6;
    console.log(`| ${file} | ${nodes.length} | ${name} | ${messages.total} | ${at} | ${seconds.toFixed(1)} |`);
    expect(verdict).toBe('valid');
    expect([messages.total, at]).toEqual(recorded[file]?.[Object.keys(tasks).indexOf(name)]);
    expect(seconds).toBeLessThan(SECONDS_MAX);
  });
});
