/** Moves the playhead, frame by frame, while the page plays. */
import { effect } from '@preact/signals';
import { isPlaying, tick } from './state.js';

/** After a pause of the whole page (a hidden tab) it goes on where it was, without a leap. */
const FRAME_SECONDS_MAX = 0.1;

export function startPlayer(): void {
  let last = 0;
  const frame = (now: number): void => {
    if (!isPlaying.peek()) return;
    tick(Math.min((now - last) / 1000, FRAME_SECONDS_MAX));
    last = now;
    requestAnimationFrame(frame);
  };
  effect(() => {
    if (!isPlaying.value) return;
    last = performance.now();
    requestAnimationFrame(frame);
  });
}
