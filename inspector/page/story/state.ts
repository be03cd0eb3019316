/** The story that is told: which step, and how to come there. */
import { computed, signal } from '@preact/signals';
import { placeOf, withFigures } from '../../model/place.js';
import { ReadTrace } from '../../model/recording.js';
import type { Story, StoryStep } from '../../stories/story.js';
import { failed, loadFromServer } from '../load.js';
import { askServer } from '../served.js';
import { currentLine, isLoading, opened, pauseAt, playTo, recording, selectedNode } from '../state.js';

export const allStories = signal<readonly Story[]>([]);
export const story = signal<Story | null>(null);
export const stepNumber = signal(0);
/** Whether the step's place has been found in its run. */
export const isFound = signal(true);

export const currentStep = computed((): StoryStep | null => story.value?.steps[stepNumber.value] ?? null);
export const addressOf = computed(() => story.value && `#story=${story.value.name}/${stepNumber.value + 1}`);

/** So long it takes at most to come from one step to the next. */
const SECONDS_MAX = 5;

/** The run that is shown, for as long as nobody has reached into it or opened another trace. */
let shown: { readonly run: string; readonly recording: ReadTrace } | null = null;

export async function askForStories(): Promise<void> {
  if (allStories.value.length > 0) return;
  const response = await askServer('./stories').catch(() => null);
  if (response?.ok) allStories.value = (await response.json()) as Story[];
}

/** Nothing but the list of stories. */
export function openList(): void {
  story.value = null;
  opened(new ReadTrace());
  isLoading.value = false;
}

export async function openStory(name: string, number: number): Promise<void> {
  const found = allStories.value.find((one) => one.name === name);
  if (!found) return failed(`There is no story "${name}" here: ${allStories.value.map((one) => one.name).join(', ')}.`);
  shown = null;
  story.value = found;
  await goToStep(Math.min(Math.max(number, 0), found.steps.length - 1));
}

export async function goToStep(number: number): Promise<void> {
  const { name, steps } = story.value!;
  const { run, node } = steps[number]!;
  const isForward = shown?.run === run && shown.recording === recording.value && number === stepNumber.value + 1;
  stepNumber.value = number;
  history.replaceState(null, '', addressOf.value);
  if (shown?.run !== run || shown.recording !== recording.value) {
    await loadFromServer(`./story/${name}/${encodeURIComponent(run)}`);
    shown = { run, recording: recording.value };
  }
  // The viewer may have gone on while it was read.
  if (story.value?.name !== name || stepNumber.value !== number) return;
  const line = placeNow();
  isFound.value = line !== null;
  if (line === null) return;
  const chosen = node === undefined ? -1 : recording.value.nodes.find(node);
  if (chosen >= 0) selectedNode.value = chosen;
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (isForward && !isStill && line > currentLine.value) playTo(line, SECONDS_MAX);
  else pauseAt(line);
}

function placeNow(): number | null {
  const { run } = currentStep.value!;
  const before = story.value!.steps.slice(0, stepNumber.value).filter((one) => one.run === run);
  return placeOf(recording.value, currentStep.value!, before);
}

/** The step's text, its figures counted where it leads to. */
export const stepText = computed((): string => {
  const line = isLoading.value || !currentStep.value ? null : placeNow();
  return line === null ? (currentStep.value?.text ?? '') : withFigures(currentStep.value!.text, recording.value, line);
});
