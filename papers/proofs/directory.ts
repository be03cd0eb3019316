/**
 * Lemma 2 of the Arvy paper for every number of nodes: an inductive invariant of the directory, with any policy.
 *
 * The lemma covers all graphs in which each find is replaced by an edge from its destination to any node that it has visited or that
 * waits for its producer. First-order logic cannot express a spanning tree, so the invariant here is about one rooted tree:
 *
 *   A node that points to another one is below it. A node that points to itself is the end of a queue. The queue starts at a node whose find
 *   is in flight, and then its end is below the destination of this find; or at the token, and then its end is the root.
 *   All nodes that a find has visited, and all that wait for its producer, are below the end of its queue.
 *
 * The lemma follows. Remove the edge from the end of a find's queue to its destination: the nodes below the end are one side. Any edge from a
 * node of this side to the destination joins the sides again, and the set of nodes below each other end remains connected. So all choices,
 * one find after the other, give a spanning tree.
 *
 * `below` and `follows` are relations of the theory, with the axioms of a tree and of queues. Among finitely many nodes these axioms have one
 * solution: the reflexive and transitive closure. Each rule defines the new relations without quantifiers, and the solver proves that they
 * satisfy the axioms again. `directory.test.ts` evaluates the same formulas in states of the charts, and finds the rule of each step.
 */

/**
 * The functions that describe a state in the proof, with their parameter and result types. A find is identified by the node that sent it
 * first.
 */
export const SYMBOLS: Readonly<Record<string, readonly [parameters: string, result: string]>> = {
  parent: ['Node', 'Node'],
  hasNext: ['Node', 'Bool'],
  next: ['Node', 'Node'],
  /** The request of a node is pending. */
  waiting: ['Node', 'Bool'],
  /** The find of this producer is in flight; its destination, and the nodes that it has visited. */
  flying: ['Node', 'Bool'],
  dest: ['Node', 'Node'],
  visited: ['Node Node', 'Bool'],
  /** The node that has the token or to which the token flies. */
  token: ['', 'Node'],
  arriving: ['', 'Bool'],
  used: ['', 'Bool'],
  /** The second node is the first one, or waits for it. */
  follows: ['Node Node', 'Bool'],
  /** First and last node of the queue of a node. */
  first: ['Node', 'Node'],
  last: ['Node', 'Node'],
  /** The second node is the first one, or above it in the tree. */
  below: ['Node Node', 'Bool'],
};

/** Defined symbols of the proof: functions of a node `v`, with the type and the formula of their result. */
export const ABBREVIATIONS: Readonly<Record<string, readonly [result: string, term: string]>> = {
  active: ['Bool', '(or (waiting v) (= v token))'],
  isRoot: ['Bool', '(= v (last token))'],
  up: ['Node', '(ite (= (parent v) v) (dest (first v)) (parent v))'],
};

export interface Statement {
  readonly name: string;
  readonly formula: string;
  /** The statement as an assumption, if the solver needs a pattern that limits its instances. @defaultValue the formula */
  readonly assumed?: string;
}

const all = (variables: string, formula: string): string =>
  `(forall (${Array.from(variables, (variable) => `(${variable} Node)`).join(' ')}) ${formula})`;

const COMES_AFTER_NEXT = '(=> (and (follows a b) (distinct a b)) (follows (next a) b))';

const TREE: readonly Statement[] = [
  { name: 'below is reflexive', formula: all('a', '(below a a)') },
  { name: 'below is transitive', formula: all('abc', '(=> (and (below a b) (below b c)) (below a c))') },
  { name: 'below is antisymmetric', formula: all('ab', '(=> (and (below a b) (below b a)) (= a b))') },
  {
    name: 'nodes above one node are a path',
    formula: all('abc', '(=> (and (below a b) (below a c)) (or (below b c) (below c b)))'),
  },
  { name: 'all nodes are below the root', formula: all('v', '(below v (last token))') },
  {
    name: 'a node is below its upper node',
    formula: all('v', '(=> (not (isRoot v)) (and (below v (up v)) (distinct (up v) v)))'),
  },
  {
    name: 'no node is between',
    formula: all('vb', '(=> (and (below v b) (distinct v b)) (and (not (isRoot v)) (below (up v) b)))'),
  },
];

const QUEUES: readonly Statement[] = [
  { name: 'follows is reflexive', formula: all('a', '(follows a a)') },
  { name: 'follows is transitive', formula: all('abc', '(=> (and (follows a b) (follows b c)) (follows a c))') },
  { name: 'follows is antisymmetric', formula: all('ab', '(=> (and (follows a b) (follows b a)) (= a b))') },
  {
    name: 'a queue does not branch behind a node',
    formula: all('abc', '(=> (and (follows a b) (follows a c)) (or (follows b c) (follows c b)))'),
  },
  {
    name: 'a queue does not branch before a node',
    formula: all('abc', '(=> (and (follows a c) (follows b c)) (or (follows a b) (follows b a)))'),
  },
  { name: 'next follows', formula: all('v', '(=> (hasNext v) (and (follows v (next v)) (distinct (next v) v)))') },
  { name: 'a node with followers has a next', formula: all('ab', '(=> (and (follows a b) (distinct a b)) (hasNext a))') },
  {
    name: 'followers come after next',
    formula: all('ab', COMES_AFTER_NEXT),
    // Without the pattern each instance leads to another one, about the next of the next.
    assumed: all('ab', `(! ${COMES_AFTER_NEXT} :pattern ((follows a b) (next a)))`),
  },
  {
    name: 'followers wait, without a find in flight',
    formula: all(
      'ab',
      '(=> (and (follows a b) (distinct a b)) (and (active a) (waiting b) (distinct b token) (not (flying b))))',
    ),
  },
  {
    name: 'a queue starts at a find or the token',
    formula: all('v', '(=> (active v) (and (follows (first v) v) (or (flying (first v)) (= (first v) token))))'),
  },
  { name: 'a queue has an end', formula: all('v', '(and (follows v (last v)) (not (hasNext (last v))))') },
];

const NODES: readonly Statement[] = [
  {
    name: 'a node without request and token points elsewhere',
    formula: all('v', '(=> (not (active v)) (and (distinct (parent v) v) (not (hasNext v))))'),
  },
  { name: 'Lemma 3: a self-loop or a next', formula: all('v', '(=> (active v) (xor (= (parent v) v) (hasNext v)))') },
  { name: 'producers wait', formula: all('v', '(=> (flying v) (and (waiting v) (distinct v token)))') },
  {
    name: 'the token is here or on its way',
    formula: '(and (= arriving (waiting token)) (=> used (not arriving)) (=> (hasNext token) (or arriving used)))',
  },
];

const FINDS: readonly Statement[] = [
  { name: 'a find has visited its producer', formula: all('v', '(=> (flying v) (visited v v))') },
  {
    name: 'Lemma 2: visited nodes are below the end of the queue',
    formula: all('va', '(=> (and (flying v) (visited v a)) (below a (last v)))'),
  },
  {
    name: 'Lemma 2: waiting nodes are below the end of the queue',
    formula: all('va', '(=> (and (flying v) (follows v a)) (below a (last v)))'),
  },
];

export const INVARIANTS: readonly Statement[] = [...TREE, ...QUEUES, ...NODES, ...FINDS];

/** Consequences of the invariant that shorten the proofs, each from the ones before it. */
export const LEMMAS: readonly Statement[] = [
  { name: 'the end of a queue has no followers', formula: all('ab', '(=> (and (follows a b) (not (hasNext a))) (= a b))') },
  {
    name: 'the head of a queue follows no node',
    formula: all('ab', '(=> (and (follows a b) (or (flying b) (= b token))) (= a b))'),
  },
  { name: 'a queue has one head', formula: all('ab', '(=> (and (follows a b) (or (flying a) (= a token))) (= (first b) a))') },
  {
    name: 'the last node is before or after each other one',
    formula: all('ab', '(=> (follows a b) (or (follows b (last a)) (follows (last a) b)))'),
  },
  { name: 'a queue has one end', formula: all('ab', '(=> (and (follows a b) (not (hasNext b))) (= (last a) b))') },
  {
    name: 'the end of the queue of a find points to itself',
    formula: all('v', '(=> (flying v) (and (active (last v)) (= (parent (last v)) (last v))))'),
  },
  { name: 'it is not the root', formula: all('v', '(=> (flying v) (not (isRoot (last v))))') },
  { name: 'it is below the destination of the find', formula: all('v', '(=> (flying v) (= (up (last v)) (dest v)))') },
  {
    name: 'visited nodes are strictly below the destination',
    formula: all('va', '(=> (and (flying v) (visited v a)) (and (below a (dest v)) (not (below (dest v) a))))'),
  },
];

/** Statements about the protocol that follow from the invariant, such as Theorem 4 of the paper. */
export const CONCLUSIONS: readonly Statement[] = [
  { name: 'Theorem 4: no find meets a node twice', formula: all('v', '(=> (flying v) (not (visited v (dest v))))') },
  {
    name: 'a find that meets a self-loop overwrites no next',
    formula: all('v', '(=> (and (flying v) (= (parent (dest v)) (dest v))) (not (hasNext (dest v))))'),
  },
];

/** One transition of the specification: its parameters, its guard, and the new value of each changed symbol at `v`, or at `a` and `b`. */
export interface TransitionRule {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly guard: string;
  readonly updates: Readonly<Record<string, string>>;
}

/** Node `w` with all nodes below it moves below `u`, which is below the end of the find's queue; this end takes the place of `w`. */
const turned = `(ite (and (below a w) (not (below a (last r))))
  (or (and (below a b) (below b w)) (and (below u b) (below b (last r))) (and (below w b) (distinct w b)))
  (ite (below a (last r)) (or (and (below a b) (below b (last r))) (and (below w b) (distinct w b))) (below a b)))`;

const at = (node: string, value: string, symbol: string): string => `(ite (= v ${node}) ${value} (${symbol} v))`;

const arrives = '(flying r) (= (dest r) w) (visited r u)';
const isIdleHere = '(= w token) (not arriving) (not used)';

export const RULES: readonly TransitionRule[] = [
  {
    name: 'T2: the idle holder requests',
    parameters: ['w'],
    guard: `(and ${isIdleHere})`,
    updates: { used: 'true' },
  },
  {
    name: 'T3: another node requests',
    parameters: ['w'],
    guard: '(not (active w))',
    updates: {
      parent: at('w', 'w', 'parent'),
      waiting: at('w', 'true', 'waiting'),
      flying: at('w', 'true', 'flying'),
      dest: at('w', '(parent w)', 'dest'),
      visited: '(ite (= a w) (= b w) (visited a b))',
      first: at('w', 'w', 'first'),
    },
  },
  {
    name: 'T4: a find is forwarded',
    parameters: ['r', 'w', 'u'],
    guard: `(and ${arrives} (distinct (parent w) w))`,
    updates: {
      parent: at('w', 'u', 'parent'),
      dest: at('r', '(parent w)', 'dest'),
      visited: '(or (visited a b) (and (= a r) (= b w)))',
      below: turned,
    },
  },
  {
    name: 'T5: a find meets the idle token',
    parameters: ['r', 'w', 'u'],
    guard: `(and ${arrives} (= (parent w) w) ${isIdleHere})`,
    updates: {
      parent: at('w', 'u', 'parent'),
      flying: at('r', 'false', 'flying'),
      token: 'r',
      arriving: 'true',
      below: turned,
    },
  },
  {
    name: 'T6: a find meets the end of a queue',
    parameters: ['r', 'w', 'u'],
    guard: `(and ${arrives} (= (parent w) w) (not (and ${isIdleHere})))`,
    updates: {
      parent: at('w', 'u', 'parent'),
      hasNext: at('w', 'true', 'hasNext'),
      next: at('w', 'r', 'next'),
      flying: at('r', 'false', 'flying'),
      follows: '(or (follows a b) (and (follows a w) (follows r b)))',
      first: '(ite (follows r v) (first w) (first v))',
      last: '(ite (= (last v) w) (last r) (last v))',
      below: turned,
    },
  },
  {
    name: 'T7: the token arrives',
    parameters: [],
    guard: 'arriving',
    updates: { arriving: 'false', used: 'true', waiting: at('token', 'false', 'waiting') },
  },
  {
    name: 'T8: a use ends, and no node is next',
    parameters: [],
    guard: '(and used (not (hasNext token)))',
    updates: { used: 'false' },
  },
  {
    name: 'T8: a use ends, and the token leaves',
    parameters: [],
    guard: '(and used (hasNext token))',
    updates: {
      token: '(next token)',
      arriving: 'true',
      used: 'false',
      hasNext: at('token', 'false', 'hasNext'),
      follows: '(and (follows a b) (or (distinct a token) (= a b)))',
      first: '(ite (and (follows token v) (distinct v token)) (next token) (first v))',
      last: at('token', 'token', 'last'),
    },
  },
];

/** The formula of the initial state: a rooted tree of pointers, and the idle token at its root. */
export const START = `(and (not arriving) (not used) (= (parent token) token)
  ${all('v', '(and (not (waiting v)) (not (flying v)) (not (hasNext v)) (= (last v) v) (= (first v) v))')}
  ${all('v', '(=> (= (parent v) v) (= v token))')}
  ${all('ab', '(= (follows a b) (= a b))')}
  ${TREE.map(({ formula }) => formula).join('\n  ')})`;
