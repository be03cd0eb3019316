/**
 * What leaves a world: real timers, real sockets, real files, which no seed repeats.
 *
 * The globals and Node's timers are those of the world, so what is left is what a module has taken for itself before, and what talks to
 * the machine. Node tells of each when it begins (async_hooks); that costs too much for every run, so it is done for those run twice.
 */
import { createHook } from 'node:async_hooks';
import { here } from './here.js';

const REAL = /^(Timeout|Immediate|TCP.*|PIPE.*|UDP.*|FSREQ.*|GETADDRINFO.*|HTTPCLIENTREQUEST|PROCESSWRAP|WORKER|MESSAGEPORT)$/;

/** Node's own frames, and those of the world. */
const OURS = /node:|network[/\\]clock\.|rehearsal[/\\](world|escapes|rehearse|platform|peer)\.[jt]s:/;
const DEEP = 40;

function stackOf(): readonly string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = DEEP;
  const { stack = '' } = new Error('here');
  Error.stackTraceLimit = stackTraceLimit;
  return stack.split('\n').slice(1);
}

export function notificationEscapes(): { stop(): readonly string[] } {
  const escapes = new Set<string>();
  const hook = createHook({
    init: (_, type) => {
      if (!REAL.test(type) || !here()) return;
      const frames = stackOf();
      const place = frames.find((line) => !OURS.test(line)) ?? '';
      escapes.add(`${type} ${place.trim()}`);
    },
  });
  hook.enable();
  return {
    stop: () => {
      hook.disable();
      return [...escapes];
    },
  };
}
