/** A time of the trace as people read it: live programs have milliseconds, a simulation has units of its own. */
import { durationText, numberText } from '../model/words.js';
import { growing } from './state.js';

export const timeText = (at: number): string => {
  const rounded = Number(at.toFixed(2));
  return growing().header?.live ? durationText(rounded) : numberText(rounded);
};
