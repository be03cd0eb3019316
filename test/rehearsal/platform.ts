/**
 * The globals of the platform, as a simulated process sees them: its time, timers, random numbers, crypto and sockets.
 *
 * While no simulated process is current, everything is passed to the real platform. During a run, Node's timer modules are replaced as well:
 * a module that imports `setTimeout` from `node:timers` gets that of the world.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { here, setWorld } from './here.js';
import { BroadcastChannels, WorldChannel } from './message-channels.js';
import { ownProcess } from './own-process.js';
import { BEGAN, steerChance, uuidOf, type NodeCrypto } from '../chance.js';
import { put, type Undo } from '../put.js';
import { SMALL_LIMITS } from './limits.js';
import type { LimitSetting } from './scenario.js';
import { WorldTcpServer, WorldTcpSocket } from './sockets.js';
import { WorldSocket } from './web-sockets.js';
import { isObject } from '../../machines/checks.js';
import type { RehearsalTurn, VirtualWorld } from './world.js';

const required = createRequire(import.meta.url);
type Call = (...args: unknown[]) => unknown;

type Calls = Record<string, Call>;

const modules: { timers: Calls; promises: Calls; net: Calls; dns: Calls; crypto: NodeCrypto } = {
  timers: required('node:timers'),
  promises: required('node:timers/promises'),
  net: required('node:net'),
  dns: required('node:dns'),
  crypto: required('node:crypto'),
};

/** Replaces the platform for the processes of this world, until the returned function is called. */
export function enterWorld(world: VirtualWorld, limits: LimitSetting): () => void {
  setWorld(world);
  const restore = [...patches(world), ...ownProcess(world), setLimits(limits)];
  syncBuiltinESMExports();
  return () => {
    setWorld(null);
    for (const back of restore.reverse()) back();
    syncBuiltinESMExports();
  };
}

/** The place where adapters look for their limits (adapters/limits.ts), so that neither side imports the other. */
const LIMITS_PLACE = Symbol.for('xstate-quiver.limits');

function setLimits(limits: LimitSetting): Undo {
  Object.defineProperty(globalThis, LIMITS_PLACE, {
    get: () => here() && limits === 'small' && SMALL_LIMITS,
    configurable: true,
  });
  return () => void Reflect.deleteProperty(globalThis, LIMITS_PLACE);
}

function patches(world: VirtualWorld): Undo[] {
  const timers = timersOf(world);
  const channels = new BroadcastChannels(world);
  const whenCurrent = <T extends abstract new (...args: never[]) => object>(Own: T, real: Function) =>
    new Proxy(Own, { construct: (target, args): object => Reflect.construct(here() ? target : real, args) });
  return [
    ...Object.entries(timers).flatMap(([name, timer]) => [put(globalThis, name, timer), put(modules.timers, name, timer)]),
    put(modules.promises, 'setTimeout', promised(timers['setTimeout']!, modules.promises['setTimeout']!)),
    put(modules.promises, 'setImmediate', promised(timers['setImmediate']!, modules.promises['setImmediate']!)),
    ...chanceOf(world),
    put(AbortSignal, 'timeout', timeout()),
    subtleOf(world),
    ...netOf(world),
    put(globalThis, 'WebSocket', whenCurrent(WorldSocket, globalThis.WebSocket)),
    put(globalThis, 'MessageChannel', whenCurrent(WorldChannel, globalThis.MessageChannel)),
    put(globalThis, 'BroadcastChannel', whenCurrent(channels.Channel, globalThis.BroadcastChannel)),
    hideWebLocks(),
    ...(['info', 'warn'] as const).map((level) => put(console, level, logged(world, level))),
  ];
}

/** A process has no Web Locks: those of the platform belong to no world, and the crash of a process would not release them. */
function hideWebLocks(): Undo {
  const real = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  if (!real) return () => {};
  const { navigator } = globalThis;
  const hidden = new Proxy(navigator, {
    get: (target, key): unknown => (key === 'locks' ? undefined : Reflect.get(target, key)),
  });
  Object.defineProperty(globalThis, 'navigator', { get: () => (here() ? hidden : navigator), configurable: true });
  return () => void Object.defineProperty(globalThis, 'navigator', real);
}

// Time.

interface Handle {
  turn: RehearsalTurn;
}

function timersOf(world: VirtualWorld): Readonly<Record<string, (...args: any[]) => unknown>> {
  const real = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate };
  const arm = (run: (...args: unknown[]) => void, ms: unknown, args: unknown[], isRepeated: boolean) => {
    world.ask();
    const process = world.current!;
    // Like Node.
    const delay = Math.max(1, Number(ms) > 2 ** 31 - 1 ? 1 : Number(ms) || 0);
    const begin = (): RehearsalTurn =>
      world.ring(process, delay, 'timer', () => {
        if (isRepeated) handle.turn = begin();
        return run(...args);
      });
    const handle = {
      turn: begin(),
      ref: () => handle,
      unref: () => handle,
      hasRef: () => true,
      refresh: () => {
        world.cancel(handle.turn);
        handle.turn = begin();
        return handle;
      },
      close: () => world.cancel(handle.turn),
      [Symbol.toPrimitive]: () => 0,
    };
    return handle;
  };
  const clear = (real: Function) => (handle: Handle | undefined) => {
    if (handle?.turn) world.cancel(handle.turn);
    else Reflect.apply(real, undefined, [handle]);
  };
  return {
    setTimeout: (run, ms, ...args) => (here() ? arm(run, ms, args, false) : real.setTimeout(run, ms, ...args)),
    setInterval: (run, ms, ...args) => (here() ? arm(run, ms, args, true) : real.setInterval(run, ms, ...args)),
    setImmediate: (run, ...args) => {
      if (!here()) return real.setImmediate(run, ...args);
      world.ask();
      return { turn: world.ring(world.current!, 0, 'immediate', () => run(...args)) };
    },
    clearTimeout: clear(real.clearTimeout),
    clearInterval: clear(real.clearInterval),
    clearImmediate: clear(real.clearImmediate),
  };
}

/** Like `node:timers/promises`. */
const promised =
  (timer: (...args: any[]) => unknown, real: Call) =>
  (...args: unknown[]) => {
    if (!here()) return real(...args);
    const [ms, value] = timer.length === 1 ? [undefined, args[0]] : args;
    return new Promise((resolve) => (ms === undefined ? timer(() => resolve(value)) : timer(() => resolve(value), ms)));
  };

function timeout(): (ms: number) => AbortSignal {
  const real = AbortSignal.timeout.bind(AbortSignal);
  return (ms) => {
    if (!here()) return real(ms);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms);
    return controller.signal;
  };
}

// Random numbers.

/** Chance and time as the process that runs has them. */
function chanceOf(world: VirtualWorld): Undo[] {
  const asked =
    <T>(answer: () => T) =>
    (): T => {
      world.ask();
      return answer();
    };
  const fill = (bytes: Uint8Array): void => {
    world.ask();
    for (let i = 0; i < bytes.length; i++) bytes[i] = world.current!.random.below(256);
  };
  const chance = {
    isSteered: () => Boolean(here()),
    now: asked(() => Math.floor(BEGAN + world.now + world.current!.aheadBy(world.now))),
    sinceStart: asked(() => world.now - world.current!.bootedAt),
    unit: asked(() => world.current!.random.unit()),
    fill,
    uuid: () => uuidOf({ fill }),
  };
  return steerChance(chance, modules.crypto);
}

function subtleOf(world: VirtualWorld): Undo {
  const { subtle } = crypto;
  const work = new Proxy(subtle, {
    get: (target, key) => {
      const own: unknown = Reflect.get(target, key);
      if (typeof own !== 'function') return own;
      return (...args: unknown[]) => {
        const answer: Promise<unknown> = Reflect.apply(own, target, args);
        return here() ? world.fromOutside(answer) : answer;
      };
    },
  });
  return put(crypto, 'subtle', work);
}

// Sockets.

function netOf(world: VirtualWorld): Undo[] {
  const { net, dns } = modules;
  const whenHere = (name: string, own: Call) => {
    const real = net[name]!;
    return put(net, name, (...args: unknown[]) => (here() ? own(...args) : real(...args)));
  };
  const lookup = dns['lookup']!;
  return [
    whenHere('connect', WorldTcpSocket.connect),
    whenHere('createConnection', WorldTcpSocket.connect),
    whenHere('createServer', WorldTcpServer.create),
    put(dns, 'lookup', (...args: unknown[]) => (here() ? lookUp(world, args) : lookup(...args))),
  ];
}

/** `dns.lookup`: the name of a process is its address. */
function lookUp(world: VirtualWorld, args: readonly unknown[]): void {
  const [name, options] = args;
  const host = String(name);
  const isForAll = isObject(options) && options['all'] === true;
  const answer = args.at(-1) as (error: Error | null, address?: unknown, family?: number) => void;
  world.after(1, world.current, `${host} is looked up`, () => {
    if (!world.processes.has(host))
      return answer(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }));
    return isForAll ? answer(null, [{ address: host, family: 4 }]) : answer(null, host, 4);
  });
}

// Output.

function logged(world: VirtualWorld, level: 'info' | 'warn'): (...args: unknown[]) => void {
  const real = console[level].bind(console);
  return (...args) => (here() ? world.log(`${level}: ${args.join(' ')}`) : real(...args));
}
