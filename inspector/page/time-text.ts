/** A time of the trace as text: milliseconds for live programs, ticks for a simulation. */
import { durationText, numberText } from '../model/words.js';
import { growing } from './state.js';

export const timeText = (at: number): string => {
  const rounded = Number(at.toFixed(2));
  return growing().header?.live ? durationText(rounded) : numberText(rounded);
};

/** A time for a table, which has the wall clock next to it: whole seconds after the first minute. */
export const shortTimeText = (at: number): string =>
  timeText(growing().header?.live && at >= 60_000 ? Math.floor(at / 1000) * 1000 : at);
