/** A time of the trace as text: milliseconds for live programs, ticks for a simulation. */
import { durationText, numberText } from '../model/words.js';
import { growing } from './state.js';

export const timeText = (at: number): string => {
  const rounded = Number(at.toFixed(2));
  return growing().header?.live ? durationText(rounded) : numberText(rounded);
};
