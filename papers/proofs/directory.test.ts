/** The proof of Lemma 2 for every number of nodes, wrong rules that it rejects, and the charts whose steps are its rules. */
import { expect, test } from 'vitest';
import { assign } from 'xstate';
import { directory, directoryMachine } from '../../machines/directory/index.js';
import type { Protocol } from '../../machines/protocol.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { CONCLUSIONS, INVARIANTS, LEMMAS, RULES, type TransitionRule } from './directory.js';
import { modelOf, rulesOf, violated } from './directory-states.js';
import { isPossible, proveDirectory, violatedByRule } from './obligations.js';
import { hasSolver, MISSING } from './solver.js';

const solved = hasSolver();
if (!solved) console.warn(`Proofs are skipped. ${MISSING}`);

test.skipIf(!solved)('Lemma 2 is inductive for every number of nodes and every policy', { timeout: 120_000 }, () => {
  const proof = proveDirectory();
  expect(proof.flatMap(({ name, open }) => open.map(([statement, answer]) => `${name}: ${statement}: ${answer}`))).toEqual([]);
  expect(proof.map(({ proved }) => proved)).toEqual([
    INVARIANTS.length,
    LEMMAS.length,
    ...RULES.map(() => INVARIANTS.length),
    CONCLUSIONS.length,
  ]);
});

test.skipIf(!solved)('each rule is possible in a state of three nodes, and violates nothing there', { timeout: 60_000 }, () => {
  expect(RULES.flatMap(violatedByRule)).toEqual([]);
  expect(RULES.filter((rule) => !isPossible(rule)).map(({ name }) => name)).toEqual([]);
});

const changed = (start: string, change: (rule: TransitionRule) => Partial<TransitionRule>): TransitionRule => {
  const rule = RULES.find(({ name }) => name.startsWith(start))!;
  return { ...rule, ...change(rule) };
};

const wrongRules: readonly (readonly [string, TransitionRule])[] = [
  ['a new parent that the find has not visited', changed('T4', ({ guard }) => ({ guard: guard.replace('(visited r u)', '') }))],
  ['a find that meets a used token is answered', changed('T5', ({ guard }) => ({ guard: guard.replace('(not used)', '') }))],
  [
    'a node in the middle of a queue takes a new next',
    changed('T6', ({ guard }) => ({ guard: guard.replace('(= (parent w) w)', '') })),
  ],
  ['a waiting node requests again', changed('T3', () => ({ guard: '(distinct (parent w) w)' }))],
  ['a pointer that stays', changed('T4', ({ updates: { parent: _, ...updates } }) => ({ updates }))],
];

test.skipIf(!solved).each(wrongRules)('the solver refutes %s', { timeout: 60_000 }, (_, rule) => {
  expect(violatedByRule(rule)).not.toEqual([]);
});

/** A run of the charts: the violated invariants, and the number of steps of each rule. */
function follow(protocol: Protocol, policy: string) {
  const scenario = {
    protocol: 'directory',
    topology: { kind: 'ring', n: 5 },
    options: { policy, hold: 3 },
    network: { order: 'unordered', latency: { min: 1, max: 9 } },
    workload: { concurrent: 4, requests: 60 },
    seed: 1,
  };
  const simulation = new Simulation(parseScenario(scenario, { directory: protocol }), { host: 'snapshots', watch: false });
  const steps: Record<string, number> = {};
  const wrong = new Set<string>();
  simulation.start();
  let before = modelOf(simulation.configuration);
  simulation.network.steps$.subscribe(({ kind }) => {
    const after = modelOf(simulation.configuration);
    const rules = rulesOf(before, after);
    const name = rules.join(' or ') || `no rule for ${kind}`;
    steps[name] = (steps[name] ?? 0) + 1;
    for (const one of violated(after)) wrong.add(one);
    before = after;
  });
  while (wrong.size === 0 && simulation.advance());
  return { steps, wrong: [...wrong] };
}

test.each(['arrow', 'ivy', 'middle', 'random'])('each step of the charts under %s is one rule of the proof', (policy) => {
  const { steps, wrong } = follow(directory, policy);
  expect(wrong).toEqual([]);
  expect(Object.keys(steps).filter((name) => !RULES.some((rule) => rule.name === name))).toEqual([]);
  expect(Object.keys(steps).length).toBeGreaterThanOrEqual(7);
});

test('a chart whose pointers do not turn violates the invariant', () => {
  const charts = { directory: directoryMachine.provide({ actions: { adoptParent: assign({}) } } as any) };
  expect(follow({ ...directory, charts }, 'ivy').wrong).not.toEqual([]);
});
