/**
 * The words of a chart's picture, in the notation of UML and XState: `event [guard] / actions` on a transition; `entry /`, `exit /`,
 * `invoke` and tags inside a state; `H` and `H*` for history.
 */
import type { Label } from './chart-shapes.js';
import type { ChartState, ChartTransition } from './chart.js';

/** A line with more characters is broken. */
const LINE_MAX = 30;
const INDENT = '   ';

const lastKey = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** The lines of text inside a state's box: its entry and exit actions, invoked actors and tags. */
export function notesOf({ tags, entry, exit, invokes, history, initialActions }: ChartState): string[] {
  return [
    ...(tags.length > 0
      ? wrap(
          tags.map((tag) => `#${tag}`),
          ' ',
        )
      : []),
    ...invokes.flatMap(({ id, source }) =>
      broken(isGeneratedId(id) || id === source ? `invoke ${source}` : `invoke ${source} as ${id}`),
    ),
    ...actionLines('entry', entry),
    ...actionLines('exit', exit),
    ...actionLines('initial', initialActions),
    ...(history && history.defaults.length > 0 ? broken(`default → ${history.defaults.map(lastKey).join(', ')}`) : []),
  ];
}

/** XState numbers the actors without an id. */
const isGeneratedId = (id: string): boolean => /^\d+\./.test(id);

/** `entry / a, b`, or `/ a, b` on the line of a transition. */
function actionLines(when: string, actions: readonly string[]): string[] {
  return actions.length === 0 ? [] : wrap(actions, ', ', `${when} / `.trimStart());
}

/**
 * The words on the line of a transition, or, for a transition without targets, inside its state.
 *
 * @param isGuardedBefore Whether an earlier choice for the same event has a guard: a choice without one is then the `[else]`.
 */
export function labelOf(transition: ChartTransition, isGuardedBefore: boolean): Label {
  const { label, guard, actions, targets, reenter } = transition;
  const event = `${label}${reenter ? ' ↻' : ''}`;
  const condition = guard === null ? (isGuardedBefore ? '[else]' : '') : `[${guard}]`;
  const isForbidden = targets.length === 0 && actions.length === 0;
  const head = isForbidden ? [event, condition, '(ignored)'] : [event, condition];
  const words = head.filter((word) => word !== '');
  return { transition, lines: [...wrap(words, ' '), ...actionLines('', actions)] };
}

/** Breaks words into lines of at most 30 characters where possible. All lines but the first are indented. */
function wrap(words: readonly string[], separator: string, start = ''): string[] {
  const lines: string[] = [];
  let line = start;
  for (const [i, word] of words.entries()) {
    const piece = i < words.length - 1 ? word + separator.trimEnd() : word;
    const isFirst = line === start || line === INDENT;
    const joined = isFirst ? line + piece : `${line} ${piece}`;
    if (isFirst || joined.length <= LINE_MAX) line = joined;
    else {
      lines.push(line);
      line = INDENT + piece;
    }
  }
  return [...lines, line].flatMap(broken);
}

/** A long line is broken after a point, a dash or a space, or before a capital. */
function broken(line: string): string[] {
  if (line.length <= LINE_MAX) return [line];
  const at = line.slice(LINE_MAX / 2, LINE_MAX).search(/[ .,:/_-](?!.*[ .,:/_-])|[a-z](?=[A-Z])(?!.*[a-z][A-Z])/);
  const cut = at < 0 ? LINE_MAX : LINE_MAX / 2 + at + 1;
  return [line.slice(0, cut).trimEnd(), ...broken(INDENT + line.slice(cut).trimStart())];
}
