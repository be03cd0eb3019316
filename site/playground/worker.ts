/** Does one thing at a time for the page of the playground; what takes too long is ended with its worker. */
import type { Task, FromWorker } from './messages.js';
import { problemOf } from './problem.js';
import { carryOut } from './work.js';

const say = (message: FromWorker): void => self.postMessage(message);

self.addEventListener('message', ({ data }: MessageEvent<Task>) => {
  carryOut(data, (progress) => say({ progress })).then(
    (done) => say('answer' in done ? done : { outcome: done }),
    (error: unknown) => say({ problem: problemOf(error) }),
  );
});

/** Code of a chart that throws while no call waits for it, in its own timer for instance, does not end the worker. */
self.addEventListener('error', (event) => {
  event.preventDefault();
  say({ problem: problemOf(event.error ?? new Error(event.message)) });
});
