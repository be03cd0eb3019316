/** Rules of the generated tests of a machine, each broken once: mutants.deep.ts shows that the test named for it fails. */

/** The rule, the file in test/machine, its code, the mutant's code, and the test that fails: its file and its name. */
export type TesterMutant = readonly [
  rule: string,
  file: string,
  code: string,
  broken: string,
  testFile: string,
  testName: string,
];

const CHANCE = 'path-chance.ts';
const TRAPS = 'traps.ts';
const FINDINGS = 'findings.ts';
const chance = 'chance.test.ts';
const states = 'findings-states.test.ts';
const stuck = 'findings-stuck.test.ts';
const steps = 'findings-steps.test.ts';

export const mutants: readonly TesterMutant[] = [
  [
    'globals are restored',
    CHANCE,
    'if (--holders > 0) return;',
    'if (--holders >= 0) return;',
    chance,
    'the platform is as it was',
  ],
  [
    'only the path is steered',
    CHANCE,
    'isSteered: () => current !== null',
    'isSteered: () => true',
    chance,
    'other code has the real one',
  ],
  ['an id is not in the state', CHANCE, 'i < TRIES && isIn(', 'i < 0 && isIn(', chance, 'Math.random in base 36'],
  [
    'draws follow from the seed',
    CHANCE,
    'new Random(this.seed,',
    'new Random(process.hrtime()[1],',
    chance,
    'the same seed takes',
  ],
  ['another chance draws other numbers', CHANCE, 'if (other === 0) return unit', 'return unit', chance, 'a rarely true guard'],
  [
    'another chance comes later',
    CHANCE,
    'timers.pass(LATER_MS[this.other - 1] ?? 0)',
    'timers.pass(0)',
    chance,
    'time passes with timers',
  ],
  ['readings of the clock differ', CHANCE, 'if (step && this.readings.size > 0) this.tick();', '', chance, 'by Date.now is'],
  [
    'a moment is no part of a state',
    CHANCE,
    'return this.isClocked ? withoutClock',
    'return false ? withoutClock',
    chance,
    'by Date.now is',
  ],
  ['actions draw apart', CHANCE, "this.isPerforming ? 'actions' : 'chart'", "'chart'", chance, 'draws of actions do not change'],
  ['a state whose events do nothing is closed', TRAPS, 'isNothing(one, node)', 'false', states, 'forbidden wildcard'],
  [
    'a guard that is never true blocks',
    TRAPS,
    'isDecided && place.isOpen && !place.isActive',
    'false',
    states,
    'guarded exit never true',
  ],
  ['a context that blocks is a dead end', TRAPS, 'isBlocked || isStuck)', 'isBlocked)', stuck, 'guard the wrong way round'],
  [
    'an actor that has ended leads nowhere',
    TRAPS,
    'running === 0',
    'view.actors.length === 0',
    stuck,
    'a result without a transition',
  ],
  [
    'a dead end has no action',
    TRAPS,
    'edge.to === vertex && isIdle(edge, idle)',
    'edge.to === vertex',
    stuck,
    'event has an action',
  ],
  [
    'a state that time alone moves is a cycle',
    TRAPS,
    'isActive && !isLeft && !isTouched',
    'false',
    states,
    'self loop in last state',
  ],
  [
    'a child that ends elsewhere has dead ends',
    TRAPS,
    "!inner.some(({ type }) => type === 'final')",
    'true',
    states,
    'dead end in child machine',
  ],
  [
    'a spawned service is waited for',
    TRAPS,
    'ids.every(isHeld) ? [...new Set(ids)] : []',
    '[]',
    states,
    'spawned promise in entry',
  ],
  [
    'an end of other states is no timeout',
    TRAPS,
    "target !== undefined && !eventType.startsWith('xstate.done.state.')",
    'target !== undefined',
    states,
    'wait in parallel region',
  ],
  [
    'a counter that blocks is not reset',
    FINDINGS,
    '(path === key ? staysDecided(taken, turn, name, id) : null)',
    'null',
    steps,
    'C6 shape',
  ],
  [
    'a cut search has seen enough',
    FINDINGS,
    'graph.cut && !isEveryTaken(subject, taken)',
    'graph.cut',
    steps,
    'retries with always',
  ],
  [
    'an assigner that can throw reads its context',
    'reads.ts',
    ' || canThrow(textOf(assigner))',
    '',
    'search.test.ts',
    'is read by an assigner that throws',
  ],
  ['an earlier visit is late', 'rig.ts', '...timers, ...late,', '...timers,', steps, 'entered again without asking again'],
  ['the root is never left', 'remarks.ts', 'canAsk(action, thing, node)', 'false', steps, 'the root spawns the promise'],
  [
    'a wildcard drops nothing invented',
    'remarks.ts',
    'isPassedOn && isInvented(type)',
    'false',
    steps,
    'invented for a wildcard',
  ],
  [
    'undecided is unknown',
    'deadline.ts',
    'isOpen: true }',
    'isOpen: false }',
    'eventually.test.ts',
    'a search that is too large ends',
  ],
  ['a gap names its sample', 'hints.ts', 'isGuarded(machine, type)', 'false', 'fold.test.ts', 'all parts behind a guard'],
];
