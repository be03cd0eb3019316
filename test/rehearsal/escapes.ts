/**
 * Detects calls that escape a world: real timers, sockets and files, which no seed can reproduce.
 *
 * The world replaces the globals and Node's timers. The remaining calls use functions that a module saved before, or reach the machine.
 * Node reports each of them when it starts (async_hooks). This is too slow for every run, so it is done only for runs that are repeated for
 * comparison.
 */
import { createHook } from 'node:async_hooks';
import { here } from './here.js';

const REAL = /^(Timeout|Immediate|TCP.*|PIPE.*|UDP.*|FSREQ.*|GETADDRINFO.*|HTTPCLIENTREQUEST|PROCESSWRAP|WORKER|MESSAGEPORT)$/;

/** Frames of Node and of the world. */
const OURS = /node:|network[/\\]clock\.|rehearsal[/\\](world|escapes|rehearse|platform|peer)\.[jt]s:/;
const DEEP = 40;

function stackOf(): readonly string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = DEEP;
  const { stack = '' } = new Error('here');
  Error.stackTraceLimit = stackTraceLimit;
  return stack.split('\n').slice(1);
}

export function watchEscapes(): { stop(): readonly string[] } {
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
