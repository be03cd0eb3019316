/**
 * The network's cost: against the same chart on raw XState actors, live actors against snapshots, and from 100 to 100,000 nodes.
 *
 * Everything is a ratio measured in one run, variants in turn, medians quoted: absolute numbers of a shared machine mean little.
 */
import { createActor, createMachine, sendTo, setup, type AnyActorRef } from 'xstate';
import { directory, directoryMachine } from '../machines/directory/index.js';
import type { DirectoryInput } from '../machines/directory/index.js';
import { createHost } from '../network/hosts.js';
import { Node } from '../network/node.js';
import { Simulation } from '../network/simulation.js';
import { parseScenario } from '../network/scenario/parse.js';
import { heapUsed, inTurn, median, row, type Row } from './measure.js';

const protocols = { directory };

/** Arrow on a path, the far ends in turn: every request is a find along the whole path and a token back. */
const pathScenario = (n: number, requests: number) => ({
  protocol: 'directory',
  topology: { kind: 'path', n },
  options: { policy: 'arrow', root: 'n0' },
  workload: { sequential: Array.from({ length: requests }, (_, i) => `n${i % 2 === 0 ? n - 1 : 0}`) },
});

/** Nanoseconds for each delivery of a run through the network. */
export function networkRun(n: number, requests: number, host: 'actors' | 'snapshots'): number {
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
    actor.on('granted', () => queueMicrotask(() => {}));
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
