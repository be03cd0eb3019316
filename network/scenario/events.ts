/**
 * The events of a scenario: those of the network itself, and the commands of the protocol.
 *
 * Each event defines its keys and how they are read. A file may name only existing nodes, and links of the topology or of an event in the
 * same file.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { Command, NetworkGraph, Protocol } from '../../machines/protocol.js';
import type { Contact } from '../topology/contacts.js';
import {
  complain,
  placeIn,
  orElse,
  readFields,
  readInteger,
  readList,
  readObject,
  readTicks,
  shownValue,
  unknownWord,
  type Fields,
} from './read.js';
import { cannotReload, type Pair } from '../world/script.js';
import type { ScenarioEvent } from './types.js';

/** The definitions that events of one file may refer to. */
export interface EventScope {
  readonly protocol: Pick<Protocol, 'name' | 'commands' | 'network' | 'reload' | 'corruption'>;
  /** Options, completed by the protocol. */
  readonly options: unknown;
  readonly graph: NetworkGraph;
  readonly contacts: readonly Contact[];
}

/** An event without its time. */
type Body<E = ScenarioEvent> = E extends unknown ? Omit<E, 'at'> : never;

interface Verb {
  readonly keys: readonly string[];
  read(fields: Fields, path: string, scene: EventScope): Body;
}

const pairVerb = (word: 'up' | 'down' | 'clog' | 'unclog'): Verb => ({
  keys: ['channel'],
  read: (fields, path, scene) => ({ do: word, channel: readPair(fields['channel'], placeIn(path, 'channel'), scene) }),
});

const messageVerb = (word: 'drop' | 'duplicate' | 'hold' | 'deliver'): Verb => ({
  keys: ['message'],
  read: (fields, path) => ({ do: word, message: readInteger(fields['message'], placeIn(path, 'message'), 0) }),
});

const nodeVerb = (word: 'crash' | 'restart' | 'reload' | 'pause' | 'resume'): Verb => ({
  keys: ['node'],
  read: (fields, path, { graph }) => ({ do: word, node: readNode(fields['node'], placeIn(path, 'node'), graph) }),
});

const verbs: Readonly<Record<string, Verb>> = {
  cut: {
    keys: ['link'],
    read: (fields, path, scene) => ({ do: 'cut', link: readPair(fields['link'], placeIn(path, 'link'), scene) }),
  },
  join: { keys: ['link', 'ports', 'weight'], read: readJoin },
  up: pairVerb('up'),
  down: pairVerb('down'),
  clog: pairVerb('clog'),
  unclog: pairVerb('unclog'),
  slow: {
    keys: ['channel', 'by'],
    read: (fields, path, scene) => ({
      do: 'slow',
      channel: readPair(fields['channel'], placeIn(path, 'channel'), scene),
      by: readTicks(fields['by'], placeIn(path, 'by')),
    }),
  },
  drop: messageVerb('drop'),
  duplicate: messageVerb('duplicate'),
  hold: messageVerb('hold'),
  deliver: messageVerb('deliver'),
  corrupt: { keys: ['node', 'nodes'], read: readCorrupt },
  crash: nodeVerb('crash'),
  restart: nodeVerb('restart'),
  reload: { ...nodeVerb('reload'), read: readReload },
  pause: nodeVerb('pause'),
  resume: nodeVerb('resume'),
};

/** The network's own events, and the keys of each in addition to `at` and `do`. */
export const verbKeys: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(verbs).map(([word, { keys }]) => [word, keys]),
);

export function readEvents(value: unknown, path: string, scene: EventScope): readonly ScenarioEvent[] {
  const events = readList(value, path, 'events').map((event, i) => readEvent(event, placeIn(path, i), scene));
  const known = linksOf(scene, events);
  events.forEach((event, i) => requireLink(event, placeIn(path, i), scene, known));
  return events;
}

function readEvent(value: unknown, path: string, scene: EventScope): ScenarioEvent {
  const word = readObject(value, path)['do'];
  const { commands } = scene.protocol;
  const known = [...Object.keys(commands), ...Object.keys(verbs)];
  if (typeof word !== 'string') complain(placeIn(path, 'do'), `one of ${known.join(', ')}`, word);
  if (!known.includes(word)) {
    throw unknownWord(
      `${placeIn(path, 'do')}: ${shownValue(word)} is neither a command of protocol ${scene.protocol.name} nor an event of the network`,
      word,
      known,
    );
  }
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  const keys = command ? ['node', ...(command.fields ?? []).map(({ name }) => name)] : verbs[word]!.keys;
  const fields = readFields(value, path, ['at', 'do', ...keys]);
  const at = readTicks(fields['at'], placeIn(path, 'at'));
  return { at, ...(command ? readCommand(word, command, fields, path, scene) : verbs[word]!.read(fields, path, scene)) };
}

function readCommand(name: string, command: Command, fields: Fields, path: string, { graph, options }: EventScope): Body {
  const given = (command.fields ?? []).filter((field) => !field.optional || fields[field.name] !== undefined);
  const read = ({ name, type, min = Number.MIN_SAFE_INTEGER }: (typeof given)[number]): number | NodeId =>
    type === 'node' ? readNode(fields[name], placeIn(path, name), graph) : readInteger(fields[name], placeIn(path, name), min);
  const node = readNode(fields['node'], placeIn(path, 'node'), graph);
  const carried = Object.fromEntries(given.map((field) => [field.name, read(field)]));
  const refusal = command.refusal?.(options, carried) ?? null;
  if (refusal !== null) throw new UsageError(`${placeIn(path, 'do')}: ${name} is not possible here: ${refusal}`);
  return { do: 'command', name, node, fields: carried };
}

function readJoin(fields: Fields, path: string, scene: EventScope): Body {
  const link = readPair(fields['link'], placeIn(path, 'link'), scene);
  const weight = readTicks(orElse(fields['weight'], 1), placeIn(path, 'weight'), 'a weight');
  if (fields['ports'] === undefined) return { do: 'join', link, weight };
  const place = placeIn(path, 'ports');
  if (scene.protocol.network.addressing !== 'ports') {
    throw new UsageError(
      `${place}: the nodes of protocol ${scene.protocol.name} know each other by name and have no ports. Omit it.`,
    );
  }
  const ports = readList(fields['ports'], place, 'two port numbers');
  if (ports.length !== 2) complain(place, 'a list of two port numbers, in the order of link', ports);
  return {
    do: 'join',
    link,
    weight,
    ports: [readInteger(ports[0], placeIn(place, 0), 1), readInteger(ports[1], placeIn(place, 1), 1)],
  };
}

function readReload(fields: Fields, path: string, scene: EventScope): Body {
  if (!scene.protocol.reload) throw new UsageError(`${placeIn(path, 'do')}: ${cannotReload(scene.protocol)}`);
  return nodeVerb('reload').read(fields, path, scene);
}

function readCorrupt(fields: Fields, path: string, { protocol, graph }: EventScope): Body {
  if (!protocol.corruption) {
    throw new UsageError(
      `${placeIn(path, 'do')}: protocol ${protocol.name} does not define a corruption. Add "corruption" to its checks.`,
    );
  }
  const { node, nodes } = fields;
  if (node !== undefined && nodes !== undefined) throw new UsageError(`${path} has both node and nodes. Omit one of them.`);
  if (node !== undefined) return { do: 'corrupt', nodes: [readNode(node, placeIn(path, 'node'), graph)] };
  if (nodes === undefined) return { do: 'corrupt', nodes: graph.topology.nodes };
  const where = placeIn(path, 'nodes');
  return { do: 'corrupt', nodes: readList(nodes, where, 'nodes').map((name, i) => readNode(name, placeIn(where, i), graph)) };
}

/** Maximum number of names in an error. */
const NAMES_MAX = 12;

export function readNode(value: unknown, path: string, graph: NetworkGraph): NodeId {
  if (typeof value !== 'string') complain(path, 'the name of a node', value);
  if (graph.rank(value) >= 0) return value;
  const { nodes } = graph.topology;
  const what = `${path}: ${shownValue(value)} is not a node of the topology`;
  throw nodes.length <= NAMES_MAX
    ? unknownWord(what, value, nodes)
    : new UsageError(`${what}. Name one of its ${nodes.length} nodes.`);
}

function readPair(value: unknown, path: string, { graph }: EventScope): Pair {
  const pair = readList(value, path, 'two nodes');
  if (pair.length !== 2) complain(path, 'a list of two nodes', value);
  const [u, v] = [readNode(pair[0], placeIn(path, 0), graph), readNode(pair[1], placeIn(path, 1), graph)];
  if (u === v) throw new UsageError(`${path} names ${shownValue(u)} twice. Name the two ends of a link.`);
  return [u, v];
}

const linkKey = (u: NodeId, v: NodeId): string => (u < v ? `${u}\n${v}` : `${v}\n${u}`);

/** Links that exist at some time of the run. */
function linksOf({ graph, contacts }: EventScope, events: readonly ScenarioEvent[]): ReadonlySet<string> {
  const known = new Set(graph.topology.links.map(([u, v]) => linkKey(u, v)));
  for (const { i, j } of contacts) known.add(linkKey(i, j));
  for (const event of events) {
    if (event.do === 'join') known.add(linkKey(...event.link));
    if (event.do === 'up') known.add(linkKey(...event.channel));
  }
  return known;
}

/** A link that goes down, is clogged or slowed must exist. In a routed protocol, any two nodes have a channel that can be clogged. */
function requireLink(event: ScenarioEvent, path: string, { protocol }: EventScope, known: ReadonlySet<string>): void {
  if (protocol.network.keepsLinks && ['cut', 'join', 'up', 'down'].includes(event.do))
    throw new UsageError(`${path}: links of ${protocol.name} cannot change, because one of its parts is routed. Omit the event.`);
  const isHindrance = event.do === 'clog' || event.do === 'unclog' || event.do === 'slow';
  if (isHindrance && protocol.network.reach === 'routed') return;
  if (event.do !== 'cut' && event.do !== 'down' && !isHindrance) return;
  const [u, v] = event.do === 'cut' ? event.link : event.channel;
  if (known.has(linkKey(u, v))) return;
  throw new UsageError(
    `${path}: no link connects ${shownValue(u)} and ${shownValue(v)}, so ${event.do} is not possible. Add it to the topology or join it first.`,
  );
}
