/**
 * What an adapter has from outside: time and chance. Everything in adapters/ takes them from here (lint forbids the platform's own), so
 * that a whole cluster runs in virtual time and a seed replays it. Sockets come in by options of the transports that use them.
 */
import { asyncScheduler, type SchedulerLike } from 'rxjs';

/** What is used of Web Crypto. */
export type Randomness = Pick<Crypto, 'getRandomValues' | 'randomUUID'>;

/** @public */
export interface PlatformEnvironment {
  /** Timers, and the time of day in milliseconds since 1970. */
  readonly clock: SchedulerLike;
  /** Where chance and secrets come from. */
  readonly crypto: Randomness;
}

/** What every option of an adapter's may bring along. @public */
export interface InEnvironment {
  /** Timers, and the time of day in milliseconds since 1970; the platform's unless given. */
  readonly clock?: SchedulerLike | undefined;
  /** Where chance and secrets come from; the platform's Web Crypto unless given. */
  readonly crypto?: Randomness | undefined;
}

/** The given environment, and the platform for the rest. */
export const environmentOf = ({ clock = asyncScheduler, crypto = globalThis.crypto }: InEnvironment): PlatformEnvironment => ({
  clock,
  crypto,
});

const WORDS = 2 ** 32;

/** A uniform integer `0 <= value < bound` for a bound up to 2^32; the words that would favor small values are drawn again. */
export function drawBelow(crypto: Randomness, bound: number): number {
  const fair = WORDS - (WORDS % bound);
  const word = new Uint32Array(1);
  do crypto.getRandomValues(word);
  while (word[0]! >= fair);
  return word[0]! % bound;
}

/** A number `0 <= value < 1`. */
export const fraction = (crypto: Randomness): number => drawBelow(crypto, WORDS) / WORDS;
