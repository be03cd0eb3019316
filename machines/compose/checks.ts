/**
 * Properties, corruptions and times of a composition, derived from its parts. The properties of a part see only its own roles and messages.
 */
import type { NodeId } from '../effects.js';
import type { Choose, Configuration, Corruption, Instance, NodeState, NodeView, Property, Times } from '../protocol.js';
import type { Part, PartsOptions } from './parts.js';
import { isStackAtRest } from './stack.js';

type Config = Configuration<PartsOptions>;

/** Converts a property of a part to one of the composition. */
export function propertyOf(part: Part, property: Property): Property<PartsOptions> {
  const named = { name: `${part.name}: ${property.name}`, description: property.description };
  const seen = (c: Config) => part.configuration(c);
  if (property.kind === 'eventually') {
    return {
      ...named,
      kind: property.kind,
      when: (c, node) => property.when(seen(c), node),
      holds: (c, node) => property.holds(seen(c), node),
    };
  }
  const holds = (c: Config) => property.holds(seen(c));
  return property.kind === 'converges'
    ? { ...named, kind: property.kind, holds, within: property.within }
    : { ...named, kind: property.kind, holds };
}

/** Arbitrary states of all parts together, if every part defines them. */
export function corruptionOf(parts: readonly Part[]): Corruption<PartsOptions> | undefined {
  if (!parts.every(({ protocol }) => protocol.corruption)) return undefined;
  const of = (part: Part) => part.protocol.corruption!;
  return {
    isSurvived: parts.every((part) => of(part).isSurvived !== false),
    node: (node, instance, choose) =>
      parts.map((part) => outerState(part, of(part).node(node, part.instance(instance), choose))).reduce(together),
    channel: (from: NodeId, to: NodeId, instance: Instance<PartsOptions>, choose: Choose) =>
      parts.flatMap((part) =>
        of(part)
          .channel(from, to, part.instance(instance), choose)
          .map((message) => part.outerMessage(message)),
      ),
  };
}

const outerState = (part: Part, { roles, timers }: NodeState): NodeState => ({
  roles: part.outerNode(roles),
  timers: timers.map((timer) => ({ ...timer, role: part.outer(timer.role) })),
});

const together = (a: NodeState, b: NodeState): NodeState => ({
  roles: { ...a.roles, ...b.roles },
  timers: [...a.timers, ...b.timers],
});

/** True if all parts may rest here. A part without `atRest` rests if none of its messages is in flight. */
export function atRestOf(parts: readonly Part[]): ((c: Config) => boolean) | undefined {
  if (!parts.some(({ protocol }) => protocol.atRest)) return undefined;
  return (c) =>
    [...c.nodes.values()].every(isStackAtRest) &&
    parts.every((part) =>
      part.protocol.atRest ? part.protocol.atRest(part.configuration(c)) : part.flights(c.flights).length === 0,
    );
}

export function mayFireOf(parts: readonly Part[]) {
  if (!parts.some(({ protocol }) => protocol.mayFire)) return undefined;
  return (c: Config, node: NodeId, role: string, timer: string): boolean => {
    const part = parts.find((one) => one.owns(role));
    return part?.protocol.mayFire?.(part.configuration(c), node, part.inner(role), timer) ?? true;
  };
}

export function canonicalOf(parts: readonly Part[]): ((view: NodeView) => NodeView) | undefined {
  const some = parts.filter(({ protocol }) => protocol.canonical);
  if (some.length === 0) return undefined;
  return (view) => some.reduce((seen, part) => part.replaced(seen, part.protocol.canonical!(part.node(seen))), view);
}

/** The times in states and messages of all parts. Each part has separate kinds, so times of different parts are never compared. */
export function timesOf(parts: readonly Part[], options: PartsOptions): Times | null {
  const all = parts.flatMap((part) => {
    const times = part.protocol.times?.(options[part.name]);
    return times ? [{ part, times }] : [];
  });
  if (all.length === 0) return null;
  const kinds = all.reduce((sum, { times }) => sum + times.kinds, 0);
  const first = (i: number) => all.slice(0, i).reduce((sum, { times }) => sum + times.kinds, 0);
  return {
    kinds,
    node: (view, replace) =>
      all.reduce(
        (seen, { part, times }, i) =>
          part.replaced(
            seen,
            times.node(part.node(seen), (time, kind) => replace(time, first(i) + kind)),
          ),
        view,
      ),
    message: (message, replace) => {
      const i = all.findIndex(({ part }) => part.owns(message.type));
      if (i < 0) return message;
      const { part, times } = all[i]!;
      return part.outerMessage(times.message(part.innerMessage(message), (time, kind) => replace(time, first(i) + kind)));
    },
  };
}
