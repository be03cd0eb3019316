/** Splits a node under a budget into its two layers: the resource controller, and the protocol that it controls. */
import type { Configuration, Flight, NodeView } from '../../protocol.js';
import { deliveryRole, MAIN, requestRole } from '../messages.js';
import type { ControllerOptions } from '../options.js';
import { GATE } from './gate.js';
import type { PurseContext } from './purse.js';
import type { Message, NodeId } from '../../effects.js';

export interface BudgetOptions {
  readonly budget: ControllerOptions;
  /** Options of the protocol. */
  readonly controlled: unknown;
}

export const PURSE = 'purse';

/** Marks the controller's messages, because the protocol above may have a message of the same type. */
export const LAYER = 'ofBudget';

export const isOfController = (role: string): boolean =>
  role === MAIN || (['R', 'N'] as const).some((of) => role === requestRole(of) || role === deliveryRole(of));

const pick = (node: NodeView, isMine: (role: string) => boolean): NodeView =>
  Object.fromEntries(Object.entries(node).filter(([role]) => isMine(role)));

export const controllerPart = (node: NodeView): NodeView => pick(node, isOfController);
export const controlledPart = (node: NodeView): NodeView =>
  pick(node, (role) => !isOfController(role) && role !== PURSE && role !== GATE);

export const purseOf = (node: NodeView): PurseContext | undefined => node[PURSE]?.context;

/** True if this node was refused a permit and has stopped. */
export const isStopped = (node: NodeView): boolean => node[PURSE]?.value === 'stopped' || node[GATE]?.value === 'refused';

/** Units that this node has spent: sent messages, or 1 for its participation. */
export const spentAt = (node: NodeView): number => purseOf(node)?.spent ?? (GATE in node ? 0 : 1);

export const isOfLayer = ({ message }: Flight): boolean => LAYER in message;

function plain(flight: Flight): Flight {
  const { [LAYER]: _, ...message }: Message & { readonly [LAYER]?: unknown } = flight.message;
  return { ...flight, message };
}

type Config = Configuration<BudgetOptions>;

type Held = Omit<Flight, 'id' | 'cost'>;

/** The messages that wait in purses. */
const inPurses = (c: Config): Held[] =>
  [...c.nodes].flatMap(([from, node]) =>
    (purseOf(node)?.waiting ?? []).map(({ to, message }) => ({ from, to: String(to), message })),
  );

/** Messages held at the gates, without commands. */
const atGates = (c: Config): Held[] =>
  [...c.nodes].flatMap(([to, node]) => {
    const held: readonly (Message & { readonly from?: NodeId; readonly at?: unknown })[] = node[GATE]?.context.held ?? [];
    return held.flatMap(({ from, at: _, ...message }) => (from === undefined ? [] : [{ from, to, message }]));
  });

/** For the protocol above, held messages are in flight. Their ids differ from those of all messages in flight. */
const asFlight = (held: Held, i: number): Flight => ({ id: -1 - i, cost: 1, ...held });

/** The configuration as one layer sees it: its own roles, messages and options. */
export function layerOf(c: Config, part: (node: NodeView) => NodeView, layer: 'budget' | 'controlled'): Configuration {
  const nodes = new Map([...c.nodes].map(([id, node]) => [id, part(node)]));
  const flights =
    layer === 'budget'
      ? c.flights.filter(isOfLayer).map(plain)
      : [...[...atGates(c), ...inPurses(c)].map(asFlight), ...c.flights.filter((flight) => !isOfLayer(flight))];
  return {
    instance: { ...c.instance, options: c.instance.options[layer] },
    nodes,
    flights,
    links: c.links,
    ...(c.crashed && { crashed: c.crashed }),
    ...(c.everCrashed && { everCrashed: c.everCrashed }),
  };
}
