/**
 * The link layer: the links that the papers assume, over a medium that loses, duplicates and reorders.
 *
 * Fault model: any loss, duplication and reordering, cuts in one or both directions, ends that stop and restart.
 *
 * Guarantees while a link is up: all messages, in order, once. Limitations: a peer that counts as gone may still be alive.
 */
import { statePath } from '../checks.js';
import type { NodeId } from '../effects.js';
import { coreOf } from '../core.js';
import { defineProtocol } from '../define.js';
import type { Configuration, RoleView } from '../protocol.js';
import { LinkAccount } from './account.js';
import { linkDescription } from './core.js';
import { suspects, type LinkContext } from './frames.js';
import { linkOptions, type LinkOptions } from './options.js';
import { linkProperties } from './properties.js';
import { linkSamples, linkSystems } from './samples.js';
import { carriedBy, CHART, endAt, isUp, linksOf, reachEachOther, type End } from './view.js';

export { linkMachine } from './machine.js';

/**
 * The link layer without its checks and view, for `createNode`.
 *
 * @public
 */
export const linkCore = /* @__PURE__ */ coreOf({ ...linkDescription, options: linkOptions });

const isQuiet = (end: End): boolean => isUp(end) && end.context.outbox.length === 0;

/** True if nothing is left to do on a link: both ends are quiet, or they cannot be connected and no running end is up. */
function isAtRest(c: Configuration, [one, other]: readonly [End, End]): boolean {
  const { peer: v } = one.context;
  const { peer: u } = other.context;
  const running = [[u, one] as const, [v, other] as const].flatMap(([id, end]) => (c.crashed?.includes(id) ? [] : [end]));
  const isOver = running.length < 2 || running.some(({ value }) => value === 'left') || !reachEachOther(c, u, v);
  return isOver ? !running.some(isUp) : running.every(isQuiet);
}

/**
 * The link layer: links that lose and double nothing and keep their order, over a medium that does none of it.
 *
 * @example
 * ```ts
 * import { parseScenario, Simulation } from 'xstate-quiver/network';
 * import { link } from 'xstate-quiver/machines';
 *
 * const events = [{ at: 40, node: 'n0', do: 'post', peer: 'n1', body: 7 }];
 * const scenario = parseScenario({ protocol: 'link', topology: { kind: 'path', n: 2 }, network: { loss: 0.1 }, events }, { link });
 * console.log(new Simulation(scenario).run().verdict);
 * ```
 * @public
 */
export const link = /* @__PURE__ */ defineProtocol(
  linkCore,
  {
    properties: linkProperties,
    atRest: (c) => linksOf(c).every((ends) => isAtRest(c, ends)),
    mayFire: mayBeat,
    samples: { [CHART]: linkSamples },
    systems: linkSystems,
  },
  {
    paper: 'Textbook: go-back-n, a handshake of sessions, heartbeats; what the papers assume of their links',
    observe: () => new LinkAccount(),
    overlay: (node) => ({
      edges: Object.values(node).map(({ value, context }) => ({
        to: context.peer,
        label: value === 'up' ? `${context.base}+${context.outbox.length}` : statePath({ value }),
        wrong: value === 'down',
      })),
    }),
  },
);

/**
 * Lets the checker, which knows no time, terminate: the next heartbeat waits until no frame of this end is in flight, and at most one frame
 * of the other end by each way. A suspicion without a counter is correct: the peer is cut off, has left or
 * has crashed.
 */
function mayBeat(c: Configuration<LinkOptions>, node: NodeId, role: string): boolean {
  const { context }: RoleView<LinkContext> = c.nodes.get(node)![role]!;
  const { peer, theirs, suspicions } = context;
  const between = c.flights.filter((flight) => {
    const { from, to } = carriedBy(flight);
    return [from, to].includes(node) && [from, to].includes(peer);
  });
  const direct = between.filter(({ from, to }) => [from, to].includes(node) && [from, to].includes(peer)).length;
  if (direct > 1 || between.length - direct > 1 || between.some((flight) => carriedBy(flight).from === node)) return false;
  const isGone =
    !reachEachOther(c, node, peer) || (c.crashed?.includes(peer) ?? false) || endAt(c.nodes.get(peer)!, node)!.value === 'left';
  return theirs === null || !suspects(context) || suspicions !== null || isGone;
}
