/**
 * Generated paths as a trace: each path is a node that walks its chart, one after the other, and what all of them cover is painted on
 * the charts.
 */
import type { Effect, Message } from '../machines/effects.js';
import type { Protocol, RoleView } from '../machines/protocol.js';
import { chartDefinition } from '../network/chart-definition.js';
import { TRACE_VERSION, type StepLine, type TraceHeader, type TraceLine } from '../network/trace.js';
import type { StateValue } from 'xstate';

interface Expected {
  readonly value: StateValue;
  readonly context: unknown;
  readonly effects: readonly Effect[];
  /** Charts of child actors, by the names of the actors. */
  readonly children?: Readonly<Record<string, RoleView>>;
}

/** A path through a chart, as `pathsOf` generates it. */
export interface WalkedPath {
  readonly chart: string;
  readonly first: Expected;
  readonly steps: readonly { readonly event: Message; readonly expected: Expected }[];
}

/** A violation on a path: the name of the property, and the observation in words. */
export interface PathViolation {
  readonly name: string;
  readonly description: string;
}

/**
 * Generated paths as a trace for the inspector: each path is a node that walks its chart. The charts show the coverage of all paths.
 *
 * @param coverage The counts of `Coverage`, as JSON.
 * @param broken The violation, shown at the top of the page. Optional.
 * @experimental
 */
export function* traceOfPaths(
  { name, charts }: Pick<Protocol, 'name' | 'charts'>,
  paths: readonly WalkedPath[],
  coverage: NonNullable<TraceHeader['coverage']>,
  broken?: PathViolation,
): Generator<TraceHeader | TraceLine> {
  const nodes = paths.map(({ chart }, i) => `${chart} ${i + 1}`);
  yield {
    quiver: TRACE_VERSION,
    protocol: name,
    scenario: null,
    seed: 0,
    nodes,
    links: [],
    charts: Object.fromEntries(Object.entries(charts).map(([chart, machine]) => [chart, chartDefinition(machine)])),
    properties: broken ? [{ ...broken, kind: 'always' }] : [],
    coverage,
  };
  let index = 0;
  for (const [i, { chart, first, steps }] of paths.entries()) {
    const node = nodes[i]!;
    let before: readonly string[] = [];
    const rolesOf = ({ value, context, children = {} }: Expected): StepLine['roles'] => {
      const closed = before.filter((name) => !(name in children)).map((name) => [name, null] as const);
      before = Object.keys(children);
      return { [chart]: { chart, value, context }, ...children, ...Object.fromEntries(closed) };
    };
    const line = (kind: 'start' | 'command', event: Message, expected: Expected, count: number): StepLine => ({
      index,
      at: index++,
      kind,
      node,
      role: chart,
      event,
      sent: [],
      emitted: expected.effects.map(asEvent),
      roles: rolesOf(expected),
      clock: { [node]: count },
    });
    yield line('start', { type: 'start' }, first, 1);
    for (const [step, { event, expected }] of steps.entries()) yield line('command', event, expected, step + 2);
  }
  if (!broken) return;
  const properties = [{ name: broken.name, kind: 'always', holds: false }] as const;
  yield { index, at: index, kind: 'verdict', verdict: 'invalid', properties, clock: {} };
}

/** A path has no network, so an effect is only recorded. */
function asEvent(effect: Effect): Message {
  switch (effect.type) {
    case 'emit':
      return effect.event;
    case 'send':
      return { type: `send ${effect.message.type} to ${[effect.to].flat().join(', ')}` };
    case 'tell':
      return { type: `tell ${effect.role} ${effect.message.type}` };
    case 'arm':
    case 'disarm':
      return { type: `${effect.type} ${effect.timer}` };
    case 'draw':
      return { type: `draw below ${effect.bound}` };
    case 'store':
      return { type: `store ${effect.key}` };
    default:
      return { type: `${effect.type} ${effect.role}` };
  }
}
