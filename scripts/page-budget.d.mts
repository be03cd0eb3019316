export const WORDS_MAX: number;
export const MEAN_MAX: number;
export const SENTENCE_MAX: number;
export function measure(text: string): { readonly words: number; readonly mean: number; readonly tooLong: readonly string[] };
