/** Converts the samples that a user gives to values to try, and makes the values of a failing step smaller. */
import type { AnyMachineSnapshot } from 'xstate';
import type { Message } from '../../machines/effects.js';
import { UsageError, thrownText } from '../../machines/errors.js';
import { configOf, isExternalEvent, ROUTE, rulesOf } from '../charts/config.js';
import { encode } from './encode.js';
import type { ArbitraryLike, EventSamples, MachineTests, SampleArgs, Samples, MachineStep } from './options.js';
import { heldAs, heldEvent, isJson, type Holds } from './steps.js';
import { eventsPassedOn } from './within.js';

/** How many values are drawn from an arbitrary. */
const DRAWN = 6;
/** An event that a `*` of the chart takes and that has no samples. */
const UNNAMED = 'some.other.event';
/** True if an event was invented for a wildcard of the chart. */
export const isInvented = (type: string): boolean => type === UNNAMED || type.endsWith('.other');

const plainly = (value: unknown): string => encode(value, () => undefined);

const isArbitrary = (given: unknown): given is ArbitraryLike =>
  typeof given === 'object' && given !== null && 'generate' in given && 'shrink' in given;

/** A value of an arbitrary, with the context that the arbitrary needs to shrink it. */
interface Drawn {
  readonly value: unknown;
  readonly context: unknown;
}

/** The arbitraries of drawn lists. */
const origins = new WeakMap<object, { readonly arbitrary: ArbitraryLike; readonly values: readonly Drawn[] }>();

/** A step with replaced samples. */
interface Varied {
  readonly samples: readonly unknown[];
  readonly at: number;
  with(value: unknown, sample: number): MachineStep;
}

const chanceOf = ({ chance }: MachineStep) => chance !== undefined && { chance };

/** The source of a step's value, if it is a list. */
function variedOf(step: MachineStep, { events, children, services }: MachineTests): Varied | null {
  const find = (given: Samples | undefined, own: unknown, make: Varied['with']): Varied | null => {
    if (!Array.isArray(given)) return null;
    const text = plainly(own);
    const at = (step as { sample?: number }).sample ?? given.findIndex((one) => plainly(one) === text);
    return at < 0 ? null : { samples: given, at, with: make };
  };
  const [[how, name]] = Object.entries(step) as [[string, string]];
  const base = (path: string) => path.replace(/^.*\//, '').replace(/#\d+$/, '');
  if ('event' in step) {
    const { to } = step as { to?: string };
    const { type, ...payload } = step.event;
    const given = 'sends' in step ? undefined : to === undefined ? events?.[type] : children?.[base(to)]?.[type];
    return find(given, payload, (value, sample) => ({
      ...heldEvent({ ...(value as object), type }, sample),
      ...(to !== undefined && { to }),
      ...chanceOf(step),
    }));
  }
  const key = ({ done: 'output', fails: 'error', next: 'value' } as const)[how];
  const service = key && services?.[base(name)];
  if (!key || typeof service !== 'object') return null;
  const own = (step as unknown as Record<string, unknown>)[key];
  return find(
    service[how as 'done'],
    own,
    (value, sample) => ({ [how]: name, ...heldAs(key, value, sample), ...chanceOf(step) }) as never,
  );
}

/**
 * Shrinks the values of a step, one after the other: with the arbitrary's shrinker, or with the shorter samples of its list. `fits` returns
 * true if the smaller step still fails. The result is the smallest step found.
 */
export async function smallest(
  step: MachineStep,
  tests: MachineTests,
  fits: (step: MachineStep) => Promise<boolean>,
): Promise<void> {
  const varied = variedOf(step, tests);
  if (!varied) return;
  const { samples, at } = varied;
  const origin = origins.get(samples);
  if (!origin) {
    const lengths = samples.map((one) => plainly(one).length);
    const shorter = samples.map((_, i) => i).filter((i) => lengths[i]! < lengths[at]!);
    for (const i of shorter.toSorted((a, b) => lengths[a]! - lengths[b]!)) if (await fits(varied.with(samples[i], i))) return;
    return;
  }
  let next: Drawn | undefined = origin.values[at];
  while (next) {
    const smaller = origin.arbitrary.shrink(next.value, next.context) as Iterable<Drawn>;
    next = undefined;
    for (const one of smaller) {
      // A value that is not JSON has no place among the samples.
      if (!isJson(one.value) || !(await fits(varied.with(one.value, at)))) continue;
      next = one;
      break;
    }
  }
}

/**
 * Copies the options with values drawn from every arbitrary. fast-check is an optional peer, loaded only if there is an arbitrary of it.
 */
export async function drawn(tests: MachineTests): Promise<MachineTests> {
  const all = [tests.events ?? {}, ...Object.values(tests.children ?? {}), ...Object.values(tests.services ?? {})];
  if (!all.some((samples) => typeof samples === 'object' && Object.values(samples).some(isArbitrary))) return tests;
  const { default: fc } = await import('fast-check');
  /** Keeps what an arbitrary needs to make its values smaller. */
  class Kept extends fc.Arbitrary<unknown> {
    readonly values: Drawn[] = [];
    constructor(readonly inner: ArbitraryLike) {
      super();
    }
    override generate(random: never, bias: number | undefined): never {
      const drawn = this.inner.generate(random, bias) as Drawn;
      this.values.push(drawn);
      return drawn as never;
    }
    override canShrinkWithoutContext(_: unknown): _ is never {
      return false;
    }
    override shrink(): never {
      return fc.stream([][Symbol.iterator]()) as never;
    }
  }
  const listOf = (arbitrary: ArbitraryLike): readonly unknown[] => {
    const kept = new Kept(arbitrary);
    const list = fc.sample(kept, { seed: tests.seed ?? 1, numRuns: DRAWN });
    origins.set(list, { arbitrary, values: kept.values });
    return list;
  };
  const draw = <T extends object>(samples: T): T =>
    Object.fromEntries(Object.entries(samples).map(([name, given]) => [name, isArbitrary(given) ? listOf(given) : given])) as T;
  const each = <T extends object>(record: Readonly<Record<string, T | 'real'>> | undefined) =>
    Object.fromEntries(Object.entries(record ?? {}).map(([name, one]) => [name, one === 'real' ? one : draw(one)]));
  return {
    ...tests,
    events: draw(tests.events ?? {}),
    children: each(tests.children) as Record<string, EventSamples>,
    services: each(tests.services),
  };
}

/** The values of these samples, or `otherwise` if there are none. `of` names their purpose in errors. */
export function valuesOf(
  given: Samples | undefined,
  args: () => SampleArgs,
  otherwise: readonly unknown[],
  of: string,
): readonly unknown[] {
  if (given === undefined) return otherwise;
  const values = typeof given === 'function' ? called(given, args(), of) : given;
  if (!Array.isArray(values))
    throw new UsageError(
      `the samples of ${of} are ${plainly(values)}. Pass a list, a function that returns a list, or a fast-check arbitrary.`,
    );
  return values;
}

function called(given: (args: SampleArgs) => readonly unknown[], args: SampleArgs, of: string): readonly unknown[] {
  try {
    return given(args);
  } catch (error) {
    throw new UsageError(
      `the function that returns the samples of ${of} throws in state ${JSON.stringify(args.snapshot.value)}: ${thrownText(error)}. Fix it, or return [] in this state.`,
    );
  }
}

/** The events worth sending for the descriptors that a chart now listens to, as steps have them. */
export function eventsFor(
  descriptors: readonly string[],
  samples: EventSamples | undefined,
  snapshot: AnyMachineSnapshot,
  holds: Holds = isJson,
): readonly { readonly event: Message; readonly sample?: number; readonly description?: string }[] {
  const args = argsOf(snapshot);
  const types = new Set(descriptors.filter(isExternalEvent).flatMap((one) => typesFor(one, samples, snapshot)));
  return [...types].flatMap((type) =>
    valuesOf(samples?.[type], args, bareOf(type, snapshot), `event ${type}`).map((payload, i) => {
      if (typeof payload !== 'object' || payload === null)
        throw new UsageError(`a sample of event ${type} is ${String(payload)}. Pass its payload as an object, { … }.`);
      return heldEvent({ ...payload, type }, i, holds);
    }),
  );
}

/** The default payloads of an event without samples: none, and for a route each state that can be its target. */
function bareOf(type: string, { machine }: AnyMachineSnapshot): readonly object[] {
  const routes =
    type === ROUTE ? [...rulesOf(configOf(machine))].flatMap(({ route }) => (route === undefined ? [] : [route])) : [];
  return routes.length === 0 ? [{}] : routes.map((to) => ({ to }));
}

/** The event of a step, with the payload that JSON does not hold. */
export function wholeEvent(
  { event, sample }: { readonly event: Message; readonly sample?: number },
  samples: EventSamples | undefined,
  snapshot: AnyMachineSnapshot,
): Message {
  return sample === undefined
    ? event
    : { ...(valuesOf(samples?.[event.type], argsOf(snapshot), [], `event ${event.type}`)[sample] as object), type: event.type };
}

const argsOf = (snapshot: AnyMachineSnapshot) => (): SampleArgs => ({ context: snapshot.context, snapshot, input: undefined });

function typesFor(descriptor: string, samples: EventSamples | undefined, snapshot: AnyMachineSnapshot): readonly string[] {
  if (descriptor !== '*' && !descriptor.endsWith('.*')) return [descriptor];
  const start = descriptor.slice(0, -1);
  const named = Object.keys(samples ?? {}).filter((type) => type.startsWith(start));
  if (named.length > 0) return named;
  return [descriptor === '*' ? UNNAMED : `${start}other`, ...eventsPassedOn(snapshot, descriptor)];
}
