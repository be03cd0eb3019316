/** Does one thing at a time for the page of the playground; what takes too long is ended with its worker. */
import type { Task, FromWorker } from './messages.js';
import { problemOf } from './problem.js';
import { carryOut } from './work.js';

const post = (message: FromWorker): void => self.postMessage(message);

self.addEventListener('message', ({ data }: MessageEvent<Task>) => {
  carryOut(data, (progress) => post({ progress })).then(
    (done) => post('answer' in done ? done : { outcome: done }),
    (error: unknown) => post({ problem: problemOf(error) }),
  );
});

/** Code of a chart that throws while no call waits for it, in its own timer for instance, does not end the worker. */
self.addEventListener('error', (event) => {
  event.preventDefault();
  post({ problem: problemOf(event.error ?? new Error(event.message)) });
});
