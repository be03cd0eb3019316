/** Compares the drawing of a chart, as SVG, with its machine: every transition from its declared source to its declared targets. */
import { DOMParser, type Element } from '@xmldom/xmldom';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { estimate } from './chart-layout.js';
import type { Box, ChartPoint } from './chart-shapes.js';

interface Line {
  readonly transition: string;
  readonly points: readonly ChartPoint[];
}

interface Drawing {
  readonly page: Box;
  readonly states: ReadonlyMap<string, Box>;
  readonly lines: readonly Line[];
  readonly labels: readonly { readonly transition: string; readonly box: Box; readonly text: string }[];
  /** Transitions that are words inside a state, by the path of the state. */
  readonly internal: readonly { readonly transition: string; readonly state: string }[];
  readonly forks: ReadonlyMap<string, Box>;
  readonly words: readonly { readonly box: Box; readonly text: string; readonly state: string }[];
}

/** The errors in the drawing of a machine; empty if it is right. */
export function drawingErrors(svg: string, machine: AnyStateMachine): string[] {
  const drawing = readDrawing(svg);
  const nodes = nodesIn(machine.root);
  return [
    ...nodes.filter((node) => !drawing.states.has(pathOf(node))).map((node) => `the state ${pathOf(node)} is not drawn`),
    ...nodes.flatMap((node) => transitionsOf(node)).flatMap((transition) => transitionErrors(drawing, transition)),
    ...unknownTransitions(drawing, nodes.flatMap(transitionsOf)),
    ...boxErrors(drawing, nodes),
    ...labelErrors(drawing, nodes),
    ...lineErrors(drawing, nodes),
    ...drawing.words.flatMap(({ box, text }) =>
      drawing.lines.some(({ points }) => crosses(points, inset(box))) ? [`a line crosses "${text}"`] : [],
    ),
  ];
}

const nodesIn = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesIn)];
const pathOf = ({ path }: AnyStateNode): string => path.join('.');

interface Declared {
  readonly name: string;
  readonly source: string;
  readonly targets: readonly string[];
}

function transitionsOf(node: AnyStateNode): Declared[] {
  const choices = new Map<string, number>();
  return [...[...node.transitions.values()].flat(), ...(node.always ?? [])].map(({ eventType, target }) => {
    const index = choices.get(eventType) ?? 0;
    choices.set(eventType, index + 1);
    return { name: `${pathOf(node)} ${eventType} ${index}`, source: pathOf(node), targets: (target ?? []).map(pathOf) };
  });
}

function transitionErrors(drawing: Drawing, { name, source, targets }: Declared): string[] {
  const problem = (error: string) => `${name}: ${error}`;
  const lines = drawing.lines.filter(({ transition }) => transition === name);
  const labels = drawing.labels.filter(({ transition }) => transition === name).length;
  const internal = drawing.internal.filter(({ transition }) => transition === name);
  if (targets.length === 0) {
    const isInside = internal.length === 1 && internal[0]!.state === source && lines.length + labels === 0;
    return isInside ? [] : [problem('it is not written once inside its state')];
  }
  const box = (path: string) => drawing.states.get(path)!;
  const fork = drawing.forks.get(name);
  const wanted: [Box, Box][] =
    targets.length === 1
      ? [[box(source), box(targets[0]!)]]
      : fork
        ? [[box(source), fork], ...targets.map((target): [Box, Box] => [fork, box(target)])]
        : [];
  const missing = wanted.filter(
    ([from, to]) => lines.filter(({ points }) => isOnBorder(from, points[0]!) && isOnBorder(to, points.at(-1)!)).length !== 1,
  );
  return [
    ...(lines.length === wanted.length && missing.length === 0
      ? []
      : [problem('it is not drawn from its source to its targets')]),
    ...(labels === 1 && internal.length === 0 ? [] : [problem('its words are not on its line once')]),
  ];
}

function unknownTransitions({ lines, labels, internal }: Drawing, declared: readonly Declared[]): string[] {
  const names = new Set(declared.map(({ name }) => name));
  const unknown = [...lines, ...labels, ...internal].filter(({ transition }) => !names.has(transition));
  return unknown.map(({ transition }) => `${transition}: the machine does not have it`);
}

function boxErrors({ page, states, words }: Drawing, nodes: readonly AnyStateNode[]): string[] {
  const errors: string[] = [];
  for (const node of nodes) {
    const box = states.get(pathOf(node))!;
    if (!contains(node.parent ? states.get(pathOf(node.parent))! : page, box)) errors.push(`${pathOf(node)} sticks out`);
    const children = Object.values(node.states).map(pathOf);
    for (const [i, one] of children.entries())
      for (const other of children.slice(i + 1))
        if (overlap(states.get(one)!, states.get(other)!)) errors.push(`${one} and ${other} overlap`);
  }
  const cut = words.filter(({ box, state }) => !contains(states.get(state)!, box));
  return [...errors, ...cut.map(({ text }) => `"${text}" is cut`)];
}

/** How far from its line the words of a loop may be. */
const LOOP_GAP = 8;

function labelErrors({ page, states, lines, labels }: Drawing, nodes: readonly AnyStateNode[]): string[] {
  const leaves = nodes.filter((node) => Object.keys(node.states).length === 0).map((node) => states.get(pathOf(node))!);
  return labels.flatMap(({ transition, box, text }, i) => {
    const own = lines.filter((line) => line.transition === transition);
    const near = { x: box.x - LOOP_GAP, y: box.y, width: box.width + 2 * LOOP_GAP, height: box.height };
    // Transitions between the same two states share a line.
    const shared = new Set(own.map(({ points }) => JSON.stringify(points)));
    const foreign = lines.filter(({ points }) => !shared.has(JSON.stringify(points)) && crosses(points, box));
    return [
      ...(own.some(({ points }) => crosses(points, near)) ? [] : ['is not at its line']),
      ...(contains(page, box) ? [] : ['is not inside of the picture']),
      ...(leaves.some((leaf) => overlap(leaf, box)) ? ['covers a state'] : []),
      ...(labels.slice(i + 1).some((other) => overlap(other.box, box)) ? ['covers another label'] : []),
      ...(foreign.length > 0 ? ['lies on the line of another transition'] : []),
      ...(Math.max(...text.split('\n').map((line) => estimate(line, 'label'))) <= box.width ? [] : ['is cut']),
    ].map((error) => `the label "${text}" ${error}`);
  });
}

/** No line runs through a state without states inside. */
function lineErrors({ states, lines }: Drawing, nodes: readonly AnyStateNode[]): string[] {
  const leaves = nodes.filter((node) => Object.keys(node.states).length === 0 && node.parent);
  return lines.flatMap(({ transition, points }) =>
    leaves
      .filter((leaf) => crosses(points, inset(states.get(pathOf(leaf))!)))
      .map((leaf) => `the line of ${transition} crosses ${pathOf(leaf)}`),
  );
}

const inset = ({ x, y, width, height }: Box): Box => ({ x: x + 1, y: y + 1, width: width - 2, height: height - 2 });

const contains = (outer: Box, inner: Box): boolean =>
  inner.x >= outer.x - 0.5 &&
  inner.y >= outer.y - 0.5 &&
  inner.x + inner.width <= outer.x + outer.width + 0.5 &&
  inner.y + inner.height <= outer.y + outer.height + 0.5;

const overlap = (a: Box, b: Box): boolean =>
  a.x + a.width > b.x + 0.5 && b.x + b.width > a.x + 0.5 && a.y + a.height > b.y + 0.5 && b.y + b.height > a.y + 0.5;

function isOnBorder({ x, y, width, height }: Box, point: ChartPoint): boolean {
  const outside = Math.max(x - point.x, point.x - x - width, y - point.y, point.y - y - height);
  return Math.abs(outside) < 1;
}

/** True if a line of horizontal and vertical parts enters a box. */
const crosses = (points: readonly ChartPoint[], box: Box): boolean =>
  points.slice(1).some((to, i) => {
    const from = points[i]!;
    const part = {
      x: Math.min(from.x, to.x),
      y: Math.min(from.y, to.y),
      width: Math.abs(to.x - from.x),
      height: Math.abs(to.y - from.y),
    };
    return (
      part.x <= box.x + box.width && box.x <= part.x + part.width && part.y <= box.y + box.height && box.y <= part.y + part.height
    );
  });

function readDrawing(svg: string): Drawing {
  const { documentElement: root } = new DOMParser().parseFromString(svg, 'image/svg+xml');
  const withClass = (name: string): Element[] =>
    [...root!.getElementsByTagName('*')].filter((one) => (one.getAttribute('class') ?? '').split(' ').includes(name));
  const nameOf = (one: Element) => one.getAttribute('data-transition')!;
  const [, , width, height] = root!.getAttribute('viewBox')!.split(' ').map(Number);
  return {
    page: { x: 0, y: 0, width: width!, height: height! },
    states: new Map(withClass('state').map((one) => [one.getAttribute('data-state') ?? '', boxOf(firstRect(one))])),
    lines: withClass('edge').map((one) => ({ transition: nameOf(one), points: pointsOf(one.getAttribute('d')!) })),
    labels: withClass('edge-label').map((one) => ({
      transition: nameOf(one),
      box: boxOf(firstRect(one)),
      text: [...one.getElementsByTagName('text')].map((line) => line.textContent).join('\n'),
    })),
    internal: withClass('internal').map((one) => ({
      transition: nameOf(one),
      state: stateOf(one),
    })),
    forks: new Map(withClass('fork').map((one) => [nameOf(one), boxOf(one)])),
    words: [...withClass('name'), ...withClass('words')].map((one) => {
      const text = one.textContent ?? '';
      const [x, y] = [Number(one.getAttribute('x')), Number(one.getAttribute('y'))];
      const size = one.getAttribute('class')!.includes('name') ? 'name' : 'label';
      return { text, state: stateOf(one), box: { x, y: y - 11, width: estimate(text, size), height: 14 } };
    }),
  };
}

/** The path of the state around. */
const stateOf = (one: Element): string => {
  const group = one.parentNode as Element;
  return (group.getAttribute('class') ?? '').startsWith('state') ? (group.getAttribute('data-state') ?? '') : stateOf(group);
};

const firstRect = (one: Element): Element => one.getElementsByTagName('rect')[0]!;

function boxOf(rect: Element): Box {
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(rect.getAttribute(name)));
  return { x: x!, y: y!, width: width!, height: height! };
}

/** The points of a line whose bends are rounded: those of a bend are the one that it curves around. */
function pointsOf(path: string): ChartPoint[] {
  const parts = [...path.matchAll(/([MLQ])([^MLQ]*)/g)].map(([, kind, numbers]) => ({
    kind,
    numbers: numbers!
      .trim()
      .split(/[\s,]+/)
      .map(Number),
  }));
  return parts.flatMap(({ kind, numbers: [x, y] }, i) => (kind === 'L' && parts[i + 1]?.kind === 'Q' ? [] : [{ x: x!, y: y! }]));
}
