/**
 * Detects context that is not reset when a state is entered again. A number that only ever grows (or only ever falls) decides a guard which
 * leads on. The machine can return to the state with that guard, which is then decided forever.
 */
import { configOf, rulesOf } from '../charts/config.js';
import { guardItem } from '../coverage/items.js';
import { guardName } from '../mutants/render.js';
import type { Found } from './findings.js';
import type { MachineEdge, MachineGraph, MachineVertex } from './graph.js';
import { readsOfGuard } from './reads.js';
import { implementationsOf } from './references.js';
import type { Subject } from './subject.js';

interface Taken {
  readonly from: MachineVertex;
  readonly edge: MachineEdge;
}

export function* resetsMissing(subject: Subject, graph: MachineGraph): Generator<Found> {
  const { original, name } = subject;
  const taken = graph.vertices.flatMap((from) => [...(from.edges?.values() ?? [])].map((edge): Taken => ({ from, edge })));
  // A search that was cut off suffices if it has taken every transition.
  if (graph.cut && !isEveryTaken(subject, taken)) return;
  const { guards } = implementationsOf(original);
  const named = new Set<string>();
  for (const { id, choice } of rulesOf(configOf(original))) {
    if (choice.guard === undefined) continue;
    for (const key of readsOfGuard(choice.guard, guards)) {
      const path = [key, `${key}.length`, `${key}.size`].find((one) => graph.first.measures.has(one));
      const turn = path !== undefined && !named.has(key) ? (turnOf(taken, path, 1) ?? turnOf(taken, path, -1)) : null;
      if (!turn) continue;
      const found = comesBack(taken, turn, name, id) ?? (path === key ? staysDecided(taken, turn, name, id) : null);
      if (!found) continue;
      named.add(key);
      const value = found.to.measures.get(path!)!;
      const description = `${path} is ${value} when ${JSON.stringify(found.to.value)} is entered again, and nothing ever resets it: guard ${guardName(choice.guard as never)} (${id}) stays as it was decided`;
      yield { of: key, steps: found.steps, description };
    }
  }
}

function isEveryTaken({ charts, name }: Subject, taken: readonly Taken[]): boolean {
  const seen = new Set(taken.flatMap(({ edge }) => [...(edge.items as ReadonlySet<string>)]));
  return charts.get(name)!.every((item) => !item.startsWith('transition ') || seen.has(`${name}: ${item}`));
}

/** A measure along a step, as it grows; `null` for one that goes both ways, or stays. */
type Along = (taken: Taken) => readonly [before: number, after: number];

function turnOf(taken: readonly Taken[], path: string, sign: 1 | -1): Along | null {
  const along: Along = ({ from, edge }) => [
    sign * (from.measures.get(path) ?? Number.NaN),
    sign * (edge.to.measures.get(path) ?? Number.NaN),
  ];
  const pairs = taken.map(along);
  const isMonotone = pairs.every(([before, after]) => after >= before) && pairs.some(([before, after]) => after > before);
  return isMonotone ? along : null;
}

/** Steps on which the guard is decided as it is only once the measure has gone far enough. */
function lateOutcomes(taken: readonly Taken[], along: Along, chart: string, id: string): readonly (readonly Taken[])[] {
  const decided = (outcome: boolean) =>
    taken.filter(({ edge }) => (edge.items as ReadonlySet<string>).has(`${chart}: ${guardItem(id, outcome)}`));
  return [true, false].flatMap((outcome) => {
    const [late, early] = [decided(outcome), decided(!outcome)];
    const isLater = ([0, 1] as const).some(
      (when) => Math.max(...early.map((one) => along(one)[when])) < Math.min(...late.map((one) => along(one)[when])),
    );
    return early.length > 0 && isLater ? [late] : [];
  });
}

type Back = { readonly to: MachineVertex; readonly steps: Found['steps'] } | null;

/** Such a step, from which the machine comes back. */
function comesBack(...args: Parameters<typeof lateOutcomes>): Back {
  for (const late of lateOutcomes(...args))
    for (const { from, edge } of late) {
      const place = JSON.stringify(from.value);
      if (JSON.stringify(edge.to.value) === place) continue;
      const way = wayTo(edge.to, (one) => JSON.stringify(one.value) === place);
      if (way) return { to: way.to, steps: [...from.way, edge.step, ...way.steps] };
    }
  return null;
}

/** Such a step that goes nowhere, from a state that the machine leaves and comes back to. */
function staysDecided(...args: Parameters<typeof lateOutcomes>): Back {
  for (const late of lateOutcomes(...args))
    for (const { from } of late) {
      const place = JSON.stringify(from.value);
      const leaving = [...(from.edges?.values() ?? [])].find(({ to }) => JSON.stringify(to.value) !== place);
      const back = leaving && wayTo(leaving.to, (one) => JSON.stringify(one.value) === place);
      if (back) return { to: back.to, steps: [...from.way, leaving.step, ...back.steps] };
    }
  return null;
}

function wayTo(start: MachineVertex, isThere: (vertex: MachineVertex) => boolean) {
  const ways = new Map<MachineVertex, Found['steps']>([[start, []]]);
  for (const [to, steps] of ways) {
    if (isThere(to)) return { to, steps };
    for (const { edge } of [...(to.edges?.values() ?? [])].map((edge) => ({ edge })))
      if (!ways.has(edge.to)) ways.set(edge.to, [...steps, edge.step]);
  }
  return null;
}
