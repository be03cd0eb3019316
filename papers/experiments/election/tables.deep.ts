/** The election's figures: those that are exact, in full; those of random networks, in smaller runs. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { leadsLevel, levelOf } from '../../../machines/hierarchy/view.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { agrees } from '../experiment.js';
import { band } from './alternatives/band.js';
import { cut } from './alternatives/cut.js';
import { withRule } from './alternatives/index.js';
import type { SeatRule } from './alternatives/level.js';
import { single } from './alternatives/single.js';
import { avoidableElections } from './avoidable.js';
import { dayOf, fan, type Day } from './day.js';
import { upset } from './districts.js';
import { extremesTable } from './hierarchy.js';
import { electionPaper } from './index.js';
import { linksAt, topologyOf } from './run.js';

test('sample execution, paths, rings, grids: every figure of spec sections 10 and 12', () => {
  const tables = electionPaper.run(() => {})[Symbol.iterator]();
  let figures = 0;
  for (const title of ['Sample execution', 'Path and ring', 'Square grid']) {
    const table = tables.next().value;
    expect(table.title).toMatch(title);
    if (!('rows' in table)) throw new Error('a table was expected');
    for (const { label, cells } of table.rows) {
      for (const cell of cells) {
        figures++;
        expect([label, cell.value, agrees(cell)]).toEqual([label, cell.value, true]);
      }
    }
  }
  expect(figures).toBe(12 + 36 + 30);
});

describe('elections whose old leader was still in the component', () => {
  const single = (hello: boolean) => avoidableElections(8, 1, { hello });

  test('perfect clocks with hello avoid all of them after single changes', () => {
    const { changes, elections, avoidable } = single(true);
    expect({ changes, avoidable }).toEqual({ changes: 240, avoidable: 0 });
    expect(elections).toBeGreaterThan(40);
  });

  test('without hello some are left', () => {
    expect(single(false).avoidable).toBeGreaterThan(0);
  });
});

test('stars and brooms: every figure of spec section 8, alternatives included', () => {
  const figures = extremesTable().rows.flatMap(({ label, cells }) => cells.map((cell) => ({ label, agrees: agrees(cell) })));
  expect(figures.filter((figure) => figure.agrees !== true)).toEqual([]);
  expect(figures).toHaveLength(7);
});

describe('the leader of a grid is isolated', () => {
  const grid = topologyOf({ kind: 'grid', rows: 5, columns: 5 });
  const options = { leader: 'n12', radii: [1, 3] };
  const isolate = linksAt('n12', grid).map((link) => ({ do: 'cut' as const, link }));

  test('tables change little, bands are shuffled as often as the tree', () => {
    const tables = upset(grid, isolate, options);
    const bands = upset(grid, isolate, options, withRule(band));
    expect(tables.roleChanges).toBeLessThan(10);
    expect(bands.roleChanges).toBeGreaterThan(50);
  });

  test.each(Object.entries({ cut, single, band }))('%s: in the end whom one follows leads', (_, rule) => {
    const protocol = withRule(rule as SeatRule<unknown>);
    const events = isolate.map((change) => ({ at: 1, ...change }));
    const scenario = parseScenario({ protocol: 'election', topology: { ...grid }, options, events }, { election: protocol });
    const simulation = new Simulation(scenario, { host: 'snapshots', watch: false });
    simulation.run();
    const { nodes } = simulation.configuration;
    for (const node of nodes.values()) {
      for (const level of [1, 2]) expect(leadsLevel(nodes.get(levelOf(node, level).member[1])!, level)).toBe(true);
    }
  });
});

test('districts: losing one link of a grid moves no leader of a level', () => {
  const grid = topologyOf({ kind: 'grid', rows: 6, columns: 6 });
  for (const [u, v] of grid.links.slice(0, 10)) {
    const { roleChanges } = upset(grid, [{ do: 'cut', link: [u, v] }], { radii: [2, 4] });
    expect([u, v, roleChanges]).toEqual([u, v, 0]);
  }
});

describe('topologies in time', () => {
  /** Promises of every day, in ticks of unit latency. */
  const keepsItsPromises = (day: Day) => {
    expect(day.twoInOffice).toBe(0);
    expect(day.beyondDiameter).toBeLessThanOrEqual(2);
  };

  test('random walkers: one leader a round trip after a change, followed after elections', () => {
    const day = dayOf({ topology: { kind: 'walkers', n: 30, radius: 0.25, speed: 0.03, every: 60, steps: 40, seed: 2 } });
    keepsItsPromises(day);
    expect(day.observations).toBeGreaterThan(100);
    expect(day.elections.length).toBeGreaterThan(10);
  });

  const file = new URL('../../../../shared/data/contacts/ws16-day2.tij', import.meta.url);
  test.skipIf(!existsSync(file))('the real contact day, its first two hours (skipped without ../shared/data)', () => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const start = Number(lines[0]!.split(/\s/)[0]);
    const morning = lines.filter((line) => line !== '' && Number(line.split(/\s/)[0]) < start + 7200).join('\n');
    const day = dayOf({ topology: { contacts: 'morning' } }, () => morning);
    keepsItsPromises(day);
    expect(day.observations).toBeGreaterThan(1000);
  });

  test('elections are not bounded by the diameter: in a fan, a search follows the path', () => {
    for (const length of [8, 16, 32]) {
      const topology = fan(length);
      const cut = linksAt('leader', topology).map((link) => ({ at: 1, do: 'cut', link }));
      const day = dayOf({ topology: { ...topology }, options: { leader: 'leader' }, events: cut });
      keepsItsPromises(day);
      expect(day.elections).toEqual([1, 2 * length + 1]);
      expect(day.longestFollowing).toBe(length / 2);
    }
  });
});
