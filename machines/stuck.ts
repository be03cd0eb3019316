/**
 * The default promise of a protocol without its own: no node waits forever for a message that does not come.
 *
 * A node waits while its chart is in a state that takes only messages and link events, and that is neither its initial nor its last state.
 * A state that takes a command, a timer or a draw can be left from within; one that takes nothing is an end. A network that comes to rest
 * while a node waits is in a deadlock.
 */
import type { AnyStateMachine, AnyStateNode, StateValue } from 'xstate';
import type { NodeId } from './effects.js';
import type { Configuration, Core, Property, RoleView } from './protocol.js';

const WORD_OF_LINKS = ['link.up', 'link.down'];

/**
 * Default property of a protocol, which `defineProtocol` adds if the protocol declares none.
 *
 * @param core the charts and the messages of a protocol.
 * @returns a property of the kind `eventually`.
 * @public
 */
export function noNodeIsStuck({ charts, messages = {} }: Core): Property {
  const outside = new Set([...Object.keys(messages), ...WORD_OF_LINKS]);
  const begins = new Map(Object.entries(charts).map(([name, { root }]) => [name, JSON.stringify(valueAtStart(root))]));
  const waits = ({ chart, value }: RoleView): boolean => {
    const events = eventsIn(charts[chart]!, value);
    const isWaiting = events.length > 0 && events.every((type) => outside.has(type));
    return isWaiting && JSON.stringify(value) !== begins.get(chart);
  };
  const isWaiting = (c: Configuration, node: NodeId): boolean => Object.values(c.nodes.get(node) ?? {}).some(waits);
  return {
    name: 'no node is stuck',
    description:
      'No node waits forever for a message: each node returns to one of its initial states, to a state that accepts a command or a timer, or to a final state.',
    kind: 'eventually',
    when: (c, node) => !c.crashed?.includes(node) && isWaiting(c, node),
    holds: (c, node) => !isWaiting(c, node),
  };
}

/** Types of the events for which an active state has a transition, regardless of guards. */
function eventsIn({ root }: AnyStateMachine, value: StateValue): readonly string[] {
  return [...activeStates(root, value)].flatMap(({ ownEvents }) => ownEvents);
}

function* activeStates(state: AnyStateNode, value: StateValue): Generator<AnyStateNode> {
  yield state;
  const inner = typeof value === 'string' ? { [value]: {} } : value;
  for (const [key, below] of Object.entries(inner)) if (below !== undefined) yield* activeStates(state.states[key]!, below);
}

/** Initial state of the config, without `always` transitions and guards. */
function valueAtStart({ type, states, initial }: AnyStateNode): StateValue {
  const children = Object.entries<AnyStateNode>(states);
  const entered = type === 'parallel' ? children : children.filter(([, child]) => initial?.target?.includes(child));
  const [only] = entered;
  if (entered.length === 1 && type !== 'parallel' && Object.keys(only![1].states).length === 0) return only![0];
  return Object.fromEntries(entered.map(([key, child]) => [key, valueAtStart(child)]));
}
