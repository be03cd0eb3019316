/** The fields of a scenario: checks every key, rejects unknown ones, adds defaults, builds the topology and reads the options of the protocol. */
import { TICKS_MAX } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import { roundTripOf, type LatencySpec } from '../latency.js';
import { createTopology, type ReadTopology } from '../topology/index.js';
import { createMetric } from '../topology/metric.js';
import { requireConnected } from '../topology/validate.js';
import { readEvents, readNode, type EventScope } from './events.js';
import {
  complain,
  placeIn,
  orElse,
  readFields,
  readObject,
  readInteger,
  readList,
  readName,
  readNumber,
  readOneOf,
  readTicks,
  type Fields,
} from './read.js';
import type { ScenarioNetwork, Scenario, Until } from './types.js';
import type { Workload } from '../world/environment.js';

/** `$schema` is for editors. */
const KEYS = ['protocol', 'options', 'topology', 'network', 'events', 'workload', 'seed', 'until', '$schema'];

/**
 * Reads a scenario from its JSON.
 *
 * @param readProtocol returns the protocol that the field `protocol` describes.
 * @param files reads topologies from files; by default, a scenario that names one is refused.
 */
export function readScenario(json: unknown, readProtocol: (value: unknown) => Protocol, files?: ReadTopology): Scenario {
  const fields = readFields(json, '', KEYS);
  if (fields['$schema'] !== undefined) readName(fields['$schema'], '$schema', 'the path of a JSON Schema');
  const protocol = readProtocol(fields['protocol']);
  const { nodes, links, contacts } = createTopology(fields['topology'], files);
  const network = readNetwork(orElse(fields['network'], {}), 'network', protocol);
  const graph = { ...createMetric({ nodes, links }), roundTrip: roundTripOf(network.latency, links) };
  if (protocol.network.reach === 'routed') requireConnected(graph, `protocol ${protocol.name} sends from any node to any other`);
  const options: unknown = protocol.options(readObject(orElse(fields['options'], {}), 'options'), graph);
  const scene = { protocol, options, graph, contacts };
  const events = readEvents(orElse(fields['events'], []), 'events', scene);
  const workload = fields['workload'] === undefined ? {} : { workload: readWorkload(fields['workload'], 'workload', scene) };
  return {
    protocol,
    options,
    graph,
    contacts,
    network,
    events,
    ...workload,
    seed: fields['seed'] === undefined ? 1 : readInteger(fields['seed'], 'seed'),
    until: readUntil(orElse(fields['until'], { idle: true }), 'until'),
  };
}

function readNetwork(value: unknown, path: string, protocol: Protocol): ScenarioNetwork {
  const fields = readFields(value, path, ['latency', 'order', 'loss', 'duplicate', 'reorder']);
  const chance = (key: string): number =>
    fields[key] === undefined ? 0 : readNumber(fields[key], placeIn(path, key), 'a chance', 0, 1);
  return {
    latency: readLatency(orElse(fields['latency'], 1), placeIn(path, 'latency')),
    order: readOneOf(orElse(fields['order'], protocol.network.order), placeIn(path, 'order'), ['fifo', 'unordered']),
    loss: chance('loss'),
    duplicate: chance('duplicate'),
    reorder: chance('reorder'),
  };
}

function readLatency(value: unknown, path: string): LatencySpec {
  if (value === 'weight') return value;
  if (typeof value === 'number') return readTicks(value, path);
  if (typeof value !== 'object') complain(path, 'a number of ticks, {"min", "max"}, {"exponential"} or "weight"', value);
  const fields = readFields(value, path, ['min', 'max', 'exponential']);
  if (fields['exponential'] !== undefined) {
    readFields(value, path, ['exponential']);
    return { exponential: readTicks(fields['exponential'], placeIn(path, 'exponential'), 'a mean in ticks') };
  }
  const min = readInteger(fields['min'], placeIn(path, 'min'), 0, TICKS_MAX);
  return { min, max: readInteger(fields['max'], placeIn(path, 'max'), min, TICKS_MAX) };
}

function readWorkload(value: unknown, path: string, scene: EventScope): Workload {
  const { commands, name } = scene.protocol;
  const fields = readFields(value, path, ['command', 'sequential', 'concurrent', 'requests']);
  const [first] = Object.keys(commands);
  if (first === undefined) throw new UsageError(`${path}: protocol ${name} has no commands to issue. Omit ${path}.`);
  const command = readOneOf(orElse(fields['command'], first), placeIn(path, 'command'), Object.keys(commands));
  const needed = (commands[command]!.fields ?? []).filter(({ optional }) => !optional).map((field) => field.name);
  const refusal = commands[command]!.refusal?.(scene.options, {}) ?? null;
  if (refusal !== null) throw new UsageError(`${placeIn(path, 'command')}: ${command} is not possible here: ${refusal}`);
  if (needed.length > 0) {
    throw new UsageError(`${placeIn(path, 'command')}: ${command} needs ${needed.join(' and ')}. List it under events instead.`);
  }
  return { command, ...readDemand(fields, path, scene) };
}

function readDemand(fields: Fields, path: string, { graph }: EventScope) {
  const { sequential, concurrent, requests } = fields;
  if (sequential === undefined) {
    const atOnce = readInteger(concurrent, placeIn(path, 'concurrent'), 1);
    return { concurrent: atOnce, requests: readInteger(requests, placeIn(path, 'requests'), 0) };
  }
  if (concurrent !== undefined || requests !== undefined) {
    throw new UsageError(`${path} has sequential and ${concurrent === undefined ? 'requests' : 'concurrent'}. Omit one of them.`);
  }
  const where = placeIn(path, 'sequential');
  return { sequential: readList(sequential, where, 'nodes').map((node, i) => readNode(node, placeIn(where, i), graph)) };
}

function readUntil(value: unknown, path: string): Until {
  const { idle, at } = readFields(value, path, ['idle', 'at']);
  if (idle !== undefined && at !== undefined) throw new UsageError(`${path} has both idle and at. Omit one of them.`);
  if (at !== undefined) return { at: readTicks(at, placeIn(path, 'at')) };
  if (idle !== true)
    throw new UsageError(
      `${path} does not define the end of the run. Use {"idle": true} to end it when nothing more can happen, or {"at": 100} to end it at tick 100.`,
    );
  return { idle };
}
