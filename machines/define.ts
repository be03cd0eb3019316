/**
 * Declaring a protocol: a description is validated where it is declared, and completed with defaults.
 *
 * `defineCore` is for applications, which load nothing else; `defineProtocol` adds checks and view to a core. A mistake is a `UsageError`
 * of one line: the protocol, the member, the value and the expected value.
 */
import type { StateValue } from 'xstate';
import { coreOf } from './core.js';
import type { Checks, Core, CoreDescription, Observer, Overlay, Protocol, View } from './protocol.js';
import { guardedChecks, guardedCore, guardedView } from './guarded.js';
import { noNodeIsStuck } from './stuck.js';
import { complaintsOf, validateChecks, validateCore, validateView, validProperties, validStarts } from './validate.js';

/**
 * Completes the core of a protocol: all that a node in an application needs.
 *
 * @throws `UsageError` that names the member that is missing or wrong.
 * @example
 * ```ts
 * import { emit, setup } from 'xstate';
 * import { defineCore, effects, send, shapes } from 'xstate-quiver';
 *
 * const echo = setup({ types: { input: {} as { peers: readonly string[] } }, actions: effects() }).createMachine({
 *   context: ({ input }) => input,
 *   on: {
 *     call: { actions: send(({ context }) => ({ to: context.peers, message: { type: 'hello', number: 1 } })) },
 *     hello: { actions: emit({ type: 'greeted' }) },
 *   },
 * });
 * const echoCore = defineCore({
 *   name: 'echo',
 *   charts: { echo },
 *   network: { reach: 'routed' },
 *   input: (node, { topology }) => ({ peers: topology.nodes.filter((other) => other !== node) }),
 *   messages: { hello: { number: shapes.isCount } },
 *   commands: { call: { completedBy: ['greeted'] } },
 * });
 * ```
 * @public
 */
export function defineCore<O = Record<string, never>, N extends string = string>(description: CoreDescription<O, N>): Core<O, N> {
  const complain = complaintsOf(description);
  validateCore(description, complain);
  const core = guardedCore(coreOf(description), complain, description.roles ? 'roles' : 'input');
  return {
    ...core,
    roles: (node, instance) => validStarts(core.roles(node, instance), core, `roles("${node}", …)`, complain),
    ...(core.reload && {
      reload: (node, instance, stored) =>
        validStarts(core.reload!(node, instance, stored), core, `reload("${node}", …)`, complain),
    }),
  };
}

/**
 * Declares a protocol: its core, its promises and its view. The core is enough to run, check, walk and draw it.
 *
 * @param core a description for `defineCore`, or a result of it.
 * @throws `UsageError` that names the member that is missing or wrong.
 * @example
 * ```ts
 * import { emit, setup } from 'xstate';
 * import { defineProtocol, effects, send } from 'xstate-quiver';
 * import { parseScenario, Simulation } from 'xstate-quiver/network';
 *
 * const token = setup({ types: { input: {} as { next: string } }, actions: effects() }).createMachine({
 *   context: ({ input }) => input,
 *   on: {
 *     pass: { actions: send(({ context }) => ({ to: context.next, message: { type: 'token' } })) },
 *     token: { actions: emit({ type: 'passed' }) },
 *   },
 * });
 * const passing = defineProtocol(
 *   {
 *     name: 'passing',
 *     charts: { token },
 *     network: { reach: 'routed' },
 *     input: (node, { topology: { nodes }, rank }) => ({ next: nodes[(rank(node) + 1) % nodes.length]! }),
 *     messages: { token: {} },
 *     commands: { pass: { completedBy: ['passed'] } },
 *   },
 *   {
 *     properties: () => [
 *       { name: 'alive', description: 'Every node is there.', kind: 'always', holds: ({ nodes }) => [...nodes.values()].every(({ token }) => token) },
 *     ],
 *   },
 * );
 * const scenario = { protocol: 'passing', topology: { kind: 'ring', n: 3 }, events: [{ at: 0, node: 'n0', do: 'pass' }] };
 * console.log(new Simulation(parseScenario(scenario, { passing })).run().verdict);
 * ```
 * @public
 */
export function defineProtocol<O = Record<string, never>, N extends string = string>(
  core: CoreDescription<O, N>,
  checks: Checks<NoInfer<O>> = {},
  view: View<NoInfer<O>> = {},
): Protocol<O, N> {
  const completed = defineCore(core);
  const complain = complaintsOf(completed);
  validateChecks(checks, completed, complain);
  validateView(view, complain);
  const guarded = guardedChecks(checks, completed, complain);
  const { properties = () => [noNodeIsStuck(completed)] } = guarded;
  return {
    samples: {},
    paper: '',
    observe: accountOfStates,
    overlay: stateAsBadge,
    ...completed,
    ...guarded,
    ...guardedView(view, completed.name, complain),
    properties: (instance) => validProperties(properties(instance), complain),
  };
}

/** A role's state in one line; those of parallel regions next to each other. */
const stateText = (value: StateValue): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value)
        .map(([key, inner]) => (inner === undefined ? key : `${key}.${stateText(inner)}`))
        .join(' ');

const statesOf = (node: Readonly<Record<string, { readonly value: StateValue }>>): string =>
  Object.values(node)
    .map(({ value }) => stateText(value))
    .join(', ');

const accountOfStates = (): Observer => ({
  record: () => {},
  summary: ({ nodes }) => ({ states: Object.fromEntries([...nodes].map(([id, node]) => [id, statesOf(node)])) }),
  meters: () => [],
});

const stateAsBadge = (node: Parameters<typeof statesOf>[0]): Overlay => ({ badge: statesOf(node) });
