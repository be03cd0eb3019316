/**
 * Figure 2: the bin hierarchy of a chain, drawn from runs. The charts determine the supervisors: a request of one level ends at the node
 * that does not forward it.
 */
import { levelAt, LOCAL_LEVEL } from '../../../machines/controller/bins.js';
import { deliveryOf, requestOf, rootBinOf } from '../../../machines/controller/view.js';
import { protocols } from '../../../machines/index.js';
import type { Configuration } from '../../../machines/protocol.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import type { DrawnNode, Drawing, DrawnPanel } from '../drawing.js';

/** Depths 0 to 8: bins of levels 0 to 3. */
const SIZE = 9;
const TOP = 3;
/** A waste that allows local bins of two permits. */
const options = { kind: 'basic', M: 340, W: 240 };

export interface Refill {
  /** The depth of the node whose bin of this level was refilled. */
  readonly depth: number;
  readonly level: number;
  /** The depth of the node that refilled it. */
  readonly by: number;
}

const depthOf = (id: string): number => Number(id.slice(1));

function simulation(takes: readonly number[]): Simulation {
  const events = takes.map((depth, i) => ({ at: 100 * i, node: `n${depth}`, do: 'take' }));
  const scenario = { protocol: 'controller', topology: { kind: 'path', n: SIZE }, options, events };
  return new Simulation(parseScenario(scenario, protocols), { host: 'snapshots' });
}

/** Refills caused by a permit for the node of this depth if all bins are empty. */
export function refillsFor(depth: number): Refill[] {
  const run = simulation([depth]);
  const levels = new Map<number, { first: number; last: number }>([[LOCAL_LEVEL, { first: depth, last: depth }]]);
  run.network.steps$.subscribe(({ sent }) => {
    for (const { from, to, message } of sent) {
      if (message.type !== 'request') continue;
      const { level } = message as unknown as { level: number };
      levels.set(level, { first: levels.get(level)?.first ?? depthOf(from), last: depthOf(to) });
    }
  });
  run.run();
  return [...levels].map(([level, { first, last }]) => ({ depth: first, level, by: last }));
}

const idOf = (depth: number, level: number): string =>
  depth === 0 && level !== LOCAL_LEVEL ? 'root' : `${level === LOCAL_LEVEL ? 'l' : 'g'}${depth}`;

function place(depth: number, level: number): Pick<DrawnNode, 'x' | 'y'> {
  return { x: depth, y: depth === 0 && level !== LOCAL_LEVEL ? 0 : TOP + 1 - level };
}

function panel(caption: string, c: Configuration<any>): DrawnPanel {
  const depths = Array.from({ length: SIZE }, (_, depth) => depth);
  const locals = depths.map((depth) => {
    const { permits } = requestOf(c.nodes.get(`n${depth}`)!, 'R')!;
    return { id: idOf(depth, LOCAL_LEVEL), ...place(depth, LOCAL_LEVEL), note: String(permits) };
  });
  const globals = depths.slice(1).map((depth) => {
    const { permits } = deliveryOf(c.nodes.get(`n${depth}`)!, 'R')!;
    return { id: idOf(depth, levelAt(depth)), ...place(depth, levelAt(depth)), note: String(permits) };
  });
  const root = { id: 'root', ...place(0, TOP), note: String(rootBinOf(c, 'R').permits) };
  const nodes = depths.map((depth) => ({ id: String(depth), x: depth, y: TOP + 3 }));
  const links = depths.slice(1).map((depth) => ({ from: String(depth - 1), to: String(depth), kind: 'link' as const }));
  const refills = new Map(depths.flatMap(refillsFor).map((refill) => [idOf(refill.depth, refill.level), refill]));
  const supervisors = [...refills].map(([from, { by, level }]) => ({
    from,
    to: idOf(by, level + 1),
    kind: 'pointer' as const,
  }));
  return { caption, nodes: [root, ...globals, ...locals, ...nodes], arrows: [...links, ...supervisors] };
}

const after = (takes: readonly number[]): Configuration => {
  const run = simulation(takes);
  run.run();
  return run.configuration;
};

export function hierarchyFigure(): Drawing {
  return {
    name: 'controller-hierarchy',
    title: 'Figure 2: bins of a chain (l local, g global), each pointing to the one that refills it, with the permits in it',
    panels: [panel('No node has asked', after([])), panel('8, 5 and 8 again have taken one', after([8, 5, 8]))],
    note: 'A bin that has refilled another is half full. A bin without an arrow was never asked: it supervises no other.',
  };
}
