/** Samples as given made into values to try. */
import type { AnyMachineSnapshot } from 'xstate';
import type { Message } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { ArbitraryLike, EventSamples, MachineTests, SampleArgs, Samples } from './options.js';

/** How many values are drawn from an arbitrary. */
const DRAWN = 6;
/** An event that a `*` of the chart hears and that no sample names. */
const UNNAMED = 'some.other.event';

const isArbitrary = (given: unknown): given is ArbitraryLike =>
  typeof given === 'object' && given !== null && 'generate' in given && 'shrink' in given;

/** The same options with every arbitrary drawn from. fast-check is an optional peer, asked for only where one of its arbitraries is given. */
export async function drawn(tests: MachineTests): Promise<MachineTests> {
  const all = [tests.events ?? {}, ...Object.values(tests.children ?? {}), ...Object.values(tests.services ?? {})];
  if (!all.some((samples) => typeof samples === 'object' && Object.values(samples).some(isArbitrary))) return tests;
  const { default: fc } = await import('fast-check');
  const draw = <T extends object>(samples: T): T =>
    Object.fromEntries(
      Object.entries(samples).map(([name, given]) => [
        name,
        isArbitrary(given) ? fc.sample(given as never, { seed: tests.seed ?? 1, numRuns: DRAWN }) : given,
      ]),
    ) as T;
  const each = <T extends object>(record: Readonly<Record<string, T | 'real'>> | undefined) =>
    Object.fromEntries(Object.entries(record ?? {}).map(([name, one]) => [name, one === 'real' ? one : draw(one)]));
  return {
    ...tests,
    events: draw(tests.events ?? {}),
    children: each(tests.children) as Record<string, EventSamples>,
    services: each(tests.services),
  };
}

export function valuesOf(given: Samples | undefined, args: () => SampleArgs, otherwise: readonly unknown[]): readonly unknown[] {
  if (given === undefined) return otherwise;
  const values = typeof given === 'function' ? given(args()) : given;
  if (!Array.isArray(values)) throw new UsageError('samples are a list, a function that gives a list, or a fast-check arbitrary');
  return values as readonly unknown[];
}

/** The events worth sending for the descriptors that a chart now listens to. */
export function eventsFor(
  descriptors: readonly string[],
  samples: EventSamples | undefined,
  snapshot: AnyMachineSnapshot,
): readonly Message[] {
  const args = (): SampleArgs => ({ context: snapshot.context, snapshot, input: undefined });
  const types = new Set(descriptors.filter((one) => !one.startsWith('xstate.')).flatMap((one) => typesFor(one, samples)));
  return [...types].flatMap((type) =>
    valuesOf(samples?.[type], args, [{}]).map((payload) => {
      if (typeof payload !== 'object' || payload === null)
        throw new UsageError(`a sample of event ${type} is ${String(payload)}; give its payload as an object, { … }`);
      return { type, ...payload };
    }),
  );
}

function typesFor(descriptor: string, samples: EventSamples | undefined): readonly string[] {
  if (descriptor !== '*' && !descriptor.endsWith('.*')) return [descriptor];
  const start = descriptor.slice(0, -1);
  const named = Object.keys(samples ?? {}).filter((type) => type.startsWith(start));
  if (named.length > 0) return named;
  return [descriptor === '*' ? UNNAMED : `${start}other`];
}
