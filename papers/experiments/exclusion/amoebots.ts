/**
 * Amoebots on locks: a sequential algorithm becomes concurrent. Each amoebot locks its neighborhood, looks, acts when its time is over, and
 * unlocks; a movement is last. `actTogether` runs an algorithm of a user this way, and checks the conventions under which this is correct.
 *
 * The links of the simulation follow the matter: a movement is a sequence of cuts and joins. After it, locks of severed neighbors have
 * lapsed and newcomers are not locked.
 */
import type { NodeId } from '../../../machines/effects.js';
import { exclusion } from '../../../machines/exclusion/index.js';
import type { ExclusionNotification } from '../../../machines/exclusion/machine.js';
import type { Links } from '../../../network/world/links.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import type { BondChange, Matter } from './amoebot/matter.js';

/** A sequential amoebot algorithm: chooses an action of an amoebot in a neighborhood, and performs it. */
export interface AmoebotAlgorithm<Action> {
  readonly amoebots: readonly NodeId[];
  readonly matter: Matter;
  enabled(amoebot: NodeId, neighbors: readonly NodeId[]): Action | null;
  perform(amoebot: NodeId, action: Action, neighbors: readonly NodeId[]): BondChange | null;
}

export interface Deed<Action> {
  readonly amoebot: NodeId;
  readonly locked: readonly NodeId[];
  readonly action: Action;
}

export interface AmoebotLife<Action> {
  /** Performed actions, in order. */
  readonly deeds: Deed<Action>[];
  /** Number of expansions into a node that a newcomer had occupied before. */
  failed: number;
  /** Number of actions that were no longer enabled when they were performed. */
  breaches: number;
  /** Number of actions that moved an amoebot outside of the locked neighborhood. */
  trespasses: number;
}

/** Lets amoebots look when they have locked, and act when they unlock. */
function animate<Action>({ network }: Simulation, algorithm: AmoebotAlgorithm<Action>): AmoebotLife<Action> {
  const life: AmoebotLife<Action> = { deeds: [], failed: 0, breaches: 0, trespasses: 0 };
  const views = new Map<NodeId, { readonly locked: readonly NodeId[]; readonly action: Action | null }>();
  const act = (amoebot: NodeId) => {
    const { locked, action } = views.get(amoebot)!;
    views.delete(amoebot);
    if (!action) return;
    if (JSON.stringify(algorithm.enabled(amoebot, locked)) !== JSON.stringify(action)) life.breaches++;
    const change = algorithm.perform(amoebot, action, locked);
    if (change) life.deeds.push({ amoebot, locked, action });
    else life.failed++;
    const isMine = (bond: readonly NodeId[]) => bond.some((end) => end === amoebot || locked.includes(end));
    if (![...(change?.cut ?? []), ...(change?.joined ?? [])].every(isMine)) life.trespasses++;
    for (const [u, v] of change?.cut ?? []) network.perform({ do: 'cut', link: [u, v] });
    for (const [u, v] of change?.joined ?? []) network.perform({ do: 'join', link: [u, v] });
  };
  network.steps$.subscribe(({ node, kind, event, sent, emitted }) => {
    for (const notification of emitted as readonly ExclusionNotification[]) {
      if (notification.type !== 'locked') continue;
      const locked = notification.ports.filter((port) => port !== 0).map((port) => network.links.peerAt(node, port)!);
      views.set(node, { locked, action: algorithm.enabled(node, locked) });
    }
    if (kind === 'command' && event.type === 'unlock' && sent.length > 0) act(node);
  });
  return life;
}

/** Convention of a sequential algorithm, and whether a concurrent run kept it. */
export interface Conventions {
  /** No action depends on an amoebot that is not locked: an action that was chosen stays enabled until it is performed. */
  readonly isLocal: boolean;
  /** No action moves an amoebot that is not locked. */
  readonly isConfined: boolean;
  /** The actions in their order are a run of the sequential algorithm, with the same result. */
  readonly isSerializable: boolean;
}

export interface ConcurrentRun<Action, A> {
  /** The algorithm with its amoebots at the end of the run. */
  readonly algorithm: A;
  readonly life: AmoebotLife<Action>;
  /** Verdict of the locks. */
  readonly verdict: string;
  readonly conventions: Conventions;
  readonly links: Links;
}

/**
 * Runs a sequential algorithm with amoebots that act at the same time, each in a neighborhood that it has locked.
 *
 * @param create returns the algorithm at its start; a second one repeats the actions one after the other.
 * @param load `requests`: the number of locks; `seed`: the seed of delays and requests.
 * @returns the run, and whether it kept the conventions.
 */
export function actTogether<Action, A extends AmoebotAlgorithm<Action>>(
  create: () => A,
  { requests, seed }: { readonly requests: number; readonly seed: number },
): ConcurrentRun<Action, A> {
  const algorithm = create();
  const { amoebots, matter } = algorithm;
  const scenario = {
    protocol: 'exclusion',
    options: { hold: 3 },
    topology: { nodes: amoebots, links: matter.bonds().map(([u, v]) => [u, v, 1]) },
    network: { latency: { min: 1, max: 3 } },
    workload: { command: 'lock', concurrent: Math.ceil(amoebots.length / 2), requests },
    seed,
  };
  const simulation = new Simulation(parseScenario(scenario, { exclusion }), { host: 'snapshots' });
  const life = animate<Action>(simulation, algorithm);
  const { verdict } = simulation.run();
  const conventions = {
    isLocal: life.breaches === 0,
    isConfined: life.trespasses === 0,
    isSerializable: isSerializable(create(), life.deeds, matter),
  };
  return { algorithm, life, verdict, conventions, links: simulation.network.links };
}

/** True if the actions in this order are a run of the algorithm that ends in the given shape. */
export function isSerializable<Action>(
  alone: AmoebotAlgorithm<Action>,
  deeds: readonly Deed<Action>[],
  { shape }: Pick<Matter, 'shape'>,
): boolean {
  const isRun = deeds.every(({ amoebot, locked, action }) => {
    if (JSON.stringify(alone.enabled(amoebot, locked)) !== JSON.stringify(action)) return false;
    return alone.perform(amoebot, action, locked) !== null;
  });
  return isRun && String(alone.matter.shape) === String(shape);
}
