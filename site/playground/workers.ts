/** The page's side of its workers: one for what the user runs, which can be stopped, and one that answers the inspector. */
import { ANSWER_SECONDS } from './bounds.js';
import type { Task, ForInspector, FromWorker, TaskOutcome } from './messages.js';
import { NOT_LOADED, type Problem } from './problem.js';

const newWorker = (): Worker => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });

/** A worker that could not be loaded, for which the browser gives no reason, or that has used up its memory. */
const failed = ({ message }: ErrorEvent): Problem => ({
  text: null,
  message: message ? `the worker of this page has ended: ${message}; try again, with less` : NOT_LOADED,
  place: null,
});

export interface Ears {
  progress(text: string): void;
  done(outcome: TaskOutcome): void;
  problem(problem: Problem): void;
}

/** A worker that has loaded its code before the first task comes. */
let spare: Worker | null = null;

/** Loads the code of a worker, so that the first run does not wait for it. */
export const prepareWorker = (): void => void (spare ??= newWorker());

/** Starts a task; the returned function stops it, and then no more callbacks are called. */
export function startTask(task: Task, ears: Ears): () => void {
  const worker = spare ?? newWorker();
  spare = null;
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

const OF_SCENARIO = new Set(['offer', 'meters', 'run', 'nearest']);

/** The run that the inspector shows: another object for another run. */
export interface Shown {
  readonly trace: string | null;
  readonly chart: string;
}

/** Answers the inspector as its server would, one question after the other. Another run begins with no questions, and its own worker. */
export function inspectorAnswers(shown: () => Shown, begin: () => Worker = newWorker): typeof fetch {
  let line = new AnswerLine(shown(), begin);
  return (path, request) => {
    const name = String(path).replace('./', '');
    const now = shown();
    if (name === 'trace') return Promise.resolve(new Response(now.trace));
    if (line.shown !== now) {
      line.end();
      line = new AnswerLine(now, begin);
    }
    const body: unknown = OF_SCENARIO.has(name) ? JSON.parse(String(request?.body)) : null;
    return line.ask({ do: 'answer', name, body, chart: now.chart });
  };
}

/** The questions about one run, with the worker that answers them. */
class AnswerLine {
  private worker: Worker | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private isOver = false;

  constructor(
    readonly shown: Shown,
    private readonly begin: () => Worker,
  ) {}

  /** After a worker that has failed, or takes too long, comes another. */
  ask(task: Task): Promise<Response> {
    const next = this.last.then(() => this.answer(task));
    this.last = next;
    return next;
  }

  /** Ends the line: no caller waits for its answers any more. */
  end(): void {
    this.isOver = true;
    this.dismiss();
  }

  private async answer(task: Task): Promise<Response> {
    if (this.isOver) return new Response('another run is shown', { status: 503 });
    try {
      return await received((this.worker ??= this.begin()), task);
    } catch (error) {
      this.dismiss();
      return new Response((error as Error).message, { status: 503 });
    }
  }

  private dismiss(): void {
    this.worker?.terminate();
    this.worker = null;
  }
}

function received(worker: Worker, task: Task): Promise<Response> {
  const ended = new AbortController();
  const { signal } = ended;
  return new Promise<Response>((resolve, reject) => {
    const patience = setTimeout(
      () =>
        reject(
          new Error(
            `no answer came within ${ANSWER_SECONDS} seconds, and the worker was ended; a guard or an action may run without end`,
          ),
        ),
      ANSWER_SECONDS * 1000,
    );
    signal.addEventListener('abort', () => clearTimeout(patience));
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
  if (answer === null) return new Response('that is not known here', { status: 404 });
  return 'trace' in answer ? new Response(answer.trace) : Response.json(answer.json);
}
