/**
 * Mutants of an application's machine: would its tests detect a small mistake?
 *
 * Two judges check each mutant. The rules know nothing of the machine: the mutant's states are searched, and an invariant, a temporal
 * property, an unhandled error or an actor that keeps running must reveal it. The paths know the behavior of the original, and any
 * different step kills the mutant. A mutant that survives both is equivalent, or the tests lack a sample.
 */
import { commuting, mutantsOfChart, nameOf, type Mutant } from '../mutants/chart-mutants.js';
import type { MachineEdge, MachineGraph, MachineVertex } from './graph.js';
import type { MachineTests } from './options.js';
import { holdingChance } from './path-chance.js';
import { plansOf } from './plans.js';
import { runPlan } from './run.js';
import { search } from './search.js';
import { Subject } from './subject.js';
import { temporalFailures } from './temporal.js';
import type { MachineTesting } from './testing.js';

export interface JudgedMutant {
  readonly name: string;
  readonly killedBy: 'rules' | 'paths' | null;
  readonly diff: readonly string[];
  /** For a survivor: the reason why it is equivalent. */
  readonly reason?: string;
}

export const machineMutants = ({ machine }: MachineTesting): readonly Mutant[] => mutantsOfChart(machine.id, machine);

/** Judges the mutants one after the other. `begins` is called before each. */
export async function* judgeMachineMutants(
  testing: MachineTesting,
  mutants: readonly Mutant[],
  begins: (name: string) => void = () => {},
): AsyncGenerator<JudgedMutant> {
  const [subject, graph] = [await testing.subject(), await testing.graph()];
  const { tests } = subject;
  for (const mutant of mutants) {
    const name = nameOf(mutant);
    begins(name);
    const { diff } = mutant;
    const killedBy = await holdingChance(() => killer(mutant, subject, graph, tests));
    const reason = killedBy === null ? (tests.reasons?.[name] ?? mutant.idle ?? commutes(mutant, graph)) : undefined;
    yield { name, killedBy, diff, ...(reason !== undefined && { reason }) };
  }
}

async function killer(
  { machine }: Mutant,
  subject: Subject,
  graph: MachineGraph,
  tests: MachineTests,
): Promise<JudgedMutant['killedBy']> {
  let mutated: Subject;
  try {
    mutated = alike(subject, machine, tests);
    if (await breaksRule(mutated)) return 'rules';
  } catch {
    // The machine cannot be built, or its runs differ.
    return 'rules';
  }
  for (const plan of plansOf(subject, graph, 'tour')) if (await runPlan(mutated, plan, { performs: false })) return 'paths';
  return (await differs(mutated, graph)) ? 'paths' : null;
}

/** Creates a subject for another machine with the same tests and the same distinction of states. */
function alike({ patience, unread }: Subject, machine: Subject['original'], tests: MachineTests): Subject {
  const subject = new Subject(machine, tests, patience);
  subject.unread = unread;
  return subject;
}

async function breaksRule(mutated: Subject): Promise<boolean> {
  const graph = await search(mutated, { untilFailure: true });
  return graph.failures.length > 0 || (await temporalFailures(mutated, graph)).length > 0;
}

/** True if a step of the graph has a different result on the mutant. */
async function differs(mutated: Subject, { first, vertices }: MachineGraph): Promise<boolean> {
  const { sut: _sut, exec: _exec, states: _states, ...tests } = mutated.tests;
  const bare = alike(mutated, mutated.original, tests);
  const takesAlike = async ({ way }: MachineVertex, { step, view }: MachineEdge): Promise<boolean> => {
    const expected = [...Array.from({ length: way.length + 1 }, (_, i) => (i === 0 ? first.view : undefined)), view];
    return (
      (await runPlan(
        bare,
        { steps: [...way, step], expected: mutated.tests.distinguish ? [] : expected },
        { performs: false },
      )) === null
    );
  };
  for (const vertex of vertices)
    for (const edge of vertex.edges?.values() ?? []) if (!(await takesAlike(vertex, edge))) return true;
  return false;
}

/** Every step of the graph has been taken in the other order, too. */
function commutes({ swapped, chart }: Mutant, { vertices }: MachineGraph): string | undefined {
  if (swapped === undefined) return undefined;
  const edges = vertices.flatMap(({ edges }) => [...(edges?.values() ?? [])]);
  return commuting(edges.filter(({ items }) => items.has(`${chart}: transition ${swapped}`)).length);
}
