/**
 * The parts of `process` that each simulated process has separately: listeners, signals to itself, its exit, its warnings, and its uncaught
 * errors. They do not affect the program that rehearses.
 */
import { constants } from 'node:os';
import { here } from './here.js';
import { put, type Undo } from '../put.js';
import { errorText, type ErrorOrigin, type Process, type VirtualWorld } from './world.js';

/** Methods of `process` as an emitter. */
const LISTENING = [
  'on',
  'once',
  'off',
  'addListener',
  'removeListener',
  'removeAllListeners',
  'prependListener',
  'prependOnceListener',
  'listeners',
  'rawListeners',
  'listenerCount',
  'eventNames',
  'setMaxListeners',
  'getMaxListeners',
  'emit',
];

/** Events that Node itself emits on the real process, whichever simulated process is current. */
const OF_NODE = new Set<unknown>(['uncaughtException', 'uncaughtExceptionMonitor', 'unhandledRejection', 'rejectionHandled']);

export function ownProcess(world: VirtualWorld): Undo[] {
  const { exitCode } = process;
  const ends: Readonly<Record<string, (own: Process, ...args: unknown[]) => unknown>> = {
    exit: (own, code: unknown = 0) => world.exit(own, code),
    abort: (own) => world.leave(own, 'SIGABRT'),
    kill: (own, pid: unknown, signal: unknown = 'SIGTERM') => kill(world, own, pid, signal),
  };
  return [
    ...LISTENING.map((name) => replaced(name, ({ events }, ...args) => answerOf(events, name, args))),
    ...Object.entries(ends).map(([name, end]) => replaced(name, end)),
    // Node does not allow replacing this property.
    () => void (process.exitCode = exitCode),
    put(process, 'emitWarning', emitWarning(world)),
    ...catchErrors(world),
  ];
}

function replaced(name: string, does: (own: Process, ...args: unknown[]) => unknown): Undo {
  const real: (...args: unknown[]) => unknown = Reflect.get(process, name);
  return put(process, name, (...args: unknown[]) => {
    const own = here()?.process;
    const isReal = !own || (name === 'emit' && OF_NODE.has(args[0]));
    return isReal ? Reflect.apply(real, process, args) : does(own, ...args);
  });
}

function answerOf(events: Process['events'], name: string, args: unknown[]): unknown {
  const answer: unknown = Reflect.apply(Reflect.get(events, name), events, args);
  return answer === events ? process : answer;
}

/** A world has no other process with a number. */
function kill(world: VirtualWorld, own: Process, pid: unknown, signal: unknown): true {
  if (Number(pid) !== process.pid && Number(pid) !== 0)
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH', syscall: 'kill', errno: -constants.errno.ESRCH });
  if (signal === 0) return true;
  const name = Object.entries(constants.signals).find((one) => one.some((known) => known === signal))?.[0];
  if (name === undefined) throw Object.assign(new TypeError(`Unknown signal: ${String(signal)}`), { code: 'ERR_UNKNOWN_SIGNAL' });
  world.kill(own, name);
  return true;
}

/** Warnings of Node, for example of leaking listeners. */
function emitWarning(world: VirtualWorld): (warning: string | Error, ...rest: unknown[]) => void {
  const real = process.emitWarning.bind(process);
  return (warning, ...rest) => {
    if (!here()) return Reflect.apply(real, undefined, [warning, ...rest]);
    world.report('warning', { peer: world.current!.id, warning: errorText(warning) });
  };
}

/** Passes an uncaught error to the current process; without one, to the previous listeners. */
function catchErrors(world: VirtualWorld): Undo[] {
  return (['unhandledRejection', 'uncaughtException'] as const satisfies ErrorOrigin[]).map((event) => {
    const before = process.listeners(event as never) as ((...args: unknown[]) => void)[];
    const handle = (...args: unknown[]) => {
      if (world.current) world.fail(world.current, args[0], event, args[1]);
      else if (before.length > 0) for (const listener of before) listener(...args);
      else throw args[0];
    };
    process.removeAllListeners(event);
    process.on(event, handle);
    return () => {
      process.off(event, handle);
      for (const listener of before) process.on(event, listener);
    };
  });
}
