/**
 * Sources of time and randomness for adapters. All code in adapters/ uses them (lint forbids those of the platform), so that a whole
 * cluster runs in virtual time and a seed replays it. Transports receive sockets as options.
 */
import { asyncScheduler, type SchedulerLike } from 'rxjs';

/** The part of Web Crypto that adapters use. */
export type Randomness = Pick<Crypto, 'getRandomValues' | 'randomUUID'>;

/** @public */
export interface PlatformEnvironment {
  /** Timers, and the time of day in milliseconds since 1970. */
  readonly clock: SchedulerLike;
  /** Source of random numbers and secrets. */
  readonly crypto: Randomness;
}

/**
 * The options `clock` and `crypto`, which every adapter accepts: the sources of time and randomness.
 *
 * @public
 */
export interface InEnvironment {
  /** Timers, and the time of day in milliseconds since 1970. @defaultValue the platform's */
  readonly clock?: SchedulerLike | undefined;
  /** Source of random numbers and secrets. @defaultValue the platform's Web Crypto */
  readonly crypto?: Randomness | undefined;
}

/** Completes the given environment with the platform's. */
export const environmentOf = ({ clock = asyncScheduler, crypto = globalThis.crypto }: InEnvironment): PlatformEnvironment => ({
  clock,
  crypto,
});

const WORDS = 2 ** 32;

/** Draws a uniform integer `0 <= value < bound` for a bound up to 2^32. Words that would favor small values are drawn again. */
export function drawBelow(crypto: Randomness, bound: number): number {
  const fair = WORDS - (WORDS % bound);
  const word = new Uint32Array(1);
  do crypto.getRandomValues(word);
  while (word[0]! >= fair);
  return word[0]! % bound;
}

/** Draws a random number of at least 0 and less than 1. */
export const fraction = (crypto: Randomness): number => drawBelow(crypto, WORDS) / WORDS;
