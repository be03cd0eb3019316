/** Colors for the views that are painted on a canvas, read from the variables of the page's style sheet, for each theme. */
import type { Overlay } from '../../machines/protocol.js';
import { theme, type Theme } from './shell.js';

export type Tone = NonNullable<Overlay['tone']>;
export const TONES: readonly Tone[] = ['plain', 'waiting', 'active', 'held', 'wrong'];

export interface Palette {
  readonly ink: string;
  readonly muted: string;
  readonly faint: string;
  readonly panel: string;
  readonly line: string;
  readonly now: string;
  readonly selected: string;
  readonly found: string;
  readonly wrong: string;
  readonly tones: Readonly<Record<Tone, { readonly fill: string; readonly edge: string; readonly text: string }>>;
  readonly states: readonly string[];
  readonly messages: readonly string[];
  readonly groups: readonly string[];
}

/** How many colors there are for things that only the order of their appearance distinguishes. Each of these has its own colors. */
const COUNTS = { state: 8, message: 8, group: 3 } as const;
type Series = keyof typeof COUNTS;

/** The property of the style sheet with the color of the state, the type of messages or the group with this number. */
const propertyOf = (series: Series, number: number): string => `${series}-${number % COUNTS[series]}`;
const colorsOf = (series: Series, color: (name: string) => string): string[] =>
  Array.from({ length: COUNTS[series] }, (_, i) => color(propertyOf(series, i)));

const read = new Map<Theme, Palette>();

/** Returns the palette for drawing, after the style sheet has the theme. */
export function palette(): Palette {
  const known = read.get(theme.peek());
  if (known) return known;
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const tone = (name: Tone) =>
    [name, { fill: color(`${name}-fill`), edge: color(`${name}-edge`), text: color(`${name}-text`) }] as const;
  const fresh: Palette = {
    ink: color('ink'),
    muted: color('muted'),
    faint: color('faint'),
    panel: color('panel'),
    line: color('line'),
    now: color('now'),
    selected: color('selected'),
    found: color('found'),
    wrong: color('wrong-edge'),
    tones: Object.fromEntries(TONES.map(tone)) as Palette['tones'],
    states: colorsOf('state', color),
    messages: colorsOf('message', color),
    groups: colorsOf('group', color),
  };
  read.set(theme.peek(), fresh);
  return fresh;
}

export const stateColor = (number: number): string => palette().states[number % COUNTS.state]!;
export const messageColor = (number: number): string => palette().messages[number % COUNTS.message]!;
export const groupColor = (number: number): string => palette().groups[number % COUNTS.group]!;

/** A color for HTML, as a CSS variable that follows the theme. */
export const colorStyle = (series: Series, number: number): string => `var(--${propertyOf(series, number)})`;
