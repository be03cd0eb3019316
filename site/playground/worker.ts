/** Does one thing at a time for the page of the playground; what takes too long is ended with its worker. */
import type { Task, FromWorker } from './messages.js';
import { problemOf } from './problem.js';
import { carryOut } from './work.js';

const say = (message: FromWorker): void => self.postMessage(message);

let isBusy = false;

self.addEventListener('message', ({ data }: MessageEvent<Task>) => {
  isBusy = true;
  carryOut(data, (progress) => say({ progress }))
    .then(
      (done) => say('answer' in done ? done : { outcome: done }),
      (error: unknown) => say({ problem: problemOf(error) }),
    )
    .finally(() => (isBusy = false));
});

/** Code of a chart that throws is no end of the worker. XState throws once more, later, what a step has thrown: that was told. */
self.addEventListener('error', (event) => {
  event.preventDefault();
  if (isBusy) say({ problem: problemOf(event.error ?? new Error(event.message)) });
});
