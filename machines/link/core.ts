/** The core of the link layer: what an application carries of it. */
import { defineCore } from '../define.js';
import type { NodeId } from '../effects.js';
import { isAnything, isBoolean, isCount, listOf, nullOr, type ShapesOf } from '../shapes.js';
import type { Bye, Frame } from './frames.js';
import { linkMachine } from './machine.js';
import { linkOptions, type LinkOptions } from './options.js';
import { CHART, roleTo } from './view.js';

const peersOf = (node: NodeId, links: readonly (readonly [NodeId, NodeId, number])[]): NodeId[] =>
  links.flatMap(([u, v]) => (u === node ? [v] : v === node ? [u] : []));

const peer = { name: 'peer', type: 'node' } as const;

/**
 * The link layer without its checks and view: what `linked` carries of it.
 *
 * @public
 */
export const linkCore = /* @__PURE__ */ defineCore<LinkOptions>({
  name: 'link',
  charts: { [CHART]: linkMachine },
  network: { reach: 'links', isLossy: true },
  options: linkOptions,
  roles: (id, { topology, options }) =>
    peersOf(id, topology.links).map((to) => ({ role: roleTo(to), chart: CHART, input: { ...options, peer: to } })),
  route: ({ from, peer: to }) => roleTo((from ?? to) as NodeId),
  messages: {
    frame: {
      session: isCount,
      to: nullOr(isCount),
      ack: isCount,
      seq: isCount,
      rejects: isBoolean,
      bodies: listOf(isAnything),
    },
    bye: { session: isCount },
  } satisfies ShapesOf<Frame | Bye>,
  commands: {
    post: { fields: [peer, { name: 'body', type: 'integer' }] },
    restart: { fields: [peer] },
    leave: { fields: [peer] },
  },
});
