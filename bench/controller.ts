/** The controller's cost: a take that needs no message, against other counters; and 100,000 nodes on one core. */
import { createQuota } from '../adapters/quota.js';
import { performance } from 'node:perf_hooks';
import { MessageChannel } from 'node:worker_threads';
import { createControllerNode, type PeersOptions } from '../adapters/controller/controller-node.js';
import { Questions } from '../adapters/node/questions.js';
import { InProcessBus } from '../adapters/transports/in-process.js';
import { messagePort, MessagePortHub } from '../adapters/transports/message-port.js';
import { controller } from '../machines/controller/index.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import { median, row, type MeasuredRow } from './measure.js';

const PEERS = ['root', 'leaf'];
const BUDGET = 1e9;

type Take = () => Promise<unknown>;
type Transports = (id: string) => PeersOptions['transport'];

/** A leaf of the shared quota that holds half of it: its takes need no message. */
function local(transports: Transports): Take {
  const [, leaf] = PEERS.map((id) => createQuota({ transport: transports(id), peers: PEERS, budget: BUDGET, waste: BUDGET }));
  return () => leaf!.take();
}

/** A leaf of the naive controller: every take is a message to the root and one back. */
function central(transports: Transports): Take {
  const [, leaf] = PEERS.map((id) =>
    createControllerNode({ transport: transports(id), peers: PEERS }, { kind: 'naive', M: BUDGET }),
  );
  const questions = new Questions('quota', leaf!, ['granted', 'rejected']);
  return () => questions.ask('take');
}

/** A counter with a mutex of promises, as in programs of one process. */
function guarded(): Take {
  let left = BUDGET;
  let turn: Promise<unknown> = Promise.resolve();
  return () => (turn = turn.then(() => left-- > 0));
}

const inMemory = (): Transports => {
  const bus = new InProcessBus();
  return (id) => bus.transport(id);
};

const overPorts = (hub: MessagePortHub): Transports => {
  return (id) => {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    return messagePort(port2, { id });
  };
};

/** Takes per second, one after the other, of each variant in turn. */
async function takesPerSecond<K extends string>(variants: Record<K, Take>, takes: number): Promise<Record<K, number>> {
  const rates = Object.fromEntries(Object.keys(variants).map((name) => [name, []])) as unknown as Record<K, number[]>;
  for (let round = 0; round < 6; round++) {
    for (const name of Object.keys(variants) as K[]) {
      const begin = performance.now();
      for (let i = 0; i < takes; i++) await variants[name]();
      // The first round warms up.
      if (round > 0) rates[name].push((1000 * takes) / (performance.now() - begin));
    }
  }
  return Object.fromEntries(Object.entries<number[]>(rates).map(([name, of]) => [name, median(of)])) as Record<K, number>;
}

const TAKES = 20_000;

/** The cost of one core. */
interface Cost {
  readonly startSeconds: number;
  readonly takesSeconds: number;
  /** For each take and each delivery. */
  readonly stepMicroseconds: number;
}

const core = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** A binary tree of `n` nodes under BASIC with bins of 64 starts, and 20,000 takes at random nodes are answered. */
export function treeOf(n: number): Cost {
  const scenario = parseScenario(
    {
      protocol: 'controller',
      topology: { kind: 'tree', n },
      options: { kind: 'basic', M: 10_000 * n, W: 5_000 * n },
      workload: { concurrent: 100, requests: TAKES },
    },
    { controller },
  );
  const simulation = new Simulation(scenario, { host: 'snapshots', watch: false });
  const begin = core();
  simulation.start();
  const started = core();
  while (simulation.advance());
  const ended = core();
  const { summary, messages } = simulation.finish();
  const permits = Object.values(summary['granted'] as Record<string, number>).reduce((sum, count) => sum + count, 0);
  if (permits !== TAKES) throw new Error(`The controller granted ${permits} of ${TAKES} requests. Expected all of them.`);
  const takesSeconds = ended - started;
  return { startSeconds: started - begin, takesSeconds, stepMicroseconds: (1e6 * takesSeconds) / (messages.total + TAKES) };
}

const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en-US')}/s`;
const against = (rate: number, local: number): string => {
  const ratio = rate / local;
  return `${ratio < 10 ? ratio.toPrecision(2) : Math.round(ratio)} of the local rate`;
};

export async function controllerRows(): Promise<MeasuredRow[]> {
  const hub = new MessagePortHub();
  const variants = { local: local(inMemory()), guarded: guarded(), memory: central(inMemory()), ports: central(overPorts(hub)) };
  const rates = await takesPerSecond(variants, 2_000);
  hub.close();
  treeOf(1_000);
  const [few, many] = [treeOf(1_000), treeOf(100_000)];
  const growth = many.stepMicroseconds / few.stepMicroseconds;
  return [
    row('quota.take() answered from the local bin', perSecond(rates.local)),
    row('a counter behind a mutex of promises, one process', perSecond(rates.guarded), against(rates.guarded, rates.local)),
    row('a naive central counter in the same memory', perSecond(rates.memory), against(rates.memory, rates.local)),
    row('a naive central counter over MessagePorts', perSecond(rates.ports), against(rates.ports, rates.local)),
    row('100,000 nodes start, seconds of one core', many.startSeconds.toFixed(1)),
    row('their 20,000 takes, seconds of one core', many.takesSeconds.toFixed(1)),
    row('cost a step, 100,000 nodes against 1,000', growth.toFixed(2), '2 or less', growth <= 2),
  ];
}
