/**
 * Three real backbones, each link as long as the great circle between its cities, in kilometers.
 *
 * The data contains facts (cities, their positions, their links); lengths are computed from them.
 */
import abilene from '../../data/abilene.json' with { type: 'json' };
import geant from '../../data/geant.json' with { type: 'json' };
import nsfnet from '../../data/nsfnet.json' with { type: 'json' };
import type { NodeId } from '../../machines/effects.js';
import type { Link, Topology } from '../../machines/protocol.js';
import { greatCircleKm, type Position } from './metric.js';
import { keysOf } from '../../machines/checks.js';

const files = { abilene, geant, nsfnet };

export type Backbone = keyof typeof files;

export const backbones: readonly Backbone[] = keysOf(files);

export function backbone(name: Backbone): Topology {
  const { nodes, links } = files[name];
  const places = new Map<NodeId, Position>(nodes.map((node) => [node.city, node]));
  return {
    nodes: [...places.keys()],
    links: links.map(([u, v]): Link => [u!, v!, greatCircleKm(places.get(u!)!, places.get(v!)!)]),
  };
}
