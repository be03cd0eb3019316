/** What the network's picture is made of at the playhead, as signals, and the painting of it. */
import { computed, signal } from '@preact/signals';
import { progress } from '../../model/playback.js';
import type { Size } from '../canvas.js';
import { kindColor } from '../colors.js';
import { axis, moment, playhead, recording, revision, selectedMessage, selectedNode, way } from '../state.js';
import { drawLinks, drawMarks, drawMessages, drawNames, drawNodes, drawPointers, drawSelection, drawWay, type Drawn, type MovingMessage } from './draw.js';
import { placeNodes, type Placement } from './force.js';
import { fit, toCanvas, type View } from './geometry.js';
import { SceneReader } from './scene.js';

/** More moving messages than this are only counted. */
export const MESSAGES_MAX = 3000;

export const hovered = signal(-1);
/** `null` while everything is kept in sight. */
export const chosenView = signal<View | null>(null);
const size = signal<Size>({ width: 0, height: 0 });
export const placed = signal(0);

const hasHeader = computed(() => (revision.value, recording.value.header !== null));
export const reader = computed(() => (hasHeader.value ? new SceneReader(recording.value) : null));
export const placement = computed((): Placement | null => {
  if (!hasHeader.value) return null;
  const { nodes, header } = recording.value;
  return placeNodes(nodes.names, (header?.links ?? []).filter(([a, b]) => a !== b));
});
export const view = computed((): View => {
  placed.value;
  const { xs = [], ys = [] } = placement.value ?? {};
  return chosenView.value ?? fit(xs, ys, size.value.width, size.value.height);
});
export const scene = computed(() => reader.value?.scene(moment.value) ?? { nodes: [], pointers: [], marks: [] });
export const links = computed(() => reader.value?.links(moment.value) ?? []);
export const flights = computed(() => moment.value.flights());
const emphasis = computed(() => ({
  node: selectedNode.value,
  hovered: hovered.value,
  message: selectedMessage.value,
  way: way.value.flatMap(({ from, to }) => pairs(reader.value?.route(from, to) ?? [from, to])),
}));

const pairs = (path: readonly number[]): [number, number][] => path.slice(1).map((to, i) => [path[i]!, to]);

export function moving(): MovingMessage[] {
  const { xs, ys } = placement.value!;
  const { types } = recording.value.messages;
  return flights.value.slice(0, MESSAGES_MAX).map((message) => ({
    ordinal: message.ordinal,
    chain: reader.value!.route(message.from, message.to).map((node) => toCanvas(view.value, xs[node] ?? 0, ys[node] ?? 0)),
    part: progress(recording.value, axis.value, message, playhead.value.x),
    color: kindColor(types.find(message.type)),
    label: message.type,
  }));
}

export function paint(ctx: CanvasRenderingContext2D, given: Size): void {
  if (given.width !== size.peek().width || given.height !== size.peek().height) size.value = given;
  if (!placement.value || placement.value.xs.length === 0) return;
  const drawn: Drawn = { ctx, view: view.value, xs: placement.value.xs, ys: placement.value.ys, names: recording.value.nodes.names };
  drawLinks(drawn, links.value);
  drawWay(drawn, emphasis.value);
  drawPointers(drawn, scene.value);
  drawSelection(drawn, emphasis.value);
  drawNodes(drawn, scene.value);
  drawMarks(drawn, scene.value);
  drawNames(drawn, scene.value, emphasis.value);
  drawMessages(drawn, moving(), emphasis.value);
}

