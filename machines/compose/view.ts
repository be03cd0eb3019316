/** Reports and pictures of a composition, assembled from those of its parts. */
import type { NodeId } from '../effects.js';
import type {
  Configuration,
  Instance,
  LinksView,
  Meter,
  NodeView,
  Observer,
  Overlay,
  PropertyResult,
  Step,
} from '../protocol.js';
import type { Part, PartsOptions } from './parts.js';

/** Observes a run with the observers of all parts, and joins their reports. */
export class PartsAccount implements Observer {
  private readonly accounts: readonly { readonly part: Part; readonly observer: Observer }[];

  constructor(parts: readonly Part[], instance: Instance<PartsOptions>) {
    this.accounts = parts.map((part) => ({ part, observer: part.protocol.observe(part.instance(instance)) }));
  }

  record(step: Step, c: Configuration): void {
    for (const { part, observer } of this.accounts) {
      const own = part.step(step, c.nodes.get(step.node));
      if (own) observer.record(own, part.configuration(c));
    }
  }

  disturbed(at: number, flight: Parameters<NonNullable<Observer['disturbed']>>[1]): void {
    for (const { part, observer } of this.accounts) {
      if (flight === null) observer.disturbed?.(at, null);
      else for (const own of part.flights([flight])) observer.disturbed?.(at, own);
    }
  }

  summary(c: Configuration): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.accounts.map(({ part, observer }) => [part.name, observer.summary(part.configuration(c))]));
  }

  meters(c: Configuration): readonly Meter[] {
    return this.accounts.flatMap(({ part, observer }) => renamed(part, observer.meters(part.configuration(c))));
  }

  properties(): readonly PropertyResult[] {
    return this.accounts.flatMap(({ part, observer }) => renamed(part, observer.properties?.() ?? []));
  }
}

const renamed = <T extends { readonly name: string }>(part: Part, list: readonly T[]): T[] =>
  list.map((one) => ({ ...one, name: `${part.name}: ${one.name}` }));

/** A node's marks in the inspector: those of all parts. Color and group come from the first part that defines them. */
export function overlayOf(parts: readonly Part[], node: NodeView, id: NodeId, links: LinksView, c: Configuration): Overlay {
  const all = parts.flatMap((part) => {
    const overlay = part.protocol.overlay?.(part.node(node), id, links, part.configuration(c));
    return overlay ? [{ part, overlay }] : [];
  });
  const badge = all.flatMap(({ part, overlay }) => (overlay.badge ? [`${part.name} ${overlay.badge}`] : [])).join(', ');
  const tone = all.map(({ overlay }) => overlay.tone).find((one) => one !== undefined && one !== 'plain');
  const group = all.map(({ overlay }) => overlay.group).find((one) => one !== undefined);
  return {
    pointers: all.flatMap(({ overlay }) => overlay.pointers ?? []),
    gauges: all.flatMap(({ overlay }) => overlay.gauges ?? []),
    edges: all.flatMap(({ overlay }) => overlay.edges ?? []),
    ...(badge && { badge }),
    ...(tone && { tone }),
    ...(group !== undefined && { group }),
  };
}
