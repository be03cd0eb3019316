/**
 * The proof of Lemma 2 in parts: the invariant holds at the start, each rule preserves it, and the conclusions follow. Z3 proves each part.
 */
import {
  ABBREVIATIONS,
  CONCLUSIONS,
  INVARIANTS,
  LEMMAS,
  RULES,
  START,
  SYMBOLS,
  type TransitionRule,
  type Statement,
} from './directory.js';
import { solve, type Answer } from './solver.js';

export interface Proved {
  readonly name: string;
  /** Number of questions, and of those whose answer is a proof. */
  readonly questions: number;
  readonly proved: number;
  /** Statements without a proof, with the answer of the solver. */
  readonly open: readonly (readonly [statement: string, answer: Answer])[];
}

const NAMES = [...Object.keys(SYMBOLS), ...Object.keys(ABBREVIATIONS)];
const NAME = new RegExp(String.raw`(?<![\w-])(${NAMES.join('|')})(?![\w-])`, 'g');

/** The same formula about the state after a step. */
const afterStep = (formula: string): string => formula.replace(NAME, '$1_after');

const declare = ([name, [parameters, result]]: readonly [string, readonly [string, string]]): string =>
  `(declare-fun ${name} (${parameters}) ${result})`;

const abbreviate = ([name, [result, term]]: readonly [string, readonly [string, string]]): string =>
  `(define-fun ${name} ((v Node)) ${result} ${term})`;

const STATE = [...Object.entries(SYMBOLS).map(declare), ...Object.entries(ABBREVIATIONS).map(abbreviate)];

/** All networks. */
const ANY_SIZE = ['(declare-sort Node)', ...STATE];

const VARIABLES: Readonly<Record<string, string>> = { '': '', Node: '(v Node)', 'Node Node': '(a Node) (b Node)' };
const SAME: Readonly<Record<string, (name: string) => string>> = {
  '': (name) => name,
  Node: (name) => `(${name} v)`,
  'Node Node': (name) => `(${name} a b)`,
};

/** The state after a step of the rule: each symbol is defined by its update, or unchanged. */
function stateAfter({ parameters, guard, updates }: TransitionRule): string[] {
  const symbols = Object.entries(SYMBOLS).map(
    ([name, [of, result]]) => `(define-fun ${name}_after (${VARIABLES[of]}) ${result} ${updates[name] ?? SAME[of]!(name)})`,
  );
  return [
    ...parameters.map((name) => `(declare-const ${name} Node)`),
    `(assert ${guard})`,
    ...symbols,
    ...Object.entries(ABBREVIATIONS).map((abbreviation) => afterStep(abbreviate(abbreviation))),
  ];
}

/** Networks of these nodes only. Without quantifiers, the solver also finds counterexamples. */
const ofNodes = (nodes: readonly string[]): string[] => [
  `(declare-datatypes ((Node 0)) ((${nodes.map((node) => `(${node})`).join(' ')})))`,
  ...STATE,
];

const THREE = ['node0', 'node1', 'node2'];
const FORALL = /^\(forall \(((?:\(\w+ Node\) ?)+)\) (.*)\)$/s;

/** The formula for each choice of three nodes. */
function amongThree(formula: string): string {
  const [, bound, body] = FORALL.exec(formula) ?? [];
  if (bound === undefined) return formula;
  const variables = [...bound.matchAll(/\((\w+) Node\)/g)].map(([, variable]) => variable!);
  const choices = variables.reduce<string[][]>((found, _) => found.flatMap((some) => THREE.map((node) => [...some, node])), [[]]);
  const instances = choices.map((nodes) => `(let (${nodes.map((node, i) => `(${variables[i]} ${node})`).join(' ')}) ${body})`);
  return `(and ${instances.join(' ')})`;
}

const assume = (statements: readonly Statement[]): string[] =>
  statements.map(({ formula, assumed = formula }) => `(assert ${assumed})`);
const refute = (formula: string): string => `(assert (not ${formula}))`;

function proved(name: string, goals: readonly Statement[], answers: readonly Answer[]): Proved {
  const open = goals.flatMap(({ name: statement }, i) => (answers[i] === 'unsat' ? [] : [[statement, answers[i]!] as const]));
  return { name, questions: goals.length, proved: goals.length - open.length, open };
}

function prove(name: string, theory: readonly string[], goals: readonly Statement[]): Proved {
  const questions = goals.map(({ formula }) => refute(formula));
  return proved(name, goals, solve([...ANY_SIZE, ...theory].join('\n'), questions));
}

export const proveStart = (): Proved => prove('the start', [`(assert ${START})`], INVARIANTS);

/** Proves the lemmas. Each may use the previous ones. */
export function proveLemmas(): Proved {
  const questions = LEMMAS.map(({ formula }, i) => [...assume(LEMMAS.slice(0, i)), refute(formula)].join('\n'));
  return proved('the lemmas', LEMMAS, solve([...ANY_SIZE, ...assume(INVARIANTS)].join('\n'), questions));
}

/** Proves that a rule of the protocol preserves the invariant. */
export function proveRule(rule: TransitionRule): Proved {
  const goals = INVARIANTS.map(({ name, formula }) => ({ name, formula: afterStep(formula) }));
  return prove(rule.name, [...assume([...INVARIANTS, ...LEMMAS]), ...stateAfter(rule)], goals);
}

export const proveConclusions = (): Proved => prove('the conclusions', assume([...INVARIANTS, ...LEMMAS]), CONCLUSIONS);

/** Proves all parts, and returns how many statements of each were proved. */
export const proveDirectory = (): Proved[] => [
  proveStart(),
  proveLemmas(),
  ...RULES.map((rule) => proveRule(rule)),
  proveConclusions(),
];

/** Statements of the invariant that the rule violates in some step of three nodes. */
export function violatedByRule(rule: TransitionRule): string[] {
  const goals = INVARIANTS.map(({ formula }) => refute(amongThree(afterStep(formula))));
  const answers = solve(stepsOfThree(rule), goals);
  return INVARIANTS.filter((_, i) => answers[i] === 'sat').map(({ name }) => name);
}

/** True if the rule has a step in some state of three nodes that satisfies the invariant: its proof is not about nothing. */
export const isPossible = (rule: TransitionRule): boolean => solve(stepsOfThree(rule), [''])[0] === 'sat';

const stepsOfThree = (rule: TransitionRule): string =>
  [...ofNodes(THREE), ...INVARIANTS.map(({ formula }) => `(assert ${amongThree(formula)})`), ...stateAfter(rule)].join('\n');
