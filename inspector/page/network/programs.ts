/**
 * Programs in the network's picture: the nodes of a program are close to each other, and its stopped nodes share one spot.
 *
 * Programs are placed like single nodes, by the links between them, and the nodes of each around its place. A few nodes are on a small
 * circle, and many form the pattern of a sunflower.
 */
import { forceCollide, forceSimulation, type SimulationNodeDatum } from 'd3-force';
import { STOPPED, type Life, type Moment } from '../../model/moment.js';
import { placeNodes, type LinkEnds, type Placement, type Positions } from './force.js';

/** A program and the numbers of its nodes. Nodes that belong to no program form a group without a name. */
export interface ProgramNodes {
  readonly name: string | null;
  readonly nodes: readonly number[];
}

/** The first and the last line of a node in the trace. The last is `Infinity` if the node still runs. */
export type Span = readonly [from: number, to: number];

/**
 * Assigns a place within a program to each of its nodes.
 * A node reuses the place of one that ended before it began, so there are as many places as nodes that run at the same time. The first
 * stopped node keeps its place, where all stopped nodes are shown.
 */
export function seatsOf(nodes: readonly number[], spanOf: (node: number) => Span): readonly number[] {
  const firstStopped = nodes.find((node) => spanOf(node)[1] !== Infinity);
  /** By seat: when it is free again. */
  const free: number[] = [];
  return nodes.map((node) => {
    const [from, to] = spanOf(node);
    const known = free.findIndex((since) => since < from);
    const seat = known < 0 ? free.length : known;
    free[seat] = node === firstStopped ? Infinity : to;
    return seat;
  });
}

/** Stopped nodes of a program, which share the place of the first one. */
export interface FoldedNodes {
  readonly nodes: readonly number[];
  readonly description: string;
}

/** The distance between the nodes of a program, with room for names and states below them. */
const SPACING = 84;
/** On a circle up to so many. */
const CIRCLE_MAX = 7;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** Between programs, where their names stand as well. */
const GAP = 84;
const COLLIDE_TICKS = 200;

/**
 * The name of the group in which each node is drawn. An actor of a cluster is with the member that hosts it at this moment. A member is with
 * the other nodes of its program, or in a separate group if the program contains several members.
 */
export function groupNames(moment: Moment): readonly (string | undefined)[] {
  const { nodes, programs, groups, logics } = moment.recording;
  if (groups.length === 0) return programs;
  const members = new Map<string | undefined, number>();
  for (const [node, program] of programs.entries())
    if (logics[node] === 'member') members.set(program, (members.get(program) ?? 0) + 1);
  return Array.from({ length: nodes.size }, (_, node) => {
    const home = groups[node] === undefined ? node : moment.host(node);
    if (home < 0) return 'without a host';
    return logics[home] === 'member' && members.get(programs[home])! > 1 ? nodes.names[home] : programs[home];
  });
}

/** The programs and their nodes, or `null` if no node belongs to a program. */
export function programsOf(programOf: readonly (string | undefined)[], count: number): readonly ProgramNodes[] | null {
  const byName = new Map<string, number[]>();
  const programs: ProgramNodes[] = [];
  for (let node = 0; node < count; node++) {
    const name = programOf[node];
    const known = name === undefined ? undefined : byName.get(name);
    if (known) known.push(node);
    else {
      const nodes = [node];
      programs.push({ name: name ?? null, nodes });
      if (name !== undefined) byName.set(name, nodes);
    }
  }
  return byName.size > 0 ? programs : null;
}

/** Where the nodes of so many stand around the middle of their program. */
function seats(count: number): readonly { readonly x: number; readonly y: number }[] {
  const isCircle = count <= CIRCLE_MAX;
  const circle = count === 1 ? 0 : SPACING / (2 * Math.sin(Math.PI / count));
  return Array.from({ length: count }, (_, i) => {
    const radius = isCircle ? circle : SPACING * 0.62 * Math.sqrt(i + 0.5);
    const angle = isCircle ? (2 * Math.PI * i) / count - Math.PI / 2 : i * GOLDEN_ANGLE;
    return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
  });
}

/** Links that connect programs without a way between them, so that they are not placed far from each other. */
function bridges(count: number, ends: readonly LinkEnds[]): LinkEnds[] {
  if (ends.length === 0) return [];
  const parts = Array.from({ length: count }, (_, program) => program);
  const partOf = (program: number): number => (parts[program] === program ? program : partOf(parts[program]!));
  for (const { source, target } of ends) parts[partOf(source)] = partOf(target);
  const firsts = parts.flatMap((part, program) => (part === program ? [program] : []));
  return firsts.slice(1).map((target) => ({ source: firsts[0]!, target, weight: 1 }));
}

const radiusFor = (count: number): number => Math.max(...seats(count).map(({ x, y }) => Math.hypot(x, y)));

interface Disc extends SimulationNodeDatum {
  readonly radius: number;
}

export function placePrograms(
  programs: readonly ProgramNodes[],
  ends: readonly LinkEnds[],
  spanOf: (node: number) => Span = () => [0, Infinity],
): Placement {
  const count = programs.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const programOf = new Int32Array(count);
  programs.forEach(({ nodes }, program) => nodes.forEach((node) => (programOf[node] = program)));
  const between = new Map<string, LinkEnds>();
  for (const { source, target, weight } of ends) {
    const [a, b] = [programOf[source]!, programOf[target]!].sort((x, y) => x - y) as [number, number];
    if (a !== b) between.set(`${a} ${b}`, { source: a, target: b, weight });
  }
  const links = [...between.values()];
  const middles = placeNodes(programs.length, [...links, ...bridges(programs.length, links)]);
  while (middles.settle(Infinity));
  const taken = programs.map(({ nodes }) => seatsOf(nodes, spanOf));
  const counts = taken.map((seats) => seats.reduce((most, seat) => Math.max(most, seat), 0) + 1);
  const discs = counts.map((count, i): Disc => ({ x: middles.xs[i]!, y: middles.ys[i]!, radius: radiusFor(count) }));
  const collide = forceCollide<Disc>(({ radius }) => radius + GAP / 2).iterations(4);
  forceSimulation(discs).stop().force('collide', collide).tick(COLLIDE_TICKS);
  const [xs, ys] = [new Float64Array(count), new Float64Array(count)];
  programs.forEach(({ nodes }, i) => {
    const spots = seats(counts[i]!);
    nodes.forEach((node, place) => {
      const { x, y } = spots[taken[i]![place]!]!;
      [xs[node], ys[node]] = [discs[i]!.x! + x, discs[i]!.y! + y];
    });
  });
  return {
    xs,
    ys,
    settle: () => false,
    move(node, x, y) {
      [xs[node], ys[node]] = [x, y];
    },
    stop() {},
  };
}

/** The stopped nodes of each program with more than one of them. */
export function foldsOf(programs: readonly ProgramNodes[], lives: readonly { readonly life: Life }[]): FoldedNodes[] {
  return programs.flatMap(({ name, nodes }) => {
    const stopped = name === null ? [] : nodes.filter((node) => STOPPED.includes(lives[node]?.life ?? 'alive'));
    if (stopped.length < 2) return [];
    const counts = STOPPED.map((life) => [life, stopped.filter((node) => lives[node]!.life === life).length] as const);
    const description = counts
      .filter(([, count]) => count > 0)
      .map(([life, count]) => `${count.toLocaleString('en-US')} ${life}`);
    return [{ nodes: stopped, description: description.join(', ') }];
  });
}

/** The positions of all nodes after stopped ones were moved to a common place. */
export function folded(positions: Positions, folds: readonly FoldedNodes[]): Positions {
  if (folds.length === 0 || positions.xs.length === 0) return positions;
  const [xs, ys] = [Float64Array.from(positions.xs), Float64Array.from(positions.ys)];
  for (const { nodes } of folds) for (const node of nodes) [xs[node], ys[node]] = [xs[nodes[0]!]!, ys[nodes[0]!]!];
  return { xs, ys };
}
