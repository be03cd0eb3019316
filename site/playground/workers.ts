/** The page's side of its workers: one for what somebody runs, which can be stopped, and one that answers the inspector. */
import type { Task, ForInspector, FromWorker, TaskOutcome } from './messages.js';
import type { Problem } from './problem.js';

const newWorker = (): Worker => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });

/** A worker that could not be loaded, or has used up its memory. */
const failed = ({ message }: ErrorEvent): Problem => ({
  text: null,
  message: `the worker of this page has ended: ${message || 'it could not be loaded'}; try again, with less`,
  place: null,
});

export interface Ears {
  progress(text: string): void;
  done(outcome: TaskOutcome): void;
  problem(problem: Problem): void;
}

/** Starts; the function that is returned stops it, and then nothing more is heard. */
export function startTask(task: Task, ears: Ears): () => void {
  const worker = newWorker();
  const stop = () => worker.terminate();
  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    if ('progress' in data) return ears.progress(data.progress);
    stop();
    if ('outcome' in data) ears.done(data.outcome);
    if ('problem' in data) ears.problem(data.problem);
  });
  worker.addEventListener('error', (event) => {
    stop();
    ears.problem(failed(event));
  });
  worker.postMessage(task);
  return stop;
}

const OF_SCENARIO = new Set(['offer', 'meters', 'run']);

/** Answers the inspector as its server would. `shown` is what it is shown now. */
export function inspectorAnswers(shown: () => { readonly trace: string; readonly chart: string }): typeof fetch {
  let worker: Worker | null = null;
  let last: Promise<unknown> = Promise.resolve();
  return (path, request) => {
    const name = String(path).replace('./', '');
    const { trace, chart } = shown();
    if (name === 'trace') return Promise.resolve(new Response(trace));
    const body: unknown = OF_SCENARIO.has(name) ? JSON.parse(String(request?.body)) : null;
    const next = last.then(() => heard((worker ??= newWorker()), { do: 'answer', name, body, chart }));
    last = next.catch(() => (worker = null));
    return next;
  };
}

function heard(worker: Worker, task: Task): Promise<Response> {
  const ended = new AbortController();
  return new Promise<Response>((resolve, reject) => {
    const { signal } = ended;
    worker.addEventListener('error', (event) => reject(new Error(failed(event).message)), { signal });
    worker.addEventListener(
      'message',
      ({ data }: MessageEvent<FromWorker>) => {
        if ('problem' in data) resolve(new Response(data.problem.message, { status: 422 }));
        if ('answer' in data) resolve(responseOf(data.answer));
      },
      { signal },
    );
    worker.postMessage(task);
  }).finally(() => ended.abort());
}

function responseOf(answer: ForInspector): Response {
  if (answer === null) return new Response('nobody knows that here', { status: 404 });
  return 'trace' in answer ? new Response(answer.trace) : Response.json(answer.json);
}
