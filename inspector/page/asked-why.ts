/** The subject of "why?" and the chain of its causes. All views show lines of the chain, and the rest pale. */
import { computed, signal } from '@preact/signals';
import { chainOf, stateSince, valueSince, type CauseCard } from '../model/why.js';
import { currentLine, growing, isPlaying, recording, selectedNode } from './state.js';
import { tab } from './tab.js';

export interface AskedValue {
  readonly node: number;
  readonly role: string;
  readonly key: string;
}

interface Asked {
  /** The question in words. */
  readonly about: string;
  readonly line: number;
  /** The value to explain. */
  readonly value?: AskedValue;
}

/** The question of the "why" panel. `null` if it asks about the line at the playhead. */
export const asked = signal<Asked | null>(null);

export const askWhy = (about: string, line: number): void => void (asked.value = { about, line });

export function askWhyValue(role: string, key: string): void {
  const node = selectedNode.value;
  const line = valueSince(recording.value, node, role, key, currentLine.value);
  if (line !== null) asked.value = { about: `${key} of ${recording.value.nodes.names[node]}`, line, value: { node, role, key } };
}

export function askWhyState(role: string): void {
  const node = selectedNode.value;
  const line = stateSince(recording.value, node, role, currentLine.value);
  if (line !== null) askWhy(`${recording.value.nodes.names[node]} is in its state`, line);
}

/** The causes, newest first; empty if nothing has happened yet. */
export const causes = computed((): readonly CauseCard[] => {
  const line = asked.value?.line ?? currentLine.value;
  const { first, end } = growing();
  return line < first || line >= end ? [] : chainOf(recording.value, line);
});

/** The lines of the chain while it is shown, otherwise `null`. */
export const chainLines = computed((): ReadonlySet<number> | null => {
  const isLookedAt = tab.value === 'why' && (asked.value !== null || !isPlaying.value);
  return isLookedAt && causes.value.length > 0 ? new Set(causes.value.map(({ line }) => line)) : null;
});
