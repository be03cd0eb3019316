/** Properties that can be judged around one node are looked at after every step, in a network of any size. */
import { expect, test } from 'vitest';
import { exclusion } from '../machines/exclusion/index.js';
import { link } from '../machines/link/index.js';
import type { Configuration, Property } from '../machines/protocol.js';
import { parseScenario } from './scenario/parse.js';
import { Simulation } from './simulation.js';

const NODES = 5000;

/** Holds but for one short moment: while this node waits for its neighbours to set their locks. */
const neverWins = (id: string, around: boolean): Property => {
  const holds = (value: unknown) => (value as { initiator: string }).initiator !== 'win';
  return {
    name: 'never wins',
    kind: 'always',
    says: `${id} is never in win.`,
    holds: (c) => holds(c.nodes.get(id)!['exclusion']!.value),
    ...(around ? { holdsAround: (c, node) => node !== id || holds(c.nodes.get(id)!['exclusion']!.value) } : {}),
  };
};

const verdictWith = (property: Property) => {
  const protocol = { ...exclusion, properties: () => [property] };
  const scenario = parseScenario(
    { protocol: 'exclusion', topology: { kind: 'ring', n: NODES }, events: [{ at: 0, node: 'n500', do: 'lock' }] },
    { exclusion: protocol },
  );
  return new Simulation(scenario, { host: 'snapshots' }).run().verdict;
};

test('a moment that one look in many misses is seen around its node', () => {
  expect(verdictWith(neverWins('n500', true))).toBe('invalid');
  expect(verdictWith(neverWins('n500', false))).toBe('valid');
  expect(verdictWith(neverWins('n7', true))).toBe('valid');
});

/** Whether each property says of all nodes together what it says of the whole. */
const agreeing = (properties: readonly Property<any>[], c: Configuration): boolean[] =>
  properties.map((property) => {
    if (property.kind !== 'always' || !property.holdsAround) return true;
    return property.holds(c) === [...c.nodes.keys()].every((node) => property.holdsAround!(c, node));
  });

/** The configuration with this in place of what a node's role shows, or without the role. */
function damaged(c: Configuration, id: string, role: string, view: object | null): Configuration {
  const { [role]: was, ...others } = c.nodes.get(id)!;
  const node = view === null ? others : { ...others, [role]: { ...was!, ...view } };
  return { instance: c.instance, flights: c.flights, links: c.links, nodes: new Map([...c.nodes, [id, node]]) };
}

const ring = {
  protocol: 'link',
  topology: { kind: 'ring', n: 4 },
  network: { loss: 0.2, duplicate: 0.2 },
  events: [1, 2, 3, 4].map((body) => ({ at: body, node: `n${body % 4}`, do: 'post', peer: `n${(body + 1) % 4}`, body })),
};
const overfull = { context: { outbox: [1], sent: 2, window: 1, room: 1, peer: 'n2', latest: 99 } };

test.each([['link', ring, 3, ['n1', 'link n2', overfull]]] as const)(
  '%s: judged around each node, a property says what it says of all',
  (_, json, count, [id, role, view]) => {
    const simulation = new Simulation(parseScenario(json, { link }), { host: 'snapshots', watch: false });
    const properties = simulation.scenario.protocol.properties(simulation.instance);
    const local = properties.filter((property) => property.kind === 'always' && property.holdsAround);
    expect(local).toHaveLength(count);
    simulation.start();
    while (simulation.advance()) expect(agreeing(local, simulation.configuration)).not.toContain(false);
    const broken = damaged(simulation.configuration, id, role, view);
    expect(agreeing(local, broken)).not.toContain(false);
    expect(local.map((property) => property.kind === 'always' && property.holds(broken))).toContain(false);
  },
);
