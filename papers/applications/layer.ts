/** An application that adds its role to a protocol: the protocol's properties are judged without the role and its messages. */
import type { Configuration, Property } from '../../machines/protocol.js';

/** Name of the application's role. */
export const APPLICATION = 'application';

type Config = Configuration<any>;

/** The configuration without the application's roles and messages. */
export function layerBelow(
  c: Config,
  ownMessages: Readonly<Record<string, unknown>>,
  ownRoles: readonly string[] = [APPLICATION],
): Config {
  const isBelow = ([role]: readonly [string, unknown]) => !ownRoles.includes(role);
  const nodes = [...c.nodes].map(([id, roles]) => [id, Object.fromEntries(Object.entries(roles).filter(isBelow))] as const);
  const flights = c.flights.filter(({ message }) => !(message.type in ownMessages));
  return { instance: c.instance, nodes: new Map(nodes), flights, links: c.links };
}

/** The property of the protocol below, with the protocol's name in front. */
export function propertyBelow(
  name: string,
  property: Property<any>,
  ownMessages: Readonly<Record<string, unknown>>,
  ownRoles?: readonly string[],
): Property<any> {
  const below = (c: Config) => layerBelow(c, ownMessages, ownRoles);
  const named = { name: `${name}: ${property.name}`, description: property.description };
  switch (property.kind) {
    case 'eventually':
      return {
        ...named,
        kind: property.kind,
        when: (c, node) => property.when(below(c), node),
        holds: (c, node) => property.holds(below(c), node),
      };
    case 'converges':
      return { ...named, kind: property.kind, within: property.within, holds: (c) => property.holds(below(c)) };
    default:
      return { ...named, kind: property.kind, holds: (c) => property.holds(below(c)) };
  }
}
