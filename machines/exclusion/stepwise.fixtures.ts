/**
 * The charts with the fine steps of the paper: every Check action is a separate event, possible at any moment after it is enabled, and each
 * node may call Lock a limited number of times. The shipped charts run these checks in the step that enables them, which leaves fewer
 * states. With the fine steps, they have exactly the states that an independent explorer counted (spec section 11).
 */
import { and, assign, type AnyStateMachine } from 'xstate';
import type { Message, NodeId } from '../effects.js';
import type { Configuration, Protocol } from '../protocol.js';
import { exclusion } from './index.js';
import type { ExclusionOptions } from './options.js';
import { exclusionMachine, exclusionSetup } from './machine.js';
import { printedMachine, printedSetup } from './printed.js';
import { exclusionContext, EXCLUSION, valueOf } from './view.js';

type Region = { states: Record<string, any> };

const CHECKS = ['checkInitiator', 'checkPriorities'];

function split(machine: AnyStateMachine, parts: { extend(more: any): any }): AnyStateMachine {
  const config = { ...machine.config, states: structure(machine.config.states) } as any;
  const { initiator, participant } = config.states as Record<string, Region>;
  for (const state of Object.values(initiator!.states)) {
    if (!state.always) continue;
    state.on = { ...state.on, checkInitiator: state.always };
    delete state.always;
  }
  const { compete } = participant!.states;
  const [emptied, complete] = compete.always;
  compete.always = [emptied];
  compete.on.checkPriorities = complete;
  const { lock } = initiator!.states['idle'].on;
  lock.guard = and([lock.guard, 'mayCall']);
  lock.actions = ['countCall', ...lock.actions];
  return parts
    .extend({
      actions: { countCall: assign(({ context }: any) => ({ calls: context.calls - 1 })) },
      guards: { mayCall: ({ context }: any) => context.calls > 0 },
    })
    .createMachine(config);
}

/** A copy of a config's objects and lists; functions and guards are shared. */
function structure<T>(config: T): T {
  if (Array.isArray(config)) return config.map(structure) as T;
  if (typeof config !== 'object' || config === null) return config;
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, structure(value)])) as T;
}

const charts = { [EXCLUSION]: split(exclusionMachine, exclusionSetup), printed: split(printedMachine, printedSetup) };

const check = (type: string) => ({ event: (): Message => ({ type }), waits: true, completedBy: [] });

export function stepwise(calls: Readonly<Record<NodeId, number>>): Protocol<ExclusionOptions> {
  return {
    ...exclusion,
    charts,
    roles: (id, instance) =>
      exclusion.roles(id, instance).map((role) => ({ ...role, input: { ...(role.input as object), calls: calls[id] ?? 0 } })),
    commands: { ...exclusion.commands, ...Object.fromEntries(CHECKS.map((type) => [type, check(type)])) },
  };
}

/** All calls made and served, nothing in flight. */
export const allServed = (c: Configuration): boolean =>
  c.flights.length === 0 &&
  [...c.nodes.values()].every((node) => (exclusionContext(node) as any).calls === 0 && valueOf(node).initiator === 'idle');
