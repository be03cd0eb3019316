/** One color, one meaning: where each color of the page may be used, and how far apart colors are in both themes. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Meaning {
  /** The selectors of style sheets that use the color; each matches. */
  readonly styles?: RegExp;
  /** The functions and constants of the page's modules that use the color. */
  readonly modules?: readonly string[];
}

const neutral: Meaning = {};
/** For each color, everything that has it. A second meaning needs a second color. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ground: neutral,
  panel: neutral,
  ink: neutral,
  muted: neutral,
  line: neutral,
  faint: neutral,
  plain: neutral,
  // The step at the playhead: its line, the transitions it took, the values it changed.
  now: {
    styles: /is-now|is-taken|head-taken|is-possible|is-changed|plot-now|aria-current='step'|playhead|thumb|\.done/,
    modules: ['drawPlayhead', 'drawDot'],
  },
  // The viewer's choice: a node, a message, a row, a mode, the place of the keyboard.
  selected: {
    styles: /focus|is-selected|aria-selected='true'|aria-pressed='true'|\.(way|all-nodes) \[aria-current/,
    modules: ['drawCommunities', 'drawWay', 'writeLabels', 'drawSelection', 'drawArrow', 'drawNames'],
  },
  // Results of a search or a query.
  found: { styles: /is-found|is-hit|\.hits|\.held/, modules: ['drawHeld', 'drawDot'] },
  // Differences from another run or version.
  differs: { styles: /differs|is-different/ },
  // Failures: violated, lost, cut, crashed, refused, not covered, not valid.
  wrong: {
    styles: /wrong|invalid|violat|failed|gone|crashed|error|problem|lost|refused|missed|endless|^\.count$/,
    modules: [
      'drawLinks',
      'drawRoads',
      'drawCommunities',
      'drawSlices',
      'drawWrong',
      'drawMarks',
      'drawDots',
      'drawCircles',
      'drawCross',
      'drawDot',
      'plots',
      'SAMPLES',
      'Lives',
    ],
  },
  // Marks of a protocol on its nodes.
  tones: {
    modules: ['drawDots', 'drawCircles', 'lookOf', 'drawName', 'drawStretch', 'chipsOf', 'Legend'],
  },
  // A state of a chart, in lanes, nodes, plots, tables and the chart.
  state: {
    styles: /is-active|\.chip/,
    modules: [
      'drawStates',
      'drawSlices',
      'writeNames',
      'lookOf',
      'nodesByState',
      'stateStyle',
      'States',
      'ChartPicture',
      'Thumbnail',
      'chipsOf',
      'State',
      'Group',
      'Picture',
    ],
  },
  // A type of messages.
  message: {
    modules: ['moving', 'movingOn', 'drawArrow', 'messagesSent', 'MessageCard', 'SidePicture', 'Legend'],
  },
  // A group of nodes, such as the followers of one leader.
  group: { modules: ['drawGroups', 'Legend'] },
};
const TONES = ['waiting', 'active', 'held'];

const here = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const files = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' });
const sheets = files.filter((file) => file.endsWith('.css'));
const modules = files.filter(
  (file) => /(?<!\.test|\.d)\.tsx?$/.test(file) && !file.startsWith('testing') && file !== 'colors.ts',
);

/** The name of the meaning of a custom property, such as "wrong" of "wrong-fill" and "state" of "state-3". */
const meaningOf = (property: string): string => {
  const [name] = property.split('-') as [string];
  return TONES.includes(name) ? 'tones' : name;
};

const colorsIn = (block: string): Map<string, string> =>
  new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name!, value!]));
const [light, dark] = here('styles/theme.css')
  .split(/^:root\[data-theme='dark'\]/m)
  .map(colorsIn) as [Map<string, string>, Map<string, string>];

/** A color in OKLab, in which equal distances look equal. */
function oklab(hex: string): readonly number[] {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}
const distance = (a: string, b: string): number => Math.hypot(...oklab(a).map((value, i) => value - oklab(b)[i]!));
/** Almost twice the smallest visible difference. */
const DISTANCE_MIN = 0.035;

test('both themes have the same colors, each of them with a meaning', () => {
  expect([...dark.keys()]).toEqual([...light.keys()]);
  expect([...new Set([...light.keys()].map(meaningOf))].sort()).toEqual(Object.keys(MEANINGS).sort());
});

test.each([
  ['light', light],
  ['dark', dark],
])('no two meanings look alike in the %s theme', (_, theme) => {
  // The text of a mark is black or white with a tint: its fill is what one sees.
  const colors = [...theme].filter(([name]) => !name.endsWith('-text'));
  const alike = colors.flatMap(([a, color], i) =>
    colors
      .slice(i + 1)
      .filter(([b]) => meaningOf(a) !== meaningOf(b) || /-\d$/.test(b))
      .filter(([b]) => MEANINGS[meaningOf(a)] !== neutral || MEANINGS[meaningOf(b)] !== neutral)
      .filter(([, other]) => distance(color, other) < DISTANCE_MIN)
      .map(([b]) => `${a} and ${b}`),
  );
  expect(alike).toEqual([]);
});

const rulesOf = (sheet: string) =>
  [
    ...here(sheet)
      .replaceAll(/\/\*.*?\*\//gs, '')
      .matchAll(/([^{}]+)\{([^{}]*)\}/g),
  ].map(([, selectors, body]) => ({
    selectors: selectors!.split(',').map((selector) => selector.trim().replaceAll(/\s+/g, ' ')),
    body: body!,
  }));

test('style sheets use each color for its meaning', () => {
  const strange = sheets.flatMap((sheet) =>
    rulesOf(sheet).flatMap(({ selectors, body }) =>
      [...body.matchAll(/var\(--([\w-]+)\)/g)].flatMap(([, property]) => {
        const meaning = MEANINGS[meaningOf(property!)];
        if (meaning === neutral || !(light.has(property!) || property === 'state')) return [];
        return selectors.filter((selector) => !meaning?.styles?.test(selector)).map((selector) => `${property} in ${selector}`);
      }),
    ),
  );
  expect(strange).toEqual([]);
});

test('style sheets other than the theme contain no colors but black shadows', () => {
  const bare = sheets
    .filter((sheet) => !sheet.endsWith('theme.css'))
    .flatMap((sheet) => here(sheet).match(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)\((?!0 0 0 \/)[^)]*\)/g) ?? []);
  expect(bare).toEqual([]);
});

/** How a module names a color: a field of the palette, a function, or a custom property. */
const USES =
  /(?:palette\(\)|\bcolors)\.(now|selected|found|wrong|tones)\b|\b(state|message|group)(?:Color|Style)\(|colorStyle\('(state|message|group)'|--(state)'|--\$\{(tone)\}|(?:var\(--|: ')(wrong)\b/g;

/** The uses of colors in a module, with the function or constant around each. */
function usesIn(module: string): { readonly meaning: string; readonly within: string }[] {
  const text = here(module);
  const declarations = [...text.matchAll(/^(?:export )?(?:async )?(?:function|const) (\w+)/gm)];
  return [...text.matchAll(USES)].map((match) => ({
    meaning: match
      .slice(1)
      .find((name) => name !== undefined)!
      .replace(/^tone$/, 'tones'),
    within: declarations.findLast(({ index }) => index <= match.index)?.[1] ?? '',
  }));
}

test('modules use each color for its meaning', () => {
  const uses = modules.flatMap((module) => usesIn(module).map((use) => ({ module, ...use })));
  const strange = uses.filter(({ meaning, within }) => !MEANINGS[meaning]!.modules?.includes(within));
  expect(strange.map(({ module, meaning, within }) => `${meaning} in ${within} of ${module}`)).toEqual([]);
  expect(new Set(uses.map(({ meaning }) => meaning))).toEqual(
    new Set(['now', 'selected', 'found', 'wrong', 'tones', 'state', 'message', 'group']),
  );
});

test('modules contain no colors', () => {
  expect(modules.flatMap((module) => here(module).match(/['"`]#[0-9a-f]{3,8}['"`]/g) ?? [])).toEqual([]);
});
