/**
 * A node that goes right after it has announced something: it leaves, is cut off, or stops for a while, as far as the protocol promises to
 * stand that. A property that counts what has happened at the nodes that are still there breaks in such a run.
 *
 * The scenario is run once to see when which node announces something; each departure is its own scenario, for a run or a search.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import { parseScenario } from '../../network/scenario/parse.js';
import type { Scenario } from '../../network/scenario/types.js';
import { Simulation } from '../../network/simulation.js';
import { faultsOf } from './scenario.js';

type Json = Readonly<Record<string, unknown>>;

interface Moment {
  readonly node: NodeId;
  readonly at: number;
}

type Way = (moment: Moment, scenario: Scenario) => readonly Json[];

/** In ticks, until a link or a process is back: as in the swarm, each fault heals. */
const GONE_FOR = 30;
/** A run that has not come to rest after so many steps is looked at up to there. */
const STEPS_MAX = 4000;

const ways: Readonly<Record<'leave' | 'cut' | 'crash', Way>> = {
  leave: ({ node, at }) => [{ at, node, do: 'leave' }],
  // A link to a process that ends in the scenario itself is not cut, because it would come up again without a process at its end.
  cut: ({ node, at }, { graph, events }) =>
    graph.topology.links
      .filter(
        ([u, v]) => (u === node || v === node) && !events.some((event) => event.do === 'crash' && [u, v].includes(event.node)),
      )
      .flatMap(([u, v]) => [
        { at, do: 'cut', link: [u, v] },
        { at: at + GONE_FOR, do: 'join', link: [u, v] },
      ]),
  crash: ({ node, at }) => [
    { at, node, do: 'crash' },
    { at: at + GONE_FOR, node, do: 'restart' },
  ],
};

function waysOf(protocol: Protocol): readonly Way[] {
  const { leave } = protocol.commands;
  const mayLeave = leave !== undefined && (leave.fields ?? []).every(({ optional }) => optional);
  const stood = faultsOf(protocol).filter((fault) => fault === 'cut' || fault === 'crash');
  return [...(mayLeave ? [ways.leave] : []), ...stood.map((fault) => ways[fault])];
}

/**
 * The scenario with one departure each, after every notification of its run.
 *
 * @param json a scenario; one that the protocol refuses has no departures, and no more are given of those that it would refuse.
 */
export function* departuresIn(protocol: Protocol, json: Json): Generator<Json> {
  const scenario = acceptedBy(protocol, json);
  const known = waysOf(protocol);
  if (!scenario || known.length === 0) return;
  for (const { node, at } of announcementsOf(scenario)) {
    for (const way of known) {
      // Between two ticks: what comes in the tick of the notification comes first.
      const events = [...((json['events'] as Json[] | undefined) ?? []), ...way({ node, at: at + 0.75 }, scenario)];
      const departure = { ...json, events: events.sort((a, b) => timeOf(a) - timeOf(b)) };
      if (acceptedBy(protocol, departure)) yield departure;
    }
  }
}

const timeOf = ({ at }: Json): number => (typeof at === 'number' ? at : 0);

/** When which node announces something, each moment once. */
function announcementsOf(scenario: Scenario): readonly Moment[] {
  const simulation = new Simulation(scenario, { host: 'snapshots', watch: false });
  const moments = new Map<string, Moment>();
  simulation.network.notifications$.subscribe(({ node, at }) => moments.set(`${node} ${at}`, { node, at }));
  simulation.start();
  for (let steps = 0; steps < STEPS_MAX && simulation.advance(); steps++);
  return [...moments.values()];
}

/** The scenario, unless the protocol refuses it. */
export function acceptedBy(protocol: Protocol, json: Json): Scenario | null {
  try {
    return parseScenario(json, { [protocol.name]: protocol });
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}
