/** Measures a page: its words without code, the mean length of its sentences, and the sentences that are too long. */
import { inMarkdown } from './prose/segments.mjs';

export const WORDS_MAX = 2_500;
export const MEAN_MAX = 18;
export const SENTENCE_MAX = 35;

/** Headings and cells of tables have fewer words than a sentence. */
const SENTENCE_MIN = 4;

const wordsOf = (text) => text.match(/\S+/g)?.length ?? 0;
/** A sentence may begin with code, a list of emphasized words or a number. */
const sentencesOf = (text) => text.split(/(?<=[.!?])["')\]]*\s+(?=[A-Z"'(`*\d])/);

export function measure(text) {
  const segments = inMarkdown(text);
  const sentences = segments.flatMap(({ line, text }) =>
    sentencesOf(text).map((sentence) => ({ line, sentence, words: wordsOf(sentence) })),
  );
  const lengths = sentences.map(({ words }) => words).filter((words) => words >= SENTENCE_MIN);
  return {
    words: segments.reduce((sum, segment) => sum + wordsOf(segment.text), 0),
    mean: lengths.reduce((sum, words) => sum + words, 0) / Math.max(1, lengths.length),
    tooLong: sentences.filter(({ words }) => words > SENTENCE_MAX).map(({ line, sentence }) => `line ${line}: ${sentence}`),
  };
}
