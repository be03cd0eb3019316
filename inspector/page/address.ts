/**
 * The address of the page contains the view: after the trace or the story, the line, the node, the filter and the panel. Back returns to
 * the previous view, and a link opens the same view.
 */
import { batch, effect } from '@preact/signals';
import { askedText } from './ask.js';
import { currentLine, followsEnd, growing, isLoading, isPlaying, pauseAt, recording, selectedNode } from './state.js';
import { story } from './story/state.js';
import { tab, TABS, type Tab } from './tab.js';

interface View {
  /** Counted from 1; `null` at the end of what is live. */
  readonly line: number | null;
  readonly node: string | null;
  readonly ask: string;
  readonly panel: Tab;
}

const VIEW = /(?:^|&)(?:line|node|ask|panel)=.*$/;
/** Milliseconds. A view that is shown for a shorter time does not get an entry in the history. */
const SETTLE_MS = 250;

/** The content part of an address: a story, a trace, or nothing for the trace of the server. */
export const baseOf = (hash: string): string => hash.replace(/^#/, '').replace(VIEW, '');

/** The view in the address, or `null` if there is none. */
function viewIn(hash: string): View | null {
  const text = VIEW.exec(hash.replace(/^#/, ''))?.[0].replace(/^&/, '');
  if (text === undefined) return null;
  const given = new URLSearchParams(text);
  const line = Number(given.get('line') ?? NaN);
  const panel = given.get('panel') as Tab | null;
  return {
    line: Number.isInteger(line) && line >= 0 ? line : null,
    node: given.get('node'),
    ask: given.get('ask') ?? '',
    panel: panel !== null && TABS.includes(panel) ? panel : 'events',
  };
}

function hashOf(base: string, { line, node, ask, panel }: View): string {
  const parts = [
    ...(base === '' ? [] : [base]),
    ...(line === null ? [] : [`line=${line}`]),
    ...(node === null ? [] : [`node=${encodeURIComponent(node)}`]),
    ...(ask === '' ? [] : [`ask=${encodeURIComponent(ask)}`]),
    ...(panel === 'events' ? [] : [`panel=${encodeURIComponent(panel)}`]),
  ];
  return `#${parts.join('&')}`;
}

const viewNow = (): View => ({
  line: recording.value.header?.live && followsEnd.value ? null : currentLine.value + 1,
  node: growing().nodes.names[selectedNode.value] ?? null,
  ask: askedText.value,
  panel: tab.value,
});

const isSame = (a: View, b: View): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The view that the address describes, and the first one that it described. */
let settled: View | null = null;
let first: View | null = null;
/** The view of the address, until its line has been read. */
let wanted: View | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Another trace is opened: its view is that of the address, or the one that it opens with. */
export function openedAt(hash: string): void {
  clearTimeout(timer);
  [settled, first, wanted] = [null, null, viewIn(hash)];
}

/** The same trace at another address, as after Back. */
export function returnTo(hash: string): void {
  const view = viewIn(hash) ?? first;
  if (view) apply(view);
}

function apply({ line, node, ask, panel }: View): void {
  clearTimeout(timer);
  batch(() => {
    askedText.value = ask;
    tab.value = panel;
    if (line === null && recording.value.header?.live) pauseAt(recording.value.end - 1);
    else if (line !== null) pauseAt(Math.min(line, recording.value.end) - 1);
    const number = node === null ? -1 : recording.value.nodes.find(node);
    if (number >= 0) selectedNode.value = number;
    // Before effects see it: the address is not written again, because a write during a second Back would cancel that.
    settled = viewNow();
  });
}

/** Writes the address when the view has settled. Does nothing in a frame without its own address. */
export function writeViewAddress(): void {
  if (location.protocol === 'about:') return;
  effect(() => {
    const { end } = growing();
    const isRead = !isLoading.value || recording.value.header?.live === true;
    if (wanted && end > 0 && (end >= (wanted.line ?? 0) || !isLoading.value)) {
      const view = wanted;
      wanted = null;
      // Not within the effect, which reads what is written.
      queueMicrotask(() => apply(view));
      return;
    }
    const view = viewNow();
    clearTimeout(timer);
    if (wanted || end === 0 || !isRead || isPlaying.value || story.value || (settled && isSame(view, settled))) return;
    timer = setTimeout(() => settle(view), SETTLE_MS);
  });
}

function settle(view: View): void {
  const before = settled;
  settled = view;
  first ??= view;
  if (!before) return;
  const isStep = view.line !== null && before.line !== null && Math.abs(view.line - before.line) <= 1;
  const isNew = view.node !== before.node || view.panel !== before.panel || (view.line !== before.line && !isStep);
  writeHash(hashOf(baseOf(location.hash), view), isNew);
}

/** Writes the view into the page's address. With `isNew`, it is a new entry of the browser's history, so Back returns to the last one. */
export function writeHash(hash: string, isNew: boolean): void {
  try {
    if (isNew) history.pushState(null, '', hash);
    else history.replaceState(null, '', hash);
  } catch {
    // A browser may refuse, for a file or after too many changes in a short time. The page works without it.
  }
}
