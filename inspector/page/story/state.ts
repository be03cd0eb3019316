/** The open story: the current step, the way to its place, and the captions on the way. */
import { computed, effect, signal } from '@preact/signals';
import { lineOfCaption, captionsOf, startOf, withFigures } from '../../model/place.js';
import { isTimed, xOf, type Axis, type Playhead } from '../../model/playback.js';
import { ReadTrace } from '../../model/recording.js';
import type { Caption, Story, StoryStep } from '../../stories/story.js';
import { reportLoadProblem, loadFromServer } from '../load.js';
import { askServer } from '../served.js';
import { axis, currentLine, isLoading, opened, pauseAt, playhead, playTo, recording, selectedNode } from '../state.js';

export const allStories = signal<readonly Story[]>([]);
export const story = signal<Story | null>(null);
export const stepNumber = signal(0);
/** True if the step's place has been found in its run. */
export const isFound = signal(true);

export const currentStep = computed((): StoryStep | null => story.value?.steps[stepNumber.value] ?? null);
/** A user's story has no name, so it has no address. */
export const addressOf = computed(() => (story.value?.name ? `#story=${story.value.name}/${stepNumber.value + 1}` : null));

/** The most seconds from one step to the next. */
const SECONDS_MAX = 5;

/** The shown run of the story, until a gesture changes it or another trace is opened. */
let shown: { readonly run: string; readonly recording: ReadTrace } | null = null;

export async function askForStories(): Promise<void> {
  if (allStories.value.length > 0) return;
  const response = await askServer('./stories').catch(() => null);
  if (response?.ok) allStories.value = await response.json();
}

/** Closes the open story and shows the list of all stories. */
export function openList(): void {
  story.value = null;
  opened(new ReadTrace());
  isLoading.value = false;
}

export async function openStory(name: string, number: number): Promise<void> {
  const found = allStories.value.find((one) => one.name === name);
  if (found && story.value === found) return goToStep(Math.min(Math.max(number, 0), found.steps.length - 1));
  if (!found)
    return void reportLoadProblem(
      `Unknown story "${name}". The stories are ${allStories.value.map((one) => one.name).join(', ')}.`,
    );
  await showStory(found, number);
}

/** Opens a story at one of its steps, by number. */
export async function showStory(captions: Story, number: number): Promise<void> {
  shown = null;
  story.value = captions;
  await goToStep(Math.min(Math.max(number, 0), captions.steps.length - 1));
}

export async function goToStep(number: number): Promise<void> {
  const { steps } = story.value!;
  const captions = story.value!;
  const { run, node } = steps[number]!;
  const isForward = shown?.run === run && shown.recording === recording.value && number === stepNumber.value + 1;
  reached.value = -1;
  stepNumber.value = number;
  noteStep();
  if (shown?.run !== run || shown.recording !== recording.value) {
    if (!(await loadFromServer(...requestOf(captions, run)))) {
      // The trace is missing, so the story ends and does not describe another run.
      if (story.value === captions) story.value = null;
      return;
    }
    shown = { run, recording: recording.value };
  }
  // The viewer may have gone on while it was read.
  if (story.value !== captions || stepNumber.value !== number) return;
  const line = placeIn(recording.value);
  isFound.value = line !== null;
  if (line === null) return;
  const chosen = node === undefined ? -1 : recording.value.nodes.find(node);
  if (chosen >= 0) selectedNode.value = chosen;
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (isForward && !isStill && line > currentLine.value) playTo(line, SECONDS_MAX);
  else pauseAt(line);
  reached.value = currentLine.value;
}

/** Back leads to the step before; a step that the address asked for is there already. */
function noteStep(): void {
  const address = addressOf.value;
  if (address === null || address === location.hash || location.protocol === 'about:') return;
  const isWithin = /^#story=[\w-]+\/\d+$/.test(location.hash);
  if (isWithin) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
}

/** The request to the server for a run: its name or, in a user's story, its scenario. */
const requestOf = ({ name, runs }: Story, run: string): [path: string, request?: RequestInit] =>
  name === ''
    ? ['./run', { method: 'POST', body: JSON.stringify(runs[run]!.scenario) }]
    : [`./story/${name}/${encodeURIComponent(run)}`];

/** All earlier captions of this step's run. */
function earlierCaptions(): readonly Caption[] {
  const { run } = currentStep.value!;
  return captionsOf(story.value!.steps.slice(0, stepNumber.value).filter((one) => one.run === run));
}

/** The place of the step, in its run or in the compared one. */
function placeIn(run: ReadTrace): number | null {
  const step = currentStep.value!;
  return lineOfCaption(run, step, [...earlierCaptions(), ...(step.along ?? [])]);
}

/** The progress of the picture in this step. Captions that were shown stay when the reader goes back. */
const reached = signal(-1);
effect(() => {
  if (story.value && !isLoading.value && currentLine.value > reached.peek()) reached.value = currentLine.value;
});

/** The captions shown in this step. The figures of each are counted at its place. */
export const captions = computed((): readonly string[] => {
  const step = currentStep.value;
  if (!step || isLoading.value) return [];
  const before = earlierCaptions();
  const all = captionsOf([step]);
  return all.flatMap((caption, i) => {
    const line = lineOfCaption(recording.value, caption, [...before, ...all.slice(0, i)]);
    if (line === null) return caption === step ? [caption.text] : [];
    return line <= reached.value ? [withFigures(caption.text, recording.value, line)] : [];
  });
});

interface ComparedRun {
  readonly of: Story;
  readonly name: string;
  readonly run: ReadTrace;
}

const fetched = signal<ComparedRun | null>(null);
const isWanted = ({ of, name }: Pick<ComparedRun, 'of' | 'name'>): boolean =>
  story.value === of && currentStep.value?.comparedTo === name;

/** The second run of a step that compares two runs. `null` while one of them is loading. */
export const comparedRun = computed(() => (fetched.value && isWanted(fetched.value) && !isLoading.value ? fetched.value : null));

effect(() => {
  const [of, name] = [story.value, currentStep.value?.comparedTo];
  if (!of || name === undefined) fetched.value = null;
  else if (!fetched.peek() || !isWanted(fetched.peek()!)) void fetchCompared(of, name);
});

async function fetchCompared(of: Story, name: string): Promise<void> {
  const response = await askServer(...requestOf(of, name)).catch(() => null);
  if (!response?.ok) return;
  const run = new ReadTrace();
  run.push(await response.text());
  run.close();
  if (isWanted({ of, name })) fetched.value = { of, name, run };
}

export const comparedAxis = computed((): Axis => (isTimed(comparedRun.value!.run) ? axis.value : 'lines'));

/** The position in the second run, at the same fraction of the way between two captions as in the main run. */
export const comparedAt = computed((): Playhead => {
  const { run } = comparedRun.value!;
  const [from, to] = legIn(recording.value).map((line) => xOf(recording.value, axis.value, line)) as [number, number];
  const [fromThere, toThere] = legIn(run);
  const [begin, end] = [xOf(run, comparedAxis.value, fromThere), xOf(run, comparedAxis.value, toThere)];
  const part = to > from ? (playhead.value.x - from) / (to - from) : 1;
  if (part >= 1) return { line: toThere, x: end };
  const x = begin + Math.max(part, 0) * (end - begin);
  // There may be more at the time of the place than the story has come to.
  return { line: Math.min(comparedAxis.value === 'time' ? run.lastLineAt(x) : Math.floor(x), toThere), x };
});

/** From the place before to the place of this step; a run that never comes there goes to its end. */
function legIn(run: ReadTrace): readonly [number, number] {
  const before = earlierCaptions();
  const from = before.length > 0 ? lineOfCaption(run, before.at(-1)!, before.slice(0, -1)) : startOf(run);
  return [from ?? run.end - 1, placeIn(run) ?? run.end - 1];
}
