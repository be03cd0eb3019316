/**
 * Draws a concept as a moving picture: one SVG with CSS animation, without a script. It follows the color scheme of the page, and a reader
 * who prefers reduced motion sees its last scene.
 */

/** A picture in scenes. Nodes and links stay; everything else changes from scene to scene. */
export interface Diagram {
  /** For readers who do not see the picture. */
  readonly label: string;
  /** Circles with a letter: their centers. */
  readonly nodes: Readonly<Record<string, readonly [x: number, y: number]>>;
  readonly links: readonly (readonly [from: string, to: string])[];
  readonly scenes: readonly Scene[];
}

export interface Scene {
  readonly caption: string;
  /** Nodes that have crashed. */
  readonly dead?: readonly string[];
  /** Nodes that are emphasized, as a leader is. */
  readonly strong?: readonly string[];
  /** Links that are cut. */
  readonly cut?: readonly (readonly [from: string, to: string])[];
  /** Pointers between nodes. */
  readonly pointers?: readonly (readonly [from: string, to: string])[];
  /** Boxes with a text, next to a node or on the way between two. A box keeps its name while it moves. */
  readonly boxes?: Readonly<Record<string, readonly [place: string | readonly [from: string, to: string], text: string]>>;
}

export const WIDTH = 640;
const HEIGHT = 200;
const SECONDS_PER_SCENE = 2;
const RADIUS = 28;
const BOX = { width: 46, height: 26, above: 50 };
/** The part of a scene in which its changes happen. */
const CHANGE = 0.25;

const COLORS = {
  ink: ['#1f2933', '#f5f7fa'],
  faint: ['#52606d', '#cbd2d9'],
  line: ['#7b8794', '#9aa5b1'],
  node: ['#e4e7eb', '#323f4b'],
  strong: ['#c5e4f5', '#124e70'],
  accent: ['#0b69a3', '#40c3f7'],
  'on-accent': ['#ffffff', '#102a43'],
  dead: ['#cf1124', '#f86a6a'],
} as const;

const variables = (scheme: 0 | 1): string =>
  Object.entries(COLORS)
    .map(([name, colors]) => `--${name}: ${colors[scheme]}`)
    .join('; ');

const STYLE = `
    svg { ${variables(0)} }
    @media (prefers-color-scheme: dark) { svg { ${variables(1)} } }
    text { font: 15px system-ui, sans-serif; fill: var(--ink); text-anchor: middle }
    .link { stroke: var(--line); stroke-width: 2 }
    .node { fill: var(--node); stroke: var(--faint); stroke-width: 2 }
    .strong { fill: var(--strong); stroke: var(--accent); stroke-width: 4 }
    .dead { fill: none; stroke: var(--dead); stroke-width: 5; stroke-linecap: round }
    .pointer { fill: none; stroke: var(--accent); stroke-width: 3 }
    .head { fill: var(--accent) }
    .box { fill: var(--accent) }
    .in-box { font-size: 14px; font-weight: 600; fill: var(--on-accent) }`;

/** The text of the SVG. */
export function drawDiagram({ label, nodes, links, scenes }: Diagram): string {
  const timeline = new Timeline(scenes.length);
  const place = (id: string) => nodes[id]!;
  const shownIn = (isShown: (scene: Scene) => boolean) => timeline.shown(scenes.map(isShown));
  const isIn = (pairs: Scene['pointers'], [from, to]: readonly [string, string]) =>
    pairs?.some(([a, b]) => a === from && b === to) ?? false;
  const pointers = distinct(scenes.flatMap(({ pointers = [] }) => pointers));

  const parts = [
    ...links.map((link) => {
      const [[x1, y1], [x2, y2]] = [place(link[0]), place(link[1])];
      return `<path class="link ${shownIn(({ cut }) => !isIn(cut, link))}" d="M${x1} ${y1}L${x2} ${y2}"/>`;
    }),
    ...pointers.map((pair) =>
      arrow(
        place(pair[0]),
        place(pair[1]),
        shownIn((scene) => isIn(scene.pointers, pair)),
      ),
    ),
    ...Object.entries(nodes).map(([id, [x, y]]) =>
      [
        `<circle class="node" cx="${x}" cy="${y}" r="${RADIUS}"/>`,
        ...(scenes.some(({ strong }) => strong?.includes(id))
          ? [
              `<circle class="strong ${shownIn(({ strong }) => strong?.includes(id) ?? false)}" cx="${x}" cy="${y}" r="${RADIUS}"/>`,
            ]
          : []),
        `<text x="${x}" y="${y + 5}">${id}</text>`,
        ...(scenes.some(({ dead }) => dead?.includes(id))
          ? [
              `<path class="dead ${shownIn(({ dead }) => dead?.includes(id) ?? false)}" d="M${x - 20} ${y - 20}l40 40m0 -40l-40 40"/>`,
            ]
          : []),
      ].join(''),
    ),
    ...boxNames(scenes).map((name) => box(name, scenes, place, timeline)),
    ...scenes.map(
      ({ caption }, i) =>
        `<text class="${timeline.shown(scenes.map((_, j) => i === j))}" x="${WIDTH / 2}" y="${HEIGHT - 12}">${caption}</text>`,
    ),
  ];
  const style = `<style>${STYLE}${timeline.css()}\n  </style>`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" role="img" aria-label="${label}">`;
  return `${head}\n  ${style}\n  ${parts.join('\n  ')}\n</svg>\n`;
}

/** Between the edges of two nodes, a little to the right of the line. */
function arrow([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number], className: string): string {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const at = (distance: number, side: number) =>
    `${Math.round(x1 + dx * distance - dy * side)} ${Math.round(y1 + dy * distance + dx * side)}`;
  const end = length - RADIUS - 4;
  return (
    `<g class="${className}"><path class="pointer" d="M${at(RADIUS + 2, 8)}L${at(end - 8, 8)}"/>` +
    `<path class="head" d="M${at(end, 8)}L${at(end - 12, 14)}L${at(end - 12, 2)}z"/></g>`
  );
}

function box(
  name: string,
  scenes: readonly Scene[],
  place: (id: string) => readonly [number, number],
  timeline: Timeline,
): string {
  const boxes = scenes.map(({ boxes = {} }) => boxes[name]);
  const centers = boxes.map((one) => {
    if (!one) return null;
    const [where] = one;
    if (typeof where === 'string') return [place(where)[0], place(where)[1] - BOX.above] as const;
    const [[x1, y1], [x2, y2]] = [place(where[0]), place(where[1])];
    return [(x1 + x2) / 2, (y1 + y2) / 2 - BOX.height / 2] as const;
  });
  const known = centers.map((center, i) => center ?? centers.slice(i).find(Boolean) ?? centers.slice(0, i).findLast(Boolean)!);
  const texts = [...new Set(boxes.flatMap((one) => (one ? [one[1]] : [])))];
  const width = Math.max(BOX.width, ...texts.map((text) => text.length * 8 + 16));
  return (
    `<g class="${timeline.shown(boxes.map((one) => one !== undefined))}"><g class="${timeline.moved(known)}">` +
    `<rect class="box" x="${-width / 2}" y="${-BOX.height / 2}" width="${width}" height="${BOX.height}" rx="5"/>` +
    texts
      .map((text) => `<text class="in-box ${timeline.shown(boxes.map((one) => one?.[1] === text))}" y="5">${text}</text>`)
      .join('') +
    `</g></g>`
  );
}

const boxNames = (scenes: readonly Scene[]): readonly string[] => [
  ...new Set(scenes.flatMap(({ boxes = {} }) => Object.keys(boxes))),
];

const distinct = (pairs: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] => [
  ...new Map(pairs.map((pair) => [pair.join(), pair])).values(),
];

/** Collects the animations. Things that change together have the same class. */
class Timeline {
  private readonly names = new Map<string, string>();

  constructor(private readonly scenes: number) {}

  shown(isShown: readonly boolean[]): string {
    return isShown.every(Boolean) ? '' : this.animated(isShown.map((one) => `opacity: ${one ? 1 : 0}`));
  }

  moved(centers: readonly (readonly [number, number])[]): string {
    return this.animated(centers.map(([x, y]) => `transform: translate(${x}px, ${y}px)`));
  }

  css(): string {
    const seconds = this.scenes * SECONDS_PER_SCENE;
    const rules = [...this.names].map(([frames, name]) => {
      const last = frames.split('|').at(-1)!;
      return `\n    .${name} { ${last} }\n    @keyframes ${name} { ${this.frames(frames.split('|'))} }`;
    });
    const animations = [...this.names.values()].map((name) => `.${name} { animation: ${name} ${seconds}s infinite }`);
    return `${rules.join('')}\n    @media (prefers-reduced-motion: no-preference) { ${animations.join(' ')} }`;
  }

  private animated(values: readonly string[]): string {
    const key = values.join('|');
    if (!this.names.has(key)) this.names.set(key, `a${this.names.size + 1}`);
    return this.names.get(key)!;
  }

  /** A value holds until its scene ends, and changes at the beginning of the next one. */
  private frames(values: readonly string[]): string {
    const percent = (scene: number) => `${Math.round((scene / this.scenes) * 1000) / 10}%`;
    return values
      .flatMap((value, i) => [`${percent(i === 0 ? 0 : i + CHANGE)} { ${value} }`, `${percent(i + 1)} { ${value} }`])
      .join(' ');
  }
}
