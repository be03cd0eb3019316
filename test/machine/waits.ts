/** States that wait for a service, and that neither time nor an event from outside leads out of: if the service never settles, nothing happens. */
import type { AnyActorLogic, AnyStateMachine, AnyStateNode } from 'xstate';
import type { Found } from './findings.js';
import type { MachineGraph } from './graph.js';
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
      if (node.invoke.length === 0 || (state !== '' && !reached.has(`${chart}: state ${state}`))) continue;
      const held = node.invoke.filter(({ src }) => HELD.has(kindOfSource(machine, src)));
      if (held.length < node.invoke.length || !isWaiting(node, subject.within)) continue;
      const names = held.map(({ id, src }) => (typeof src === 'string' && !src.startsWith('xstate.') ? src : id)).join(' and ');
      const steps = graph.vertices.find(({ edges }) =>
        [...(edges?.values() ?? [])].some(({ items }) => (items as ReadonlySet<unknown>).has(`${chart}: state ${state}`)),
      );
      yield {
        chart,
        of: state === '' ? '(root)' : state,
        steps: steps ? wayInto(steps, `${chart}: state ${state}`) : [],
        description: `only ${names} leads out of it: if that never settles, the machine waits forever. Give it an after, or an event that leads out`,
      };
    }
}

function wayInto({ way, edges }: MachineGraph['vertices'][number], item: string): Found['steps'] {
  const edge = [...edges!.values()].find(({ items }) => (items as ReadonlySet<unknown>).has(item))!;
  return [...way, edge.step];
}

const nodesOf = (node: AnyStateNode): readonly AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)];

function kindOfSource(machine: AnyStateMachine, src: unknown) {
  const written = implementationsOf(machine).actors;
  const logic = typeof src === 'string' ? written[src] : src;
  // What nobody has written is stood in for by a promise.
  return logic === undefined ? 'promise' : kindOfLogic(logic as AnyActorLogic);
}

/** Whether the services of a state lead out of it, and nothing else does. */
function isWaiting(node: AnyStateNode, within: ReadonlySet<string>): boolean {
  const isInside = (one: AnyStateNode): boolean => one === node || (one.parent !== undefined && isInside(one.parent));
  const around: AnyStateNode[] = [];
  for (let one = node.parent; one; one = one.parent) around.push(one);
  const waysOf = ({ transitions, always }: AnyStateNode) => [...[...transitions.values()].flat(), ...(always ?? [])];
  const out = [
    ...nodesOf(node).flatMap((one) => waysOf(one).filter(({ target }) => target?.some((to) => !isInside(to)))),
    // What leads into the state again starts the service again.
    ...waysOf(node).filter(({ target, reenter }) => reenter && target?.includes(node)),
    ...around.flatMap((one) => waysOf(one).filter(({ target }) => target !== undefined)),
  ];
  const isOfService = (type: string) => /^xstate\.(done\.actor|error\.actor|snapshot)\./.test(type) || within.has(type);
  return out.length > 0 && out.every(({ eventType }) => isOfService(eventType));
}
