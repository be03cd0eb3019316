/**
 * The user's own story: moments of runs with captions, written by the user or recorded from gestures. It stays in the tab until it is
 * discarded, and can be saved as a file that the page opens again.
 */
import { signal } from '@preact/signals';
import type { Story, StoryRun, StoryStep } from '../../stories/story.js';
import { branches, current } from '../branches.js';
import { sentence } from '../../model/words.js';
import { gestureText, lineOfGesture, scenarioNow, type Gesture } from '../reach.js';
import { currentLine, recording, selectedNode } from '../state.js';

interface OwnMoment {
  /** The name of the run. */
  readonly run: string;
  readonly scenario: StoryRun['scenario'];
  readonly at: number;
  /** The description of the shown line, if several lines have that time. */
  readonly description?: string;
  readonly node?: string;
  readonly text: string;
}

const PLACE = 'story of one’s own';

export const moments = signal<readonly OwnMoment[]>(recalled());
/** True if each gesture of the viewer adds a caption to the story. */
export const addsGestures = signal(false);

function recalled(): readonly OwnMoment[] {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE) ?? '[]');
  } catch {
    // A page in a frame of no origin has no storage.
    return [];
  }
}

function keep(next: readonly OwnMoment[]): void {
  moments.value = next;
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(next));
  } catch {
    // A full storage keeps what it has: the moments are there until the page goes.
  }
}

function add(line: number, node: string | undefined, text: string): void {
  const { at, lastLineAt } = recording.value;
  const isLast = lastLineAt(at(line)) === line;
  const place = { at: at(line), ...(!isLast && { description: sentence(recording.value.line(line)) }) };
  const { name } = branches.value[current.value]!;
  const scenario = scenarioNow.value as StoryRun['scenario'];
  keep([...moments.value, { run: name, scenario, ...place, ...(node !== undefined && { node }), text }]);
}

/** Adds a caption at the playhead. */
export function addMoment(text: string): void {
  const { first, nodes } = recording.value;
  add(Math.max(currentLine.value, first), nodes.names[selectedNode.value], text);
}

/** Adds a caption for a new gesture. */
export function addGesture(gesture: Gesture): void {
  if (!addsGestures.value) return;
  const node = typeof gesture['node'] === 'string' ? gesture['node'] : recording.value.nodes.names[selectedNode.value];
  add(lineOfGesture(gesture), node, `${gestureText(gesture)}.`);
}

export const rewrite = (place: number, text: string): void =>
  keep(moments.value.map((one, i) => (i === place ? { ...one, text } : one)));
export const leaveOut = (place: number): void => keep(moments.value.filter((_, i) => i !== place));

/** The story that the viewer has made: each scenario is one run, and runs with equal names are numbered. */
export function ownStory(title: string): Story {
  const runs: Record<string, StoryRun> = {};
  const nameOf = ({ run, scenario }: OwnMoment): string => {
    const key = JSON.stringify(scenario);
    for (let number = 1; ; number++) {
      const name = number === 1 ? run : `${run} (${number})`;
      runs[name] ??= { scenario };
      if (JSON.stringify(runs[name].scenario) === key) return name;
    }
  };
  const steps = moments.value.map((moment): StoryStep => {
    const { at, description, node, text } = moment;
    return {
      run: nameOf(moment),
      at: { at, ...(description !== undefined && { description }) },
      ...(node !== undefined && { node }),
      text,
    };
  });
  return { name: '', title, description: '', runs, steps };
}
