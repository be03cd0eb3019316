/**
 * Replaces the platform's sources of chance and time (`Math.random`, `Date`, `performance.now`, `crypto`) by controlled ones, until they
 * are restored.
 */
import { put, type Undo } from './put.js';

/** The first moment of a steered clock, in milliseconds since 1970: the start of 2026. */
export const BEGAN = 1_767_225_600_000;

/** The values that replaced functions return, and the decision whether they are replaced for the code that runs now. */
export interface Chance {
  /** True if the code that runs now gets controlled values. All other code gets the platform's values. */
  isSteered(): boolean;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds as `performance.now` returns them. */
  sinceStart(): number;
  /** A number from 0 to 1, without 1. */
  unit(): number;
  /** Draws each of these bytes. */
  fill(bytes: Uint8Array): void;
  /** A UUID of version 4. */
  uuid(): string;
}

/** The functions of Node's module `crypto` that are replaced. */
export interface NodeCrypto {
  randomUUID: (...args: never[]) => unknown;
  randomBytes: (...args: never[]) => unknown;
  randomInt: (...args: never[]) => unknown;
}

/** Replaces chance and time of the globals. Each result restores one of them. */
export function steerChance(chance: Chance, nodeCrypto?: NodeCrypto): Undo[] {
  const { isSteered } = chance;
  const [random, sinceStart] = [Math.random, performance.now.bind(performance)];
  const { getRandomValues, randomUUID } = crypto;
  const fill = (array: ArrayBufferView) => (isSteered() ? filled(array, chance) : getRandomValues.call(crypto, array as never));
  const uuid = () => (isSteered() ? chance.uuid() : randomUUID.call(crypto));
  return [
    put(globalThis, 'Date', dateOf(chance)),
    put(performance, 'now', () => (isSteered() ? chance.sinceStart() : sinceStart())),
    put(Math, 'random', () => (isSteered() ? chance.unit() : random())),
    put(crypto, 'getRandomValues', fill),
    // Pages that are not served securely have none.
    ...(randomUUID === undefined ? [] : [put(crypto, 'randomUUID', uuid)]),
    ...(nodeCrypto ? steerNodeCrypto(nodeCrypto, chance, uuid) : []),
  ];
}

function steerNodeCrypto(nodeCrypto: NodeCrypto, chance: Chance, uuid: () => string): Undo[] {
  const randomBytes = nodeCrypto.randomBytes as (...args: unknown[]) => Uint8Array;
  const bytes = (size: number, ...rest: unknown[]) =>
    chance.isSteered() && rest.length === 0 ? filled(randomBytes(size), chance) : randomBytes(size, ...rest);
  const randomInt = nodeCrypto.randomInt as (...args: unknown[]) => unknown;
  const integer = (...args: unknown[]) => {
    const [min, max] = args.length === 1 ? [0, args[0]] : args;
    const isPlain = args.length <= 2 && Number.isSafeInteger(min) && Number.isSafeInteger(max) && Number(min) < Number(max);
    return chance.isSteered() && isPlain
      ? Number(min) + Math.floor(chance.unit() * (Number(max) - Number(min)))
      : randomInt(...args);
  };
  return [put(nodeCrypto, 'randomUUID', uuid), put(nodeCrypto, 'randomBytes', bytes), put(nodeCrypto, 'randomInt', integer)];
}

function dateOf({ isSteered, now: steered }: Chance): DateConstructor {
  const real = Date;
  const now = () => (isSteered() ? steered() : real.now());
  return new Proxy(real, {
    construct: (target, args, newTarget): Date => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: (target) => new target(now()).toString(),
    get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
  });
}

function filled<T extends ArrayBufferView>(array: T, { fill }: Pick<Chance, 'fill'>): T {
  fill(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return array;
}

/** A UUID of version 4 from drawn bytes. */
export function uuidOf(chance: Pick<Chance, 'fill'>): string {
  const hex = Array.from(filled(new Uint8Array(16), chance), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
