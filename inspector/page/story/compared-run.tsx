/** The network of the run that a story compares with the main one. It is only shown and accepts no gestures. */
import { computed } from '@preact/signals';
import { Moment } from '../../model/moment.js';
import { progress } from '../../model/playback.js';
import { numberText } from '../../model/words.js';
import { Canvas } from '../canvas.js';
import { messageColor } from '../colors.js';
import { drawLinks, drawPointers } from '../network/draw-links.js';
import { drawGauges, drawGroups, drawMessages, drawNodes, type MovingMessage } from '../network/draw.js';
import { drawLabels } from '../network/draw-labels.js';
import { between, loopAt, radiusAt, toCanvas } from '../network/geometry.js';
import type { Drawn } from '../network/ink.js';
import { currentView, MESSAGES_MAX, positions } from '../network/picture.js';
import { SceneReader } from '../network/scene.js';
import { recording } from '../state.js';
import { comparedAxis, comparedAt, comparedRun } from './state.js';

const NOTHING = { node: -1, hovered: -1, message: -1, link: null, range: null, way: [] };

const reader = computed(() => comparedRun.value && new SceneReader(comparedRun.value.run));
const momentThere = computed(() => new Moment(comparedRun.value!.run, comparedAt.value.line));

/** The same nodes have the same places as in the large picture, and move with it. */
const hasSameNodes = computed(() => {
  const { names } = comparedRun.value!.run.nodes;
  return names.length === recording.value.nodes.size && names.every((name, node) => name === recording.value.nodes.names[node]);
});

function paint(ctx: CanvasRenderingContext2D): void {
  const { run } = comparedRun.value ?? {};
  const { xs, ys } = positions.value;
  if (!run || !reader.value || xs.length < run.nodes.size) return;
  const drawn = { ctx, view: currentView.value, xs, ys, names: run.nodes.names, count: xs.length, folds: [] };
  const scene = reader.value.scene(momentThere.value);
  const links = reader.value.links(momentThere.value);
  drawGroups(drawn, scene, links);
  drawLinks(drawn, links);
  drawPointers(drawn, scene);
  drawNodes(drawn, scene);
  drawGauges(drawn, scene);
  const places = drawLabels(drawn, { scene, programs: [], emphasis: NOTHING });
  drawMessages(drawn, movingOn(drawn), NOTHING, places);
}

function movingOn({ view, xs, ys }: Drawn): MovingMessage[] {
  const { run } = comparedRun.value!;
  const radius = radiusAt(view.scale, xs.length);
  const spot = (node: number) => toCanvas(view, xs[node] ?? 0, ys[node] ?? 0);
  return momentThere.value
    .flights()
    .slice(0, MESSAGES_MAX)
    .map((message) => ({
      ordinal: message.ordinal,
      chain:
        message.from === message.to
          ? loopAt(spot(message.from), radius)
          : between(reader.value!.route(message.from, message.to).map(spot), radius),
      part: progress(run, comparedAxis.value, message, comparedAt.value.x),
      color: messageColor(run.messages.types.find(message.type)),
      label: message.type,
    }));
}

export function ComparedView() {
  const comparedTo = comparedRun.value;
  if (!comparedTo) return null;
  const description = `Network of the run ${comparedTo.name} at ${numberText(comparedAt.value.x)}: ${momentThere.value.flights().length} messages on their way`;
  return (
    <section class="panel compared" aria-labelledby="title-compared">
      <header class="panel-head">
        <h2 id="title-compared">Compared with: {comparedTo.name}</h2>
      </header>
      <div class="panel-body">
        {hasSameNodes.value ? (
          <Canvas key={comparedTo.name} class="picture" paint={paint} label={description} />
        ) : (
          <p class="empty">This run has other nodes. Compare the two in the tab compare.</p>
        )}
      </div>
    </section>
  );
}
