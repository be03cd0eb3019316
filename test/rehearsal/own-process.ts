/**
 * What of `process` a simulated process has for itself: what it listens to, the signals that it sends to itself, its end, its warnings, and
 * the errors that it does not catch. Nothing of that reaches the program that rehearses.
 */
import { constants } from 'node:os';
import { here } from './here.js';
import { put, type Undo } from '../put.js';
import { errorText, type ErrorOrigin, type Process, type VirtualWorld } from './world.js';

/** The methods of `process` as an emitter. */
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

/** Node itself emits these on the real process, whoever is current. */
const OF_NODE = new Set<unknown>(['uncaughtException', 'uncaughtExceptionMonitor', 'unhandledRejection', 'rejectionHandled']);

export function ownProcess(world: VirtualWorld): Undo[] {
  const { exitCode } = process;
  const ends: Readonly<Record<string, (own: Process, ...args: any[]) => unknown>> = {
    exit: (own, code: unknown = 0) => world.exit(own, code),
    abort: (own) => world.leave(own, 'SIGABRT'),
    kill: (own, pid: unknown, signal: unknown = 'SIGTERM') => kill(world, own, pid, signal),
  };
  return [
    ...LISTENING.map((name) => ofItsOwn(name, ({ events }, ...args) => answerOf(events, name, args))),
    ...Object.entries(ends).map(([name, end]) => ofItsOwn(name, end)),
    // Node lets nobody put something in the place of this one.
    () => void (process.exitCode = exitCode),
    put(process, 'emitWarning', emitWarning(world)),
    ...catchErrors(world),
  ];
}

function ofItsOwn(name: string, does: (own: Process, ...args: any[]) => unknown): Undo {
  const real = Reflect.get(process, name) as (...args: unknown[]) => unknown;
  return put(process, name, (...args: unknown[]) => {
    const own = here()?.process;
    const isReal = !own || (name === 'emit' && OF_NODE.has(args[0]));
    return isReal ? Reflect.apply(real, process, args) : does(own, ...args);
  });
}

function answerOf(events: Process['events'], name: string, args: unknown[]): unknown {
  const answer: unknown = Reflect.apply(Reflect.get(events, name) as () => unknown, events, args);
  return answer === events ? process : answer;
}

/** There is no other process in a world that one could reach by a number. */
function kill(world: VirtualWorld, own: Process, pid: unknown, signal: unknown): true {
  if (Number(pid) !== process.pid && Number(pid) !== 0)
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH', syscall: 'kill', errno: -constants.errno.ESRCH });
  if (signal === 0) return true;
  const name = Object.entries(constants.signals).find((one) => one.includes(signal as number))?.[0];
  if (name === undefined) throw Object.assign(new TypeError(`Unknown signal: ${String(signal)}`), { code: 'ERR_UNKNOWN_SIGNAL' });
  world.kill(own, name);
  return true;
}

/** What Node warns of: a leak of listeners, for instance. */
function emitWarning(world: VirtualWorld): (...args: any[]) => void {
  const real = process.emitWarning.bind(process) as (...args: any[]) => void;
  return (warning: string | Error, ...rest) => {
    if (!here()) return real(warning, ...rest);
    world.tell('warning', { peer: world.current!.id, warning: errorText(warning) });
  };
}

/** An error that nobody caught is the business of the process that is current; without one, of whoever listened before. */
function catchErrors(world: VirtualWorld): Undo[] {
  return (['unhandledRejection', 'uncaughtException'] as const satisfies ErrorOrigin[]).map((event) => {
    const before = process.listeners(event as never) as ((...args: unknown[]) => void)[];
    const hear = (...args: unknown[]) => {
      if (world.current) world.fail(world.current, args[0], event, args[1]);
      else if (before.length > 0) for (const listener of before) listener(...args);
      else throw args[0];
    };
    process.removeAllListeners(event);
    process.on(event as never, hear as never);
    return () => {
      process.off(event as never, hear as never);
      for (const listener of before) process.on(event as never, listener as never);
    };
  });
}
