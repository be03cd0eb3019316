/** Converts states of the directory's charts to models of the proof's formulas, and finds the proof's rule for each step of a chart. */
import type { NodeId } from '../../machines/effects.js';
import {
  directoryContext,
  finds,
  holdsToken,
  isRequesting,
  isUsing,
  nextOf,
  tokens,
  waitingFor,
} from '../../machines/directory/view.js';
import type { Configuration } from '../../machines/protocol.js';
import { ABBREVIATIONS, INVARIANTS, RULES, SYMBOLS, type TransitionRule } from './directory.js';
import { isTrue, termValue, type FiniteModel } from './formula.js';

/** The state of all nodes and messages. It does not change with the configuration. */
export function modelOf(c: Configuration): FiniteModel {
  const nodes = [...c.nodes.keys()];
  const each = <T>(of: (node: NodeId) => T) => tableOf(nodes, of);
  const flights = new Map(
    finds(c).map(({ from, to, message }) => [message.producer, { to, visited: [message.producer, from, ...message.visited] }]),
  );
  const flying = tokens(c)[0];
  const token = flying?.to ?? nodes.find((node) => holdsToken(c.nodes.get(node)!))!;
  const next = each((node) => nextOf(node, c));
  const queue = each((node) => [node, ...waitingFor(node, c)]);
  const first = each((node) => firstOf(node, nodes, next));
  const last = each((node) => queue(node).at(-1)!);
  const parent = each((node) => directoryContext(c.nodes.get(node)!).parent);
  const up = (node: NodeId) => (parent(node) === node ? (flights.get(first(node))?.to ?? node) : parent(node));
  const above = each((node) => pathUp(node, last(token), up, nodes.length));
  const used = nodes.some((node) => isUsing(c.nodes.get(node)!));
  const symbols: FiniteModel['symbols'] = {
    parent,
    hasNext: (node) => next(node) !== null,
    next: (node) => next(node) ?? node,
    waiting: each((node) => isRequesting(c.nodes.get(node)!)),
    flying: (node) => flights.has(node),
    dest: (node) => flights.get(node)?.to ?? node,
    visited: (producer, node) => flights.get(producer)?.visited.includes(node) ?? false,
    token: () => token,
    arriving: () => flying !== undefined,
    used: () => used,
    follows: (a, b) => queue(a).includes(b),
    first,
    last,
    below: (a, b) => above(a).includes(b),
  };
  const model: { nodes: readonly NodeId[]; symbols: Record<string, (...args: string[]) => string | boolean> } = {
    nodes,
    symbols,
  };
  for (const [name, [, term]] of Object.entries(ABBREVIATIONS)) model.symbols[name] = (v) => termValue(term, model, { v });
  return model;
}

function tableOf<T>(nodes: readonly NodeId[], of: (node: NodeId) => T): (node?: NodeId) => T {
  const values = new Map(nodes.map((node) => [node, of(node)]));
  return (node) => values.get(node!)!;
}

function firstOf(node: NodeId, nodes: readonly NodeId[], next: (node: NodeId) => NodeId | null): NodeId {
  let at = node;
  for (let steps = 0; steps < nodes.length; steps++) at = nodes.find((other) => next(other) === at) ?? at;
  return at;
}

/** The nodes above a node, itself first, up to the root. In a wrong state the path may be a cycle: it ends after all nodes. */
function pathUp(node: NodeId, root: NodeId, up: (node: NodeId) => NodeId, nodes: number): NodeId[] {
  const path = [node];
  for (let at = node; at !== root && path.length <= nodes;) path.push((at = up(at)));
  return path;
}

/** The invariants that do not hold in a state. */
export const violated = (model: FiniteModel): string[] =>
  INVARIANTS.filter(({ formula }) => !isTrue(formula, model)).map(({ name }) => name);

/** The rules that lead from one state to the other, for some parameters. */
export const rulesOf = (before: FiniteModel, after: FiniteModel): string[] =>
  RULES.filter((rule) => parametersOf(rule, before.nodes).some((values) => leads(rule, values, before, after))).map(
    ({ name }) => name,
  );

type Values = Readonly<Record<string, string>>;

function parametersOf({ parameters }: TransitionRule, nodes: readonly NodeId[]): Values[] {
  return parameters.reduce<Values[]>(
    (found, name) => found.flatMap((values) => nodes.map((node) => ({ ...values, [name]: node }))),
    [{}],
  );
}

function leads({ guard, updates }: TransitionRule, values: Values, before: FiniteModel, after: FiniteModel): boolean {
  if (!isTrue(guard, before, values)) return false;
  return Object.entries(SYMBOLS).every(([name, [parameters]]) =>
    argumentsOf(parameters, before.nodes).every((args) => {
      if (!matters(name, args, after)) return true;
      const list = Object.values(args);
      const update = updates[name];
      const expected = update === undefined ? before.symbols[name]!(...list) : termValue(update, before, { ...values, ...args });
      const actual = after.symbols[name]!(...list);
      // A policy may carry fewer nodes than a find has visited.
      return actual === expected || (name === 'visited' && actual === false);
    }),
  );
}

function argumentsOf(parameters: string, nodes: readonly NodeId[]): Values[] {
  if (parameters === '') return [{}];
  if (parameters === 'Node') return nodes.map((v) => ({ v }));
  return nodes.flatMap((a) => nodes.map((b) => ({ a, b })));
}

/** A chart has no value for the destination of a find that is not in flight, and the like. */
function matters(name: string, { a, v }: Values, { symbols }: FiniteModel): boolean {
  const node = a ?? v ?? '';
  if (name === 'dest' || name === 'visited') return symbols['flying']!(node) === true;
  if (name === 'next') return symbols['hasNext']!(node) === true;
  return name !== 'first' || symbols['active']!(node) === true;
}
