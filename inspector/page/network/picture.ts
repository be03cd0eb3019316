/**
 * The state of the network's picture at the playhead, as signals: positions, links, messages and labels; and the function that draws it.
 */
import { computed, signal } from '@preact/signals';
import { progress } from '../../model/playback.js';
import type { Size } from '../../model/chart-shapes.js';
import type { MessageRow } from '../../model/messages.js';
import { sized } from '../canvas.js';
import { messageColor } from '../colors.js';
import { theme } from '../shell.js';
import {
  axis,
  currentLine,
  growing,
  isPlaying,
  moment,
  playhead,
  recording,
  selectedLink,
  selectedMessage,
  selectedNode,
  verdict,
  way,
} from '../state.js';
import { drawLinks, drawPointers, drawWay } from './draw-links.js';
import { drawGauges, drawGroups, drawMessages, drawNodes, drawSelection, type MovingMessage } from './draw.js';
import { drawLabels } from './draw-labels.js';
import { drawFolds, drawPrograms } from './draw-programs.js';
import type { Drawn } from './ink.js';
import { LabelPlaces } from './places.js';
import { communitiesOf, gathered, sideAt } from './communities.js';
import { CROWD, placeCrowd } from './crowd.js';
import { drawCommunities, drawRoads } from './draw-communities.js';
import { placeNodes, type Placement, type Positions } from './force.js';
import { keepPlaces, range } from './by-hand.js';
import { between, fit, MARGIN, loopAt, radiusAt, toCanvas, toPlane, type Spot, type Viewport } from './geometry.js';
import { folded, foldsOf, groupNames, placePrograms, programsOf, type Span } from './programs.js';
import { idOf } from '../../model/words.js';
import { SceneReader } from './scene.js';

/** The largest number of moving messages that are drawn. With more, only their number is shown. */
export const MESSAGES_MAX = 3000;

export const hovered = signal(-1);
/** The part of the network that the viewer has zoomed or moved to. `null` if the picture shows everything. */
export const chosenView = signal<Viewport | null>(null);
const size = signal<Size>({ width: 0, height: 0 });
/** The positions of the nodes. The signal gets a new value whenever a node has moved. */
export const positions = signal<Positions>({ xs: new Float64Array(), ys: new Float64Array() });

const hasHeader = computed(() => growing().header !== null);
export const reader = computed(() => (hasHeader.value ? new SceneReader(recording.value) : null));
/** Nodes and links can join while the trace goes on. */
const extent = computed(() => {
  const { nodes, channels, programs } = growing();
  return `${nodes.size} ${channels.size} ${programs.filter((program) => program !== undefined).length}`;
});
/** Changes with the extent and when a cluster actor moves. */
const grouping = computed(() => (growing().groups.length > 0 ? JSON.stringify(groupNames(moment.value)) : extent.value));
/** `null` if there are none, or too many to distinguish. */
const programs = computed(() => {
  const all = grouping.value && programsOf(groupNames(moment.peek()), recording.value.nodes.size);
  return all && all.length <= CROWD ? all : null;
});
/** A run made again stands where the other one stood, moved nodes included. */
let placedBefore: { readonly key: string; readonly placement: Placement } | null = null;
export const placement = computed((): Placement | null => {
  const isEmpty = extent.value.startsWith('0 ');
  if (!reader.value || isEmpty) return null;
  // A live trace may have grown after the programs were read.
  const size = programs.value?.reduce((sum, { nodes }) => sum + nodes.length, 0) ?? recording.value.nodes.size;
  const ends = reader.value.ends().filter(({ source, target }) => source < size && target < size);
  const key = JSON.stringify([recording.value.nodes.names, ends, programs.value]);
  if (placedBefore?.key === key) return placedBefore.placement;
  placedBefore?.placement.stop();
  const placement = programs.value
    ? placePrograms(programs.value, ends, spanOf)
    : size > CROWD
      ? placeCrowd(size, ends, movedTo)
      : placeNodes(size, ends);
  keepPlaces(placement, recording.value.nodes.names);
  placedBefore = { key, placement };
  return placement;
});
/** How long a live node was there: a node that runs again was there for all of the time. */
function spanOf(node: number): Span {
  const { steps, running } = recording.value;
  const last = running[node]?.at(-1) ?? 1;
  return [steps[node]?.[0] ?? 0, last % 2 === 1 ? Infinity : last >> 1];
}

/** A map from the names of the nodes to their positions. */
export function spotsNow(): ReadonlyMap<string, Spot> {
  const { xs, ys } = positions.value;
  return new Map(recording.value.nodes.names.map((name, node) => [name, { x: xs[node] ?? 0, y: ys[node] ?? 0 }]));
}

/** True if a node has a link to another one at the shown moment, in either direction. */
export const isLinkedNow =
  (node: number) =>
  (name: string): boolean => {
    const peer = recording.value.nodes.find(name);
    return moment.value.channelUp(node, peer) || moment.value.channelUp(peer, node);
  };

/** The center of the visible part, in the coordinates of the nodes. */
export const middle = (): Spot => toPlane(currentView.value, size.value.width / 2, size.value.height / 2);

export const movedTo = ({ xs, ys }: Positions): void => void (positions.value = { xs, ys });
export const currentView = computed((): Viewport => {
  const { xs, ys } = positions.value;
  return chosenView.value ?? fit(xs, ys, size.value.width, size.value.height, programs.value ? MARGIN.programs : MARGIN.nodes);
});
/** Zooms in until the nodes of a community are apart. */
export function showNodes(nodes: readonly number[]): void {
  const at = (all: ArrayLike<number>) => nodes.map((node) => all[node]!);
  const { width, height } = size.value;
  const shown = fit(at(positions.value.xs), at(positions.value.ys), width, height, MARGIN.nodes);
  const scale = Math.max(shown.scale, 1.5 * currentView.value.scale);
  const { x, y } = toPlane(shown, width / 2, height / 2);
  chosenView.value = { scale, dx: width / 2 - scale * x, dy: height / 2 - scale * y };
}
/** The nodes that a property is violated for, once it is. */
const refuted = computed(() => {
  const past = verdict.value.violated.filter(({ line }) => line !== null && line <= currentLine.value);
  return new Set(past.flatMap(({ nodes }) => nodes.map((name) => recording.value.nodes.find(name))));
});

export const scene = computed(() => reader.value?.scene(moment.value, refuted.value) ?? { nodes: [], pointers: [], marks: [] });
const folds = computed(() => foldsOf(programs.value ?? [], scene.value.nodes));
/** The number of drawn places. Nodes that share a place count once. */
export const spotsDrawn = computed(() => folds.value.reduce((sum, { nodes }) => sum - nodes.length + 1, growing().nodes.size));
/** How the nodes are called in the picture: an actor by its id, for its program stands around it. */
const labels = computed(() => {
  const { nodes, programs } = growing();
  return nodes.names.map((name, node) => (programs[node] === undefined ? name : idOf(name)));
});
/** The positions of the nodes. Stopped nodes of a program share one. */
const placed = computed(() => folded(positions.value, folds.value));
const side = computed(() => sideAt(currentView.value.scale, spotsDrawn.value));
/** `null` if the picture shows every node. */
export const communities = computed(() => {
  if (side.value === null) return null;
  const programOf = new Map((programs.value ?? []).flatMap(({ nodes }, i) => nodes.map((node) => [node, i] as const)));
  return communitiesOf(placed.value, side.value, (node) => String(programOf.get(node) ?? ''));
});
/** The positions at which nodes are drawn: nodes of a community share one. */
export const drawnAt = computed(() => (communities.value ? gathered(placed.value, communities.value) : placed.value));
export const links = computed(() => reader.value?.links(moment.value) ?? []);
export const flights = computed(() => moment.value.flights());
const emphasis = computed(() => ({
  node: selectedNode.value,
  hovered: hovered.value,
  message: selectedMessage.value,
  link: selectedLink.value,
  range: range.value,
  way: way.value.flatMap(({ from, to }) => pairs(reader.value?.route(from, to) ?? [from, to])),
}));

const pairs = (path: readonly number[]): [number, number][] => path.slice(1).map((to, i) => [path[i]!, to]);

export function moving(): MovingMessage[] {
  const { xs, ys } = drawnAt.value;
  const { types } = recording.value.messages;
  const radius = radiusAt(currentView.value.scale, spotsDrawn.value);
  const spot = (node: number) => toCanvas(currentView.value, xs[node] ?? 0, ys[node] ?? 0);
  const isInside = ({ from, to }: MessageRow) => communities.value !== null && xs[from] === xs[to] && ys[from] === ys[to];
  const shown = flights.value.slice(0, MESSAGES_MAX).filter((message) => !isInside(message));
  return shown.map((message) => ({
    ordinal: message.ordinal,
    chain:
      message.from === message.to
        ? loopAt(spot(message.from), radius)
        : between(reader.value!.route(message.from, message.to).map(spot), radius),
    part: progress(recording.value, axis.value, message, playhead.value.x),
    color: messageColor(types.find(message.type)),
    label: message.type,
  }));
}

/** Everything but the moving messages, painted once for as long as it stays the same. */
interface Ground {
  readonly canvas: HTMLCanvasElement;
  readonly inputs: readonly unknown[];
  readonly paintedAt: number;
  /** Where it has words. */
  readonly places: LabelPlaces;
  /** The least time in milliseconds until the next painting. */
  stays: number;
}

let ground: Ground | null = null;

/**
 * Milliseconds between two paintings of a crowd of nodes during playback. A slow painting makes it longer. The messages on it move at every
 * frame.
 */
const CROWD_MS = 90;
const PAINTINGS_BETWEEN = 6;

export function paintNetwork(ctx: CanvasRenderingContext2D, given: Size): void {
  if (given.width !== size.peek().width || given.height !== size.peek().height) size.value = given;
  if (positions.value.xs.length === 0) return;
  const names = recording.value.nodes.names;
  const drawnOn = (ctx: CanvasRenderingContext2D): Drawn => ({
    ctx,
    view: currentView.value,
    ...drawnAt.value,
    names: labels.value,
    count: spotsDrawn.value,
    folds: folds.value,
  });
  const inputs = [
    theme.value,
    currentView.value,
    drawnAt.value,
    links.value,
    emphasis.value,
    ctx.canvas.width,
    ctx.canvas.height,
    scene.value,
  ];
  if (!ground || !mayStay(ground, inputs, isPlaying.value && names.length > CROWD)) {
    const canvas = ground?.canvas ?? document.createElement('canvas');
    const began = performance.now();
    const places = paintGround(drawnOn(sized(canvas, given)));
    ctx.drawImage(canvas, 0, 0, given.width, given.height);
    const paintedAt = performance.now();
    ground = { canvas, inputs, paintedAt, places, stays: Math.max(CROWD_MS, PAINTINGS_BETWEEN * (paintedAt - began)) };
  } else ctx.drawImage(ground.canvas, 0, 0, given.width, given.height);
  drawMessages(drawnOn(ctx), moving(), emphasis.value, ground.places);
}

/** The scene is the last of the inputs, and the only one that may lag behind. */
function mayStay({ inputs: painted, paintedAt, stays }: Ground, inputs: readonly unknown[], mayLag: boolean): boolean {
  const differs = inputs.findIndex((input, i) => input !== painted[i]);
  return differs < 0 || (mayLag && differs === inputs.length - 1 && performance.now() - paintedAt < stays);
}

function paintGround(drawn: Drawn): LabelPlaces {
  drawPrograms(drawn, programs.value ?? []);
  if (communities.value) {
    drawRoads(drawn, links.value);
    drawWay(drawn, emphasis.value);
    drawCommunities(drawn, communities.value, scene.value, emphasis.value);
    drawFolds(drawn, folds.value, LabelPlaces.on(drawn));
    return LabelPlaces.full();
  }
  // The nodes of a group are in several programs, and bands between these would hide them.
  drawGroups(drawn, scene.value, programs.value ? [] : links.value);
  drawLinks(drawn, links.value);
  drawWay(drawn, emphasis.value);
  drawPointers(drawn, scene.value);
  drawSelection(drawn, emphasis.value);
  drawNodes(drawn, scene.value);
  drawGauges(drawn, scene.value);
  return drawLabels(drawn, { scene: scene.value, programs: programs.value ?? [], emphasis: emphasis.value });
}
