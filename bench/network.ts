/**
 * The network's cost: against the same chart on raw XState actors, live actors against snapshots, and from 100 to 100,000 nodes.
 *
 * Everything is a ratio measured in one run, variants in turn, medians quoted: absolute numbers of a shared machine mean little.
 */
import { createActor, createMachine, sendTo, type AnyActorRef } from 'xstate';
import { directory, directoryMachine } from '../machines/directory/index.js';
import type { DirectoryInput } from '../machines/directory/machine.js';
import { createHost, type HostKind } from '../network/world/hosts.js';
import { Node } from '../network/world/node.js';
import { Simulation } from '../network/simulation.js';
import { parseScenario } from '../network/scenario/parse.js';
import { heapUsed } from '../testing/memory.js';
import { inTurn, row, type MeasuredRow } from './measure.js';

const protocols = { directory };

/** Arrow on a path, the far ends in turn: every request is a find along the whole path and a token back. */
const pathScenario = (n: number, requests: number) => ({
  protocol: 'directory',
  topology: { kind: 'path', n },
  options: { policy: 'arrow', root: 'n0' },
  workload: { sequential: Array.from({ length: requests }, (_, i) => `n${i % 2 === 0 ? n - 1 : 0}`) },
});

/** Nanoseconds for each delivery of a run through the network. */
export function networkRun(n: number, requests: number, host: HostKind): number {
  const scenario = parseScenario(pathScenario(n, requests), protocols);
  const simulation = new Simulation(scenario, { host, watch: false });
  simulation.start();
  const before = process.hrtime.bigint();
  while (simulation.advance());
  const elapsedNs = Number(process.hrtime.bigint() - before);
  return elapsedNs / simulation.finish().messages.total;
}

/** The same chart, nodes and requests on raw XState actors, `send` wired to the receiver by XState's own `sendTo`. */
export function rawRun(n: number, requests: number): number {
  const peers = new Map<string, AnyActorRef>();
  let deliveries = 0;
  const wired = directoryMachine.provide({
    actions: {
      send: sendTo(
        (_, effect: any) => {
          deliveries++;
          return peers.get(effect.to)!;
        },
        (args: any, effect: any) => ({ ...effect.message, from: args.context.id }),
      ) as any,
    },
  });
  const parent = createActor(createMachine({})).start();
  for (let i = 0; i < n; i++) {
    const input: DirectoryInput = { id: `n${i}`, parent: `n${Math.max(0, i - 1)}`, edge: 'tree', policy: 'arrow', fence: null };
    const actor = createActor(wired, { parent, input } as any).start();
    peers.set(`n${i}`, actor);
  }
  const before = process.hrtime.bigint();
  for (let i = 0; i < requests; i++) {
    const requester = peers.get(`n${i % 2 === 0 ? n - 1 : 0}`)!;
    requester.send({ type: 'request' });
    requester.send({ type: 'release' });
  }
  return Number(process.hrtime.bigint() - before) / deliveries;
}

const NODES = 100_000;

/** Bytes and microseconds for each of 100,000 nodes. */
function memoryOf(kind: HostKind): { bytes: number; microseconds: number } {
  const names = Array.from({ length: NODES }, (_, i) => `n${i}`);
  const nodes: Node[] = [];
  const before = heapUsed();
  const started = process.hrtime.bigint();
  const host = createHost(kind, directory);
  for (const [i, id] of names.entries()) {
    const node = new Node(id, host);
    const input: DirectoryInput = { id, parent: names[Math.max(0, i - 1)]!, edge: 'tree', policy: 'arrow', fence: null };
    node.start([{ role: 'directory', chart: 'directory', input }], () => 0);
    nodes.push(node);
  }
  const microseconds = Number(process.hrtime.bigint() - started) / 1000 / NODES;
  return { bytes: (heapUsed() - before) / nodes.length, microseconds };
}

export function networkRows(): MeasuredRow[] {
  const small = inTurn(5, {
    raw: () => rawRun(100, 400),
    actors: () => networkRun(100, 400, 'actors'),
    snapshots: () => networkRun(100, 400, 'snapshots'),
  });
  const large = inTurn(1, {
    actors100: () => networkRun(100, 2000, 'actors'),
    actors100k: () => networkRun(NODES, 2, 'actors'),
    snapshots100: () => networkRun(100, 2000, 'snapshots'),
    snapshots100k: () => networkRun(NODES, 2, 'snapshots'),
  });
  const live = memoryOf('actors');
  const bare = memoryOf('snapshots');
  const throughput = small.raw / small.actors;
  const against = small.snapshots / small.actors;
  const [scaleActors, scaleSnapshots] = [large.actors100k / large.actors100, large.snapshots100k / large.snapshots100];
  return [
    row('deliveries/s, live actors against raw XState actors', throughput.toFixed(2), '0.8 or better', throughput >= 0.8),
    row('time a delivery, snapshots against live actors', against.toFixed(2), '0.4 or less', against <= 0.4),
    row('bytes a node, live actors', live.bytes.toFixed(0), '2,200 or less', live.bytes <= 2200),
    row('bytes a node, snapshots', bare.bytes.toFixed(0), '400 or less', bare.bytes <= 400),
    row('time to start a node, snapshots against live actors', (bare.microseconds / live.microseconds).toFixed(2)),
    row('cost a delivery, 100,000 nodes against 100, live actors', scaleActors.toFixed(2), '1.5 or less', scaleActors <= 1.5),
    row('cost a delivery, 100,000 nodes against 100, snapshots', scaleSnapshots.toFixed(2), '1.5 or less', scaleSnapshots <= 1.5),
  ];
}
