import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Topology } from '../../machines/protocol.js';
import abilene from '../../data/abilene.json' with { type: 'json' };
import geant from '../../data/geant.json' with { type: 'json' };
import nsfnet from '../../data/nsfnet.json' with { type: 'json' };
import { createMetric, greatCircleKm, type Position } from './metric.js';
import { topologyFiles } from './files.js';
import { createTopology } from './index.js';

describe('the included backbones', () => {
  test.each([
    ['abilene', 11, 14],
    ['geant', 40, 61],
    ['nsfnet', 13, 15],
  ])('%s: %i cities, %i links, connected, every length a plausible one', (kind, cities, links) => {
    const topology = createTopology({ kind });
    expect(topology.nodes).toHaveLength(cities);
    expect(topology.links).toHaveLength(links);
    expect(createMetric(topology).isConnected()).toBe(true);
    expect(topology.links.filter(([, , km]) => km < 50 || km > 4200)).toEqual([]);
  });

  test('a known length: Seattle to Denver is about 1,640 km', () => {
    const { links } = createTopology({ kind: 'abilene' });
    const [, , km] = links.find(([u, v]) => u === 'Seattle' && v === 'Denver')!;
    expect(km).toBeGreaterThan(1630);
    expect(km).toBeLessThan(1650);
  });
});

test('great circles: a quarter of the globe, over the pole, zero, and the date line', () => {
  const at = (latitude: number, longitude: number): Position => ({ latitude, longitude });
  const quarter = (Math.PI / 2) * 6371.0088;
  expect(greatCircleKm(at(0, 0), at(0, 90))).toBeCloseTo(quarter, 2);
  expect(greatCircleKm(at(45, 0), at(45, 180))).toBeCloseTo(quarter, 2);
  expect(greatCircleKm(at(52, 13), at(52, 13))).toBe(0);
  expect(greatCircleKm(at(0, 179.5), at(0, -179.5))).toBeCloseTo(quarter / 90, 2);
  expect(greatCircleKm(at(90, 0), at(-90, 77))).toBeCloseTo(2 * quarter, 2);
});

const folder = new URL('../../../shared/data/topologies/', import.meta.url);
const zoo = existsSync(folder);

interface Data {
  readonly nodes: readonly (Position & { readonly city: string })[];
  readonly links: readonly (readonly string[])[];
}

/** The positions in a Topology Zoo file, by their own reader: one regular expression a node. */
function positions(gml: string): (Position | undefined)[] {
  return [...gml.matchAll(/node \[([^\]]*)\]/g)].map(([, body]) => {
    const latitude = /Latitude (\S+)/.exec(body!)?.[1];
    const longitude = /Longitude (\S+)/.exec(body!)?.[1];
    return latitude && longitude ? { latitude: Number(latitude), longitude: Number(longitude) } : undefined;
  });
}

const degreesOf = ({ nodes, links }: Topology) =>
  nodes.map((node) => links.filter(([u, v]) => u === node || v === node).length).sort((a, b) => a - b);

describe.skipIf(!zoo)('against the Topology Zoo (skipped without ../shared/data/topologies)', () => {
  // A capital or the center of a country may represent the city: the nearest of our cities within 300 km is meant.
  test.each<[string, Data]>([
    ['Abilene.gml', abilene],
    ['Nsfnet.gml', nsfnet],
    ['Geant2012.gml', geant],
  ])('%s: the same cities are linked', (file, data) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const theirs = createTopology(
      { file },
      topologyFiles(() => text),
    );
    const ours = createTopology({ kind: file.startsWith('Geant') ? 'geant' : file.slice(0, -4).toLowerCase() });
    expect(degreesOf(ours)).toEqual(degreesOf(theirs));
    const cityOf = new Map<string, string>();
    positions(text).forEach((position, i) => {
      if (!position) return;
      const [nearest] = [...data.nodes].sort((a, b) => greatCircleKm(a, position) - greatCircleKm(b, position));
      expect(greatCircleKm(nearest!, position)).toBeLessThan(300);
      cityOf.set(theirs.nodes[i]!, nearest!.city);
    });
    expect(new Set(cityOf.values()).size).toBe(cityOf.size);
    const key = (u: string, v: string) => [u, v].sort().join(' - ');
    const placed = new Set(cityOf.values());
    const expected = theirs.links
      .filter(([u, v]) => cityOf.has(u) && cityOf.has(v))
      .map(([u, v]) => key(cityOf.get(u)!, cityOf.get(v)!));
    const found = ours.links.filter(([u, v]) => placed.has(u) && placed.has(v)).map(([u, v]) => key(u, v));
    expect(found.sort()).toEqual(expected.sort());
  });
});
