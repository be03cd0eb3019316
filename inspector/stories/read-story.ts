/** Reads a user's story from its file: runs of scenarios that the server makes, and captions for them. */
import { placeIn, readFields } from '../../network/scenario/read.js';
import { isRecord, isString } from '../model/line-checks.js';
import type { StoryPlace, Caption, Story, StoryRun, StoryStep } from './story.js';

export const STORY_VERSION = 1;

/**
 * Parses a story. Throws an `Error` that names the problem and its place; for an unknown key, it suggests the nearest known one. The story
 * has no name, because it is not in the list of stories.
 */
export function readStory(text: string): Story {
  const parsed: unknown = JSON.parse(text);
  demand(
    isRecord(parsed) && parsed['story'] === STORY_VERSION,
    `it is not a story of version ${STORY_VERSION}. Save it again, on the tab "by hand"`,
  );
  readFields(parsed, '', ['story', 'title', 'description', 'runs', 'steps', 'terms']);
  const { title, description = '', runs, steps, terms = {} } = parsed;
  demand(isString(title) && isString(description), 'its "title" is not a text');
  if (isRecord(runs)) for (const [name, run] of Object.entries(runs)) checkKeys(run, placeIn('runs', name), ['scenario']);
  demand(isRecord(runs) && Object.values(runs).every(isRun), 'its "runs" are not a record of { "scenario": … }');
  demand(Array.isArray(steps) && steps.length > 0, 'it has no "steps"');
  demand(isRecord(terms) && Object.values(terms).every(isString), 'its "terms" are not a record of texts');
  const all: readonly unknown[] = steps;
  for (const [i, step] of all.entries()) checkStep(step, runs, i);
  return {
    name: '',
    title,
    description,
    runs: runs as Record<string, StoryRun>,
    steps: steps as StoryStep[],
    terms: terms as Record<string, string>,
  };
}

export const storyFile = ({ name: _, ...story }: Story): string =>
  `${JSON.stringify({ story: STORY_VERSION, ...story }, null, 2)}\n`;

function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** Only the stories of the package use the checker. */
const isRun = (run: unknown): boolean => isRecord(run) && isRecord(run['scenario']) && !('checked' in run);

/** A key that is not known would do nothing. */
function checkKeys(value: unknown, path: string, known: readonly string[]): void {
  if (isRecord(value)) readFields(value, path, known);
}

const CAPTION_KEYS = ['at', 'text'];
const PLACE = ['description', 'before', 'at', 'part'];

function checkStep(step: unknown, runs: object, number: number): void {
  const where = `step ${number + 1}`;
  demand(isRecord(step), `${where} is not a record`);
  const path = placeIn('steps', number);
  checkKeys(step, path, [...CAPTION_KEYS, 'run', 'node', 'comparedTo', 'along']);
  const { run, comparedTo, node, along = [] } = step;
  demand(isString(run) && Object.hasOwn(runs, run), `${where}: "run" is not the name of a run of the story`);
  demand(
    comparedTo === undefined || (isString(comparedTo) && Object.hasOwn(runs, comparedTo)),
    `${where}: "comparedTo" is not the name of a run of the story`,
  );
  demand(node === undefined || isString(node), `${where}: "node" is not a name`);
  demand(Array.isArray(along), `${where}: "along" is not a list`);
  checkKeys(step['at'], placeIn(path, 'at'), PLACE);
  const captions: readonly unknown[] = along;
  for (const [i, caption] of captions.entries()) {
    const there = placeIn(placeIn(path, 'along'), i);
    checkKeys(caption, there, CAPTION_KEYS);
    if (isRecord(caption)) checkKeys(caption['at'], placeIn(there, 'at'), PLACE);
  }
  for (const caption of [...captions, step]) demand(isCaption(caption), `${where} has no "text", or an invalid "at"`);
}

const isCaption = (caption: unknown): caption is Caption =>
  isRecord(caption) && isString(caption['text']) && isPlace(caption['at']);

function isPlace(at: unknown): at is StoryPlace {
  if (at === 'start' || at === 'end') return true;
  if (!isRecord(at)) return false;
  const { description } = at;
  if ('at' in at) return Number.isFinite(at['at']) && (description === undefined || isString(description));
  return isString(description) || isString(at['before']) || Number.isFinite(at['part']);
}
