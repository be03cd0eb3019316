/** The election's global state in the paper's words: heights, tokens, sequences, components. Properties and summaries read it from here. */
import type { NodeId } from '../effects.js';
import { pathOf } from '../checks.js';
import type { Configuration, Flight, NodeView } from '../protocol.js';
import { adjacencyNow, componentsOf, type Adjacency } from './graph.js';
import { compareHeights, isSame, type Height } from './height.js';
import type { LevelContext } from './level.js';
import { heightOf } from './links.js';
import type { ElectionContext } from './machine.js';
import { ELECTION, levelRole, type Update } from './messages.js';

type Config = Configuration<any>;

export const contextOf = (node: NodeView): ElectionContext => node[ELECTION]!.context;
export const roleOf = (node: NodeView): string => pathOf(node[ELECTION]!);
export const levelOf = (node: NodeView, level: number): LevelContext => node[levelRole(level)]!.context;
export const leadsLevel = (node: NodeView, level: number): boolean => node[levelRole(level)]!.value === 'leading';
export const leaderOf = (node: NodeView): NodeId => contextOf(node).height.lid[1];

export const updateIn = ({ message }: Flight): Update => message as Update;

/** A height of `owner` that some node holds or some channel carries; `at`: the node that has it recorded. */
export interface Token {
  readonly owner: NodeId;
  readonly height: Height;
  readonly at: NodeId | null;
}

/** Own heights, recorded ones and those in flight (section 6). */
export function tokens(c: Config): Token[] {
  const all: Token[] = c.flights.map((flight) => ({ owner: flight.from, height: updateIn(flight).height, at: null }));
  for (const [id, node] of c.nodes) {
    const { height, links } = contextOf(node);
    all.push({ owner: id, height, at: null });
    for (const link of links) if (link.height) all.push({ owner: link.peer, height: link.height, at: id });
  }
  return all;
}

/** For every channel that is up: its sender's height, what it carries, newest first, and what the receiver has recorded. */
export function* sequences(c: Config): Generator<readonly Height[]> {
  const carried = new Map<string, Height[]>();
  for (const flight of c.flights) {
    const channel = `${flight.from}\n${flight.to}`;
    const queue = carried.get(channel);
    const { height } = updateIn(flight);
    if (queue) queue.unshift(height);
    else carried.set(channel, [height]);
  }
  for (const [id, node] of c.nodes) {
    for (const peer of c.links.neighbours(id)) {
      const recorded = heightOf(contextOf(c.nodes.get(peer)!).links, id);
      yield [contextOf(node).height, ...(carried.get(`${id}\n${peer}`) ?? []), ...(recorded ? [recorded] : [])];
    }
  }
}

export const adjacency = (c: Config): Adjacency => adjacencyNow(c.nodes.keys(), c.links);

/** The four conditions of the paper's section 3.4, for one component. */
export function isLeaderOriented(component: readonly NodeId[], graph: Adjacency, c: Config): boolean {
  const inside = new Set(component);
  const heightAt = (node: NodeId): Height => contextOf(c.nodes.get(node)!).height;
  const { lid } = heightAt(component[0]!);
  return (
    !c.flights.some(({ from, to }) => inside.has(from) || inside.has(to)) &&
    inside.has(lid[1]) &&
    component.every((id) => {
      const { height, links } = contextOf(c.nodes.get(id)!);
      const hasWayDown = graph.get(id)!.some((peer) => compareHeights(heightAt(peer), height) < 0);
      return (
        isSame(height.lid, lid) &&
        hasWayDown === (id !== lid[1]) &&
        links.every((link) => !link.height || !inside.has(link.peer) || compareHeights(link.height, heightAt(link.peer)) === 0)
      );
    })
  );
}

export function isOriented(c: Config): boolean {
  const graph = adjacency(c);
  return componentsOf(graph).every((component) => isLeaderOriented(component, graph, c));
}

/** Whether every link that is up both ways has both ends as neighbours. */
export const isSymmetric = (c: Config): boolean =>
  [...adjacency(c)].every(([id, peers]) => peers.every((peer) => heightOf(contextOf(c.nodes.get(id)!).links, peer) !== null));
