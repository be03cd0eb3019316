/**
 * Watchdog against endless loops. A turn that never ends and never calls the platform (`for (;;) {}`) cannot be interrupted from inside. A
 * thread therefore observes the turns. When one lasts too long, the thread asks Node's debugger for the current place, prints the process and
 * the place, and kills the program.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { VirtualWorld } from './world.js';

/** The program of the thread, which shares only the turns with this one. */
const WATCH = `
const { parentPort, workerData } = require('node:worker_threads');
const { Session } = require('node:inspector');
const { writeSync } = require('node:fs');
const { turns, seconds } = workerData;
let names = [], seed = 0, last = -1, since = Date.now(), isNamed = false;
parentPort.on('message', (run) => ({ names, seed } = run));
const name = (place) => {
  if (isNamed) return;
  isNamed = true;
  const who = names[Atomics.load(turns, 1)];
  writeSync(2, 'rehearsal: a turn of "' + who + '" (seed ' + seed + ') has not ended for ' + seconds + ' s' + place + '. Await a timer in the loop.\\n');
  process.kill(process.pid, 'SIGKILL');
};
setInterval(() => {
  const turn = Atomics.load(turns, 0);
  if (turn !== last || Atomics.load(turns, 1) < 0) return void ([last, since] = [turn, Date.now()]);
  if (Date.now() - since < seconds * 1000) return;
  const session = new Session();
  session.connectToMainThread();
  const urls = new Map();
  session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url));
  session.on('Debugger.paused', ({ params: { callFrames } }) => {
    const frame = callFrames.find(({ location }) => !/^(node:|$)/.test(urls.get(location.scriptId)));
    const place = frame && (frame.functionName || 'a function') + ' (' + urls.get(frame.location.scriptId) + ':' + (frame.location.lineNumber + 1) + ')';
    name(place ? ', at ' + place : '');
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
  setTimeout(name, 1000, '');
}, 100);
`;

export class Watchdog {
  /** The number of turns, and the process of the current one; -1 if there is none. */
  private readonly turns = new Int32Array(new SharedArrayBuffer(8));
  private readonly worker: Worker;

  /** Waits for the thread, because it cannot start while this one is busy. */
  static async begin(seconds: number): Promise<Watchdog> {
    const watchdog = new Watchdog(seconds);
    await once(watchdog.worker, 'online');
    watchdog.worker.unref();
    return watchdog;
  }

  private constructor(seconds: number) {
    Atomics.store(this.turns, 1, -1);
    this.worker = new Worker(WATCH, { eval: true, execArgv: [], workerData: { turns: this.turns, seconds } });
  }

  /** Watches a world; `seed` appears in the message. */
  watch(world: VirtualWorld, seed: number): void {
    const names = [...world.processes.keys()];
    const places = new Map(names.map((name, place) => [name, place]));
    this.worker.postMessage({ names, seed });
    world.turned = (process) => {
      Atomics.add(this.turns, 0, 1);
      Atomics.store(this.turns, 1, process ? places.get(process.id)! : -1);
    };
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}
