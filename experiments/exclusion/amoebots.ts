/**
 * Amoebots on locks: each locks its neighbourhood, looks, acts when its time is over, and unlocks; a movement goes last.
 *
 * The links of the simulation follow the matter: a movement is a sequence of cuts and joins, after which locks of severed neighbours
 * have lapsed and newcomers are not locked.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Hexagon } from '../../machines/amoebot/index.js';
import type { Action } from '../../machines/amoebot/hexagon.js';
import type { ExclusionNotice } from '../../machines/exclusion/index.js';
import type { Simulation } from '../../network/simulation.js';

export interface Deed {
  readonly amoebot: NodeId;
  readonly locked: readonly NodeId[];
  readonly action: Action;
}

export interface AmoebotLife {
  /** What was done, in this order. */
  readonly deeds: Deed[];
  /** Expansions into a node that a newcomer had taken in the meantime. */
  failed: number;
  /** Actions that were not enabled any more when they were done. */
  breaches: number;
}

/** Lets the amoebots look when they have locked, and act when they unlock. */
export function animate({ network }: Simulation, hexagon: Hexagon): AmoebotLife {
  const life: AmoebotLife = { deeds: [], failed: 0, breaches: 0 };
  const looks = new Map<NodeId, { readonly locked: readonly NodeId[]; readonly action: Action | null }>();
  const act = (amoebot: NodeId) => {
    const { locked, action } = looks.get(amoebot)!;
    looks.delete(amoebot);
    if (!action) return;
    if (JSON.stringify(hexagon.enabled(amoebot, locked)) !== JSON.stringify(action)) life.breaches++;
    const change = hexagon.perform(amoebot, action);
    if (change) life.deeds.push({ amoebot, locked, action });
    else life.failed++;
    for (const [u, v] of change?.cut ?? []) network.perform({ do: 'cut', link: [u, v] });
    for (const [u, v] of change?.joined ?? []) network.perform({ do: 'join', link: [u, v] });
  };
  network.steps$.subscribe(({ node, kind, event, sent, emitted }) => {
    for (const notice of emitted as readonly ExclusionNotice[]) {
      if (notice.type !== 'locked') continue;
      const locked = notice.ports.filter((port) => port !== 0).map((port) => network.links.peerAt(node, port)!);
      looks.set(node, { locked, action: hexagon.enabled(node, locked) });
    }
    if (kind === 'command' && event.type === 'unlock' && sent.length > 0) act(node);
  });
  return life;
}
