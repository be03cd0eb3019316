/** Controls that add nodes to the network's picture. With "links by distance", nodes within a range of each other are linked. */
import { act } from './live-reach.js';
import { freeName, freeSpot, linksWithin, putAt, range } from './network/by-hand.js';
import { links, middle, positions, spotsNow } from './network/picture.js';
import { recording, selectedNode } from './state.js';

/** In the plane of the picture. Linked nodes have a distance of about 90 by default. */
const RANGES = { least: 30, most: 600, usual: 100 } as const;

export function PlaceGestures() {
  return (
    <section aria-label="places">
      <label>
        <input
          type="checkbox"
          checked={range.value !== null}
          onChange={({ currentTarget: { checked } }) => (checked ? followPlaces() : (range.value = null))}
        />{' '}
        links by distance
      </label>
      {range.value !== null && (
        <label class="row">
          range
          <input
            type="range"
            min={RANGES.least}
            max={RANGES.most}
            value={range.value}
            onInput={({ currentTarget: { value } }) => (range.value = Number(value))}
          />
        </label>
      )}
      <div class="row">
        <button type="button" class="small" onClick={() => void addNode()}>
          add a node
        </button>
      </div>
    </section>
  );
}

/** Keeps all nodes at their places, with the range of the longest link. */
function followPlaces(): void {
  const { xs, ys } = positions.value;
  for (const [name, spot] of spotsNow()) putAt(name, spot);
  const up = links.value.filter(({ there, back }) => there || back);
  const lengths = up.map(({ a, b }) => Math.hypot(xs[a]! - xs[b]!, ys[a]! - ys[b]!));
  range.value = Math.min(RANGES.most, Math.ceil(Math.max(...lengths, RANGES.usual)));
}

async function addNode(): Promise<void> {
  const { names } = recording.value.nodes;
  const spots = spotsNow();
  const node = freeName(names);
  const spot = freeSpot(middle(), [...spots.values()]);
  for (const [name, place] of spots) putAt(name, place);
  putAt(node, spot);
  const near = range.value === null ? [] : linksWithin(range.value, node, new Map([...spots, [node, spot]]), () => false);
  await act([{ do: 'add', node }, ...near]);
  const added = recording.value.nodes.find(node);
  if (added >= 0) selectedNode.value = added;
}
