/** Finds states in which a machine waits only for a service. If the service never settles, the machine waits forever. */
import type { AnyActorLogic, AnyStateMachine, AnyStateNode } from 'xstate';
import type { Found } from './findings.js';
import { wayInto, type MachineGraph } from './graph.js';
import { HELD } from './held.js';
import { implementationsOf } from './references.js';
import { kindOfLogic } from './stage.js';
import type { Subject } from './subject.js';

export function* waitsWithoutTimeout(subject: Subject, graph: MachineGraph): Generator<Found> {
  const reached = new Set<unknown>(graph.items);
  for (const { edges } of graph.vertices)
    for (const { items } of edges?.values() ?? []) for (const item of items) reached.add(item);
  for (const [chart, machine] of subject.originals)
    for (const node of nodesOf(machine.root)) {
      const state = node.path.join('.');
      const item = `${chart}: state ${state}`;
      if (state !== '' && !reached.has(item)) continue;
      const services = servicesOf(subject, machine, node);
      if (services.length === 0 || !isWaiting(node, subject.within)) continue;
      yield {
        chart,
        of: state === '' ? '(root)' : state,
        steps: wayInto(graph, item) ?? [],
        description: `only ${services.join(' and ')} leads out of it: if that never settles, the machine waits forever. Give it an after, or an event that leads out`,
      };
    }
}

/** The names of the services that a state waits for; empty if it has another actor. */
function servicesOf(subject: Subject, machine: AnyStateMachine, node: AnyStateNode): readonly string[] {
  if (node.invoke.some(({ src }) => !HELD.has(kindOfSource(machine, src)))) return [];
  if (node.invoke.length > 0)
    return node.invoke.map(({ id, src }) => (typeof src === 'string' && !src.startsWith('xstate.') ? src : id));
  // Spawned by an action, and waited for by id.
  const ids = [...node.transitions.keys()].flatMap((type) => /^xstate\.(?:done|error)\.actor\.(.+)$/.exec(type)?.[1] ?? []);
  const isHeld = (id: string) => [...(subject.met.get(id) ?? [])].some((logic) => HELD.has(kindOfLogic(logic)));
  return ids.every(isHeld) ? [...new Set(ids)] : [];
}

const nodesOf = (node: AnyStateNode): readonly AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)];

function kindOfSource(machine: AnyStateMachine, src: unknown) {
  const written = implementationsOf(machine).actors;
  const logic = typeof src === 'string' ? written[src] : src;
  // A promise replaces a missing implementation.
  return logic === undefined ? 'promise' : kindOfLogic(logic as AnyActorLogic);
}

const isBelow = (one: AnyStateNode, top: AnyStateNode): boolean =>
  one === top || (one.parent !== undefined && isBelow(one.parent, top));

/** True if only the services of a state lead out of it. */
function isWaiting(node: AnyStateNode, within: ReadonlySet<string>): boolean {
  const isInside = (one: AnyStateNode): boolean => isBelow(one, node);
  const around: AnyStateNode[] = [];
  for (let one = node.parent; one; one = one.parent) around.push(one);
  const waysOf = ({ transitions, always }: AnyStateNode) => [...[...transitions.values()].flat(), ...(always ?? [])];
  const out = [
    ...nodesOf(node).flatMap((one) => waysOf(one).filter(({ target }) => target?.some((to) => !isInside(to)))),
    // Ways back into the state start the service again.
    ...waysOf(node).filter(({ target, reenter }) => reenter && target?.includes(node)),
    ...around.flatMap((one) =>
      waysOf(one).filter(({ target, eventType }) => target !== undefined && !eventType.startsWith('xstate.done.state.')),
    ),
    // Another region can end all of them.
    ...around
      .filter(({ type }) => type === 'parallel')
      .flatMap((region) =>
        nodesOf(region).flatMap((one) =>
          waysOf(one).filter(
            ({ target, eventType }) => !eventType.startsWith('xstate.done.state.') && target?.some((to) => !isBelow(to, region)),
          ),
        ),
      ),
  ];
  const isOfService = (type: string) => /^xstate\.(done\.actor|error\.actor|snapshot)\./.test(type) || within.has(type);
  return out.length > 0 && out.every(({ eventType }) => isOfService(eventType));
}
