/** The keys of the page, as its help lists them. */
import { ask, goToHit } from './ask.js';
import { zoomToFit, zoomToFollow } from './chart/pan.js';
import { changeSpeed, isPlaying, pauseAt, play, recording, selectedMessage, setAxis, axis, step, timed, trail } from './state.js';
import { isChartWide, isReachOpen, isHelpOpen, isPaletteOpen, maximized, toggleTheme } from './shell.js';

interface Key {
  readonly keys: readonly string[];
  readonly shown: string;
  readonly does: string;
  press(): void;
}

export const KEYS: readonly Key[] = [
  { keys: [' ', 'k'], shown: 'Space', does: 'play or pause', press: () => play(!isPlaying.value) },
  { keys: ['ArrowRight', '.'], shown: '→', does: 'one line forward', press: () => step('line', 1) },
  { keys: ['ArrowLeft', ','], shown: '←', does: 'one line back', press: () => step('line', -1) },
  { keys: ['Shift+ArrowRight', 'd'], shown: 'Shift →', does: 'to the next delivery', press: () => step('delivery', 1) },
  { keys: ['Shift+ArrowLeft', 'D'], shown: 'Shift ←', does: 'to the delivery before', press: () => step('delivery', -1) },
  { keys: ['v'], shown: 'v', does: 'to the next violation', press: () => step('violation', 1) },
  { keys: ['V'], shown: 'Shift v', does: 'to the violation before', press: () => step('violation', -1) },
  { keys: ['Home'], shown: 'Home', does: 'to the start', press: () => pauseAt(recording.value.first - 1) },
  { keys: ['End'], shown: 'End', does: 'to the end', press: () => pauseAt(recording.value.end - 1) },
  { keys: ['+', '='], shown: '+', does: 'faster', press: () => changeSpeed(1) },
  { keys: ['-'], shown: '−', does: 'slower', press: () => changeSpeed(-1) },
  {
    keys: ['a'],
    shown: 'a',
    does: 'axis: time or lines',
    press: () => timed.value && setAxis(axis.value === 'time' ? 'lines' : 'time'),
  },
  {
    keys: ['f'],
    shown: 'f',
    does: 'follow the selected message',
    press: () => selectedMessage.value >= 0 && (trail.value = trail.value ? null : 'forwarded'),
  },
  {
    keys: ['g'],
    shown: 'g',
    does: 'intervene: what can be done to the selection',
    press: () => (isReachOpen.value = !isReachOpen.value),
  },
  { keys: ['/'], shown: '/', does: 'ask for lines of the trace, or go back to the question', press: ask },
  { keys: ['n'], shown: 'n', does: 'to the next line that answers', press: () => goToHit(1) },
  { keys: ['N'], shown: 'Shift n', does: 'to the line before that answers', press: () => goToHit(-1) },
  { keys: ['c'], shown: 'c', does: 'half the page for the chart', press: () => (isChartWide.value = !isChartWide.value) },
  { keys: ['0'], shown: '0', does: 'the whole chart', press: zoomToFit },
  { keys: ['1'], shown: '1', does: 'the chart follows the active states', press: zoomToFollow },
  { keys: ['Escape'], shown: 'Esc', does: 'back to all views', press: () => (maximized.value = null) },
  { keys: ['t'], shown: 't', does: 'light or dark', press: () => toggleTheme() },
  { keys: ['?'], shown: '?', does: 'this help', press: () => (isHelpOpen.value = !isHelpOpen.value) },
];

/** Elements that take all keys. A checkbox takes only the space bar. */
const WRITTEN_IN = 'input:not([type=checkbox]), select, textarea';

/** Handles the keys of the page. Views that use a key themselves stop its event before it arrives here. */
export function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
    event.preventDefault();
    isPaletteOpen.value = true;
    return;
  }
  // The browser closes an open dialog on Escape.
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches(WRITTEN_IN) || target.closest('dialog')) return;
  if (event.key === ' ' && target.matches('button, input, summary')) return;
  const name = event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key;
  const key = KEYS.find(({ keys }) => keys.includes(name));
  if (!key) return;
  event.preventDefault();
  key.press();
}
