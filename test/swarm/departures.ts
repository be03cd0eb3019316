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
import { faultsOf, receivesLinks } from './scenario.js';
import { soundSystems } from './shape.js';

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

const ways: Readonly<Record<'leave' | 'restart' | 'cut' | 'crash', Way>> = {
  leave: (moment, scenario) => commandsOf('leave', moment, scenario),
  // A command of the protocol itself, as that of an end of a link: it has the place of the event of the network.
  restart: (moment, scenario) => commandsOf('restart', moment, scenario),
  cut: ({ node, at }, scenario) =>
    neighborsOf(node, scenario).flatMap((peer) => [
      { at, do: 'cut', link: [node, peer] },
      { at: at + GONE_FOR, do: 'join', link: [node, peer] },
    ]),
  // Neighbors that are notified of links learn of a process that stops, and it does not come back: its own ends would not be notified.
  crash: ({ node, at }, scenario) => {
    const { protocol } = scenario;
    const down = neighborsOf(node, scenario).map((peer) => ({ at, do: 'down', channel: [peer, node] }));
    const staysDown = isNotified(protocol) && !protocol.network.isLossy;
    const back = protocol.commands['restart'] ? [] : [{ at: at + GONE_FOR, node, do: 'restart' }];
    return [{ at, node, do: 'crash' }, ...(staysDown ? down : back)];
  },
};

/** The command at a node: once, or once for each neighbor if it names a peer. */
function commandsOf(word: string, { node, at }: Moment, scenario: Scenario): readonly Json[] {
  const [peer] = (scenario.protocol.commands[word]!.fields ?? []).filter(({ optional }) => !optional);
  const command = { at, node, do: word };
  return peer ? neighborsOf(node, scenario).map((neighbor) => ({ ...command, [peer.name]: neighbor })) : [command];
}

/** True if the ends of a link are notified of its changes. */
const isNotified = (protocol: Protocol): boolean => protocol.network.reach === 'links' && receivesLinks(protocol);

/**
 * The neighbors that are notified of a link, except processes that end in the scenario itself: the link would come up again without a
 * process at its end.
 */
function neighborsOf(node: NodeId, { graph, events }: Scenario): readonly NodeId[] {
  const links = graph.topology.links.filter((link) => link.slice(0, 2).includes(node));
  if (endsIn(node, events)) return [];
  return links.map(([u, v]) => (u === node ? v : u)).filter((peer) => !endsIn(peer, events));
}

const endsIn = (node: NodeId, events: Scenario['events']): boolean =>
  events.some((event) => event.do === 'crash' && event.node === node);

/** True if nodes stop in a system of the protocol, or if it needs no better network than one that loses messages. */
const standsCrashes = (protocol: Protocol): boolean => faultsOf(protocol).includes('crash') || isTried(protocol, 'crash');

const isTried = (protocol: Protocol, word: string): boolean =>
  soundSystems(protocol).some(({ events }) => events.some((event) => event['do'] === word));

function waysOf(protocol: Protocol, crashes: boolean): readonly Way[] {
  const goes = (['leave', 'restart'] as const).filter((word) => {
    const command = protocol.commands[word];
    const needed = (command?.fields ?? []).filter(({ optional }) => !optional);
    return command !== undefined && (needed.length === 0 || (needed.length === 1 && needed[0]!.type === 'node'));
  });
  return [
    ...goes.map((word) => ways[word]),
    ...(faultsOf(protocol).includes('cut') || isTried(protocol, 'cut') ? [ways.cut] : []),
    ...(crashes ? [ways.crash] : []),
  ];
}

/**
 * Variants of a scenario for its swarm: in each, a node leaves after one of the notifications of the run.
 *
 * @param json a scenario; one that the protocol refuses has no departures, and no more are given of those that it would refuse.
 * @param crashes true if nodes stop, too. By default, they do if the protocol promises to stand that.
 */
export function* departuresIn(protocol: Protocol, json: Json, crashes = standsCrashes(protocol)): Generator<Json> {
  const scenario = acceptedBy(protocol, json);
  const known = waysOf(protocol, crashes);
  if (!scenario || known.length === 0) return;
  for (const { node, at } of announcementsOf(scenario)) {
    for (const way of known) {
      // Between two ticks: what comes in the tick of the notification comes first.
      const given: readonly Json[] = Array.isArray(json['events']) ? json['events'] : [];
      const events = [...given, ...way({ node, at: at + 0.75 }, scenario)];
      const departure = { ...json, events: events.sort((a, b) => timeOf(a) - timeOf(b)) };
      if (acceptedBy(protocol, departure)) yield departure;
    }
  }
}

/** Departures that differ in more than the time of an event: a search drops the times, and keeps the order of each node and link. */
export function withoutTimes(departures: readonly Json[]): readonly Json[] {
  const keyOf = ({ events }: Json): string => {
    const untimed = (events as readonly Json[]).map(({ at: _, ...event }) => event);
    const placeOf = ({ node, link, channel }: Json): string => JSON.stringify(node ?? link ?? channel);
    return JSON.stringify(untimed.toSorted((a, b) => placeOf(a).localeCompare(placeOf(b))));
  };
  return [...new Map(departures.map((json) => [keyOf(json), json])).values()];
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

/** Parses the scenario and returns it, or the error with which the protocol rejects it. */
export function readBy(protocol: Protocol, json: Json): Scenario | UsageError {
  try {
    return parseScenario(json, { [protocol.name]: protocol });
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** Parses the scenario; `null` if the protocol rejects it. */
export function acceptedBy(protocol: Protocol, json: Json): Scenario | null {
  const scenario = readBy(protocol, json);
  return scenario instanceof UsageError ? null : scenario;
}
