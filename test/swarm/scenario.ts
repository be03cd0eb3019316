/**
 * A shape as the JSON of a scenario, like a file, so that a failure can be run, watched and kept.
 *
 * The faults are those that the protocol promises to tolerate. Messages are delayed where no timer depends on them. Links change if the
 * charts receive link events. Messages are lost and duplicated, and nodes pause, if the protocol needs no better network. States are
 * corrupted if the protocol defines which states those are.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Protocol, SystemSample } from '../../machines/protocol.js';
import { createTopology } from '../../network/topology/index.js';
import type { Ask, Hardship, ScenarioShape } from './shape.js';

type Json = Readonly<Record<string, unknown>>;
type Event = Json & { readonly at: number };

interface Graph {
  readonly nodes: readonly NodeId[];
  readonly links: readonly (readonly [NodeId, NodeId])[];
}

export function scenarioOf(protocol: Protocol, systems: readonly SystemSample[], shape: ScenarioShape): Json {
  const base = systems[shape.base];
  const graph = base && shape.asGiven ? graphOf(base) : graphOfShape(shape);
  const asks = shape.asks.flatMap((ask, i) => eventOfAsk(ask, i, protocol, graph));
  const hardships = shape.hardships.flatMap((hardship) => eventsOfHardship(hardship, protocol, graph));
  const isLossy = shape.isLossy && protocol.network.isLossy === true;
  return {
    protocol: protocol.name,
    ...(base?.options && { options: base.options }),
    topology: graph,
    network: {
      ...base?.network,
      latency: shape.latencyMax === 1 ? 1 : { min: 1, max: shape.latencyMax },
      ...(isLossy && { loss: 0.1, duplicate: 0.1 }),
    },
    events: [...asks, ...hardships].sort((a, b) => a.at - b.at),
    seed: shape.seed,
    until: { idle: true },
  };
}

function graphOf({ topology }: SystemSample): Graph {
  const { nodes, links } = createTopology(topology);
  return { nodes, links: links.map(([u, v]) => [u, v]) };
}

function graphOfShape({ toward, closed, chords }: ScenarioShape): Graph {
  const nodes = Array.from({ length: toward.length + 1 }, (_, i) => `n${i}`);
  const pairs = [
    ...toward.map((place, i) => [place % (i + 1), i + 1] as const),
    ...(closed ? nodes.map((_, i) => [i, (i + 1) % nodes.length] as const) : []),
    ...chords.map(([u, v]) => [u % nodes.length, v % nodes.length] as const),
  ];
  const links = new Map(
    pairs.filter(([u, v]) => u !== v).map(([u, v]) => [`${Math.min(u, v)} ${Math.max(u, v)}`, [u, v]] as const),
  );
  return { nodes, links: [...links.values()].map(([u, v]) => [nodes[u]!, nodes[v]!]) };
}

const at = <T>(list: readonly T[], place: number): T => list[place % list.length]!;

/** Requested numbers differ, so that each result can be attributed. */
function eventOfAsk(
  { at: time, node, command, peer, inFull }: Ask,
  place: number,
  { commands }: Protocol,
  { nodes, links }: Graph,
): Event[] {
  const words = Object.keys(commands);
  if (words.length === 0) return [];
  const word = at(words, command);
  const asker = at(nodes, node);
  const peers = links.flatMap(([u, v]) => (u === asker ? [v] : v === asker ? [u] : []));
  const fields = (commands[word]!.fields ?? []).filter(({ optional }) => inFull || !optional);
  const given = fields.map(({ name, type, min = 0 }) => [name, type === 'node' ? at(peers, peer) : min + place] as const);
  return [{ at: time, node: asker, do: word, ...Object.fromEntries(given) }];
}

interface Place {
  readonly begin: number;
  readonly end: number;
  readonly node: NodeId;
  readonly pair: readonly [NodeId, NodeId];
}

/** Each fault with what heals it. */
const faults = {
  pause: ({ begin, end, node }: Place): Event[] => [
    { at: begin, do: 'pause', node },
    { at: end, do: 'resume', node },
  ],
  clog: ({ begin, end, pair: channel }: Place): Event[] => [
    { at: begin, do: 'clog', channel },
    { at: end, do: 'unclog', channel },
  ],
  cut: ({ begin, end, pair: link }: Place): Event[] => [
    { at: begin, do: 'cut', link },
    { at: end, do: 'join', link },
  ],
  crash: ({ begin, end, node }: Place): Event[] => [
    { at: begin, do: 'crash', node },
    { at: end, do: 'restart', node },
  ],
  corrupt: ({ begin, node }: Place): Event[] => [{ at: begin, do: 'corrupt', node }],
};

type Fault = keyof typeof faults;

export const receivesLinks = ({ charts }: Pick<Protocol, 'charts'>): boolean =>
  Object.values(charts).some((chart) => chart.events.includes('link.down'));

export function faultsOf({ charts, network, corruption, mayFire }: Protocol): readonly Fault[] {
  // Where timers count on messages that are not late, one that was held up is more than was promised to be stood.
  const isPatient = !mayFire || network.isLossy;
  return [
    ...(isPatient ? (['pause', 'clog'] as const) : []),
    ...(network.reach === 'links' && receivesLinks({ charts }) ? (['cut'] as const) : []),
    ...(network.isLossy ? (['crash'] as const) : []),
    ...(corruption && corruption.isSurvived !== false ? (['corrupt'] as const) : []),
  ];
}

function eventsOfHardship(
  { at: begin, lasts, what, node, link }: Hardship,
  protocol: Protocol,
  { nodes, links }: Graph,
): Event[] {
  const known = faultsOf(protocol);
  if (known.length === 0) return [];
  return faults[at(known, what)]({ begin, end: begin + lasts + 1, node: at(nodes, node), pair: at(links, link) });
}
