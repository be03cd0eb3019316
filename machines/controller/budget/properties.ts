/**
 * Properties of a protocol under a budget: nodes spend at most M units. Those of the controller and of the protocol itself are included.
 */
import type { Configuration, Instance, NodeView, Property, Protocol } from '../../protocol.js';
import { controllerProperties } from '../properties.js';
import { isSevered, total } from '../view.js';
import { controlledPart, controllerPart, isStopped, layerOf, spentAt, type BudgetOptions } from './view.js';

type Config = Configuration<BudgetOptions>;
type BudgetProperty = Property<BudgetOptions>;

export const spent = (c: Config): number => total([...c.nodes.values()].map(spentAt));
const isAnyStopped = (c: Config): boolean => [...c.nodes.values()].some(isStopped);

/** A node cut off from the budget receives no more permits, and permits for a crashed node are lost. */
const hasFailed = (c: Config): boolean =>
  (c.everCrashed ?? []).length > 0 || [...c.nodes.values()].some((node) => isSevered(node));

const isQuiet = (c: Config): boolean => c.flights.length === 0;

const budget: BudgetProperty[] = [
  {
    name: 'the budget holds',
    kind: 'always',
    description: 'All nodes together spend at most M units.',
    holds: (c) => spent(c) <= c.instance.options.budget.M,
  },
  {
    name: 'no stop before its time',
    kind: 'always',
    description: 'If no message is in flight, nothing has failed and a node was refused, at least M - W units were spent.',
    holds: (c) =>
      !isQuiet(c) || !isAnyStopped(c) || hasFailed(c) || spent(c) >= c.instance.options.budget.M - c.instance.options.budget.W,
  },
];

/** Restricts a property to one layer. For the protocol's layer, it applies until the budget is spent or a part of the tree fails. */
function ofLayer(property: Property, part: (node: NodeView) => NodeView, layer: 'budget' | 'controlled'): BudgetProperty[] {
  const seen = (c: Config) => layerOf(c, part, layer);
  const isOver = (c: Config) => layer === 'controlled' && (isAnyStopped(c) || hasFailed(c));
  const { name, description, kind } = property;
  const named = {
    name: `${layer}: ${name}`,
    description: layer === 'budget' ? description : `Until the budget stops it: ${description}`,
  };
  if (kind === 'always') return [{ ...named, kind, holds: (c) => isOver(c) || property.holds(seen(c)) }];
  if (kind !== 'eventually') return [];
  return [
    {
      ...named,
      kind,
      when: (c, node) => !isOver(c) && property.when(seen(c), node),
      holds: (c, node) => isOver(c) || property.holds(seen(c), node),
    },
  ];
}

export function budgetProperties(controlled: Protocol, instance: Instance<BudgetOptions>): BudgetProperty[] {
  const { budget: below, controlled: above } = instance.options;
  return [
    ...budget,
    ...controllerProperties({ ...instance, options: below }).flatMap((one) => ofLayer(one, controllerPart, 'budget')),
    ...controlled.properties({ ...instance, options: above }).flatMap((one) => ofLayer(one, controlledPart, 'controlled')),
  ];
}
