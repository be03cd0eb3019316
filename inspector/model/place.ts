/** The first place of the page in a run, and the places and figures of a story, found in its recording. */
import type { Caption, StoryStep } from '../stories/story.js';
import { Moment } from './moment.js';
import type { ReadTrace } from './recording.js';
import { numberText, sentence } from './words.js';

/** The last line of the trace's beginning, in which the nodes start. */
export function startOf(recording: ReadTrace): number {
  let line = recording.first;
  while (line + 1 < recording.end && recording.kindOf(line + 1) === 'start') line++;
  return line;
}

/** The most last lines that are searched for a node that is alive. */
const LINES_BACK_MAX = 1_000;

/** The node that took the last step among live nodes; if no node is alive, the one that took the last step. */
export function lastAlive(run: ReadTrace): number {
  const moment = new Moment(run, run.end - 1);
  for (let line = run.end - 1; line >= Math.max(run.first, run.end - LINES_BACK_MAX); line--) {
    const node = run.nodeOf(line);
    if (node >= 0 && moment.life(node) === 'alive') return node;
  }
  return Math.max(run.nodeOf(run.end - 1), 0);
}

/** The captions of all steps of a story, in order, including those on the way to a step. */
export const captionsOf = (steps: readonly StoryStep[]): readonly Caption[] =>
  steps.flatMap((step) => [...(step.along ?? []), step]);

/** The line of a caption, or `null` if the run never gets there; `earlier` are the earlier captions of the same run. */
export function lineOfCaption(
  recording: ReadTrace,
  { at }: Pick<Caption, 'at'>,
  earlier: readonly Caption[] = [],
): number | null {
  if (recording.end === recording.first) return null;
  const last = recording.end - 1;
  if (at === 'start') return startOf(recording);
  if (at === 'end') return last;
  if ('at' in at) return Math.max(lineOfTime(recording, at.at, at.description), recording.first);
  if ('part' in at) {
    const begin = recording.at(recording.first);
    return Math.max(recording.lastLineAt(begin + at.part * (recording.at(last) - begin)), recording.first);
  }
  const words = 'description' in at ? at.description : at.before;
  const before = earlier.at(-1);
  const from = before ? lineOfCaption(recording, before, earlier.slice(0, -1)) : startOf(recording);
  for (let line = (from ?? recording.first) + 1; line <= last; line++) {
    if (sentence(recording.line(line)).includes(words)) return 'description' in at ? line : line - 1;
  }
  return null;
}

/** The last line up to a time, or the line of that time with the given description. */
function lineOfTime(recording: ReadTrace, time: number, description: string | undefined): number {
  const last = recording.lastLineAt(time);
  if (description === undefined) return last;
  for (let line = last; line >= recording.first && recording.at(line) === time; line--)
    if (sentence(recording.line(line)).includes(description)) return line;
  return last;
}

/** The figures of a text, counted in the run up to a line. */
export function withFigures(text: string, recording: ReadTrace, line: number): string {
  return text.replace(/\{(sent|cost) (\w+)\}|\{time\}/g, (found, what: 'sent' | 'cost' | undefined, type: string) => {
    if (what === undefined) return found === '{time}' ? numberText(recording.at(line)) : found;
    const { messages } = recording;
    let sum = 0;
    for (let ordinal = messages.first; ordinal < messages.firstSentFrom(line + 1); ordinal++) {
      const message = messages.get(ordinal);
      if (message.type === type) sum += what === 'sent' ? 1 : message.cost;
    }
    return numberText(sum);
  });
}
