/**
 * Amoebots on locks: each locks its neighborhood, looks, acts when its time is over, and unlocks; a movement is last.
 *
 * The links of the simulation follow the matter: a movement is a sequence of cuts and joins. After it, locks of severed neighbors have
 * lapsed and newcomers are not locked.
 */
import type { NodeId } from '../../../machines/effects.js';
import type { BondChange } from './amoebot/matter.js';
import type { ExclusionNotification } from '../../../machines/exclusion/machine.js';
import type { Simulation } from '../../../network/simulation.js';

/** An amoebot algorithm: chooses an action of an amoebot in a neighborhood, and performs it. */
export interface AmoebotAlgorithm<Action> {
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
}

/** Lets amoebots look when they have locked, and act when they unlock. */
export function animate<Action>({ network }: Simulation, algorithm: AmoebotAlgorithm<Action>): AmoebotLife<Action> {
  const life: AmoebotLife<Action> = { deeds: [], failed: 0, breaches: 0 };
  const views = new Map<NodeId, { readonly locked: readonly NodeId[]; readonly action: Action | null }>();
  const act = (amoebot: NodeId) => {
    const { locked, action } = views.get(amoebot)!;
    views.delete(amoebot);
    if (!action) return;
    if (JSON.stringify(algorithm.enabled(amoebot, locked)) !== JSON.stringify(action)) life.breaches++;
    const change = algorithm.perform(amoebot, action, locked);
    if (change) life.deeds.push({ amoebot, locked, action });
    else life.failed++;
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
