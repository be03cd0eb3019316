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
  readonly accent: string;
  readonly wrong: string;
  readonly tones: Readonly<Record<Tone, { readonly fill: string; readonly edge: string; readonly text: string }>>;
  /** For things that only the order of their appearance distinguishes: kinds of messages, pointers, states. */
  readonly kinds: readonly string[];
}

const KIND_COLORS = 8;
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
    accent: color('accent'),
    wrong: color('wrong-edge'),
    tones: Object.fromEntries(TONES.map(tone)) as Palette['tones'],
    kinds: Array.from({ length: KIND_COLORS }, (_, i) => color(`kind-${i}`)),
  };
  read.set(theme.peek(), fresh);
  return fresh;
}

export const kindColor = (number: number): string => palette().kinds[number % KIND_COLORS]!;

/** The color of `kindColor` for HTML, as a CSS variable that follows the theme. */
export const kindStyle = (number: number): string => `var(--kind-${number % KIND_COLORS})`;
