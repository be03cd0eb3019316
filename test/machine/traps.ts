/**
 * States and loops that a machine cannot leave: a dead end that is not a final state, a cycle without an exit, and a wait for a service
 * without a timeout.
 */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, StateValue, AnyActorLogic } from 'xstate';
import { configOf, rulesOf } from '../charts/config.js';
import type { Found } from './findings.js';
import { wayInto, type MachineEdge, type MachineGraph, type MachineVertex } from './graph.js';
import { reads } from './hints.js';
import { implementationsOf, nameOfAction } from './references.js';
import { isFromOutside } from './steps.js';
import type { Subject } from './subject.js';
import { HELD, kindOfLogic } from './stage.js';
import { fieldsOf } from '../../machines/checks.js';
import type { Noted } from '../coverage/items.js';

/** Machines with more configurations are not searched for cycles. */
const CONFIGURATIONS_MAX = 500;

export function* deadEnds(subject: Subject, graph: MachineGraph): Generator<Found> {
  const { original, tests } = subject;
  const named = new Set<string>();
  const places = placesOf(graph.vertices);
  const idle = idleTransitions(original);
  for (const vertex of graph.vertices) {
    const { value, view, edges, way, isTarget, running } = vertex;
    if (edges === null || isTarget || view.status !== 'active') continue;
    const leaves = leavesOf(original.root, value);
    // A machine without states has nowhere to go.
    if (leaves[0] === original.root) continue;
    const place = places.get(JSON.stringify(value))!;
    // A machine with one state collects events with a wildcard.
    const isStatic = leaves.every((leaf) => isClosed(leaf, original, places.size > 1)) && !place.isLeft;
    // Values that samples or a filter exclude may lead out of it.
    const isSeen = running === 0 && !tests.filter && !leavesOut(tests.events);
    const isEmpty = isSeen && edges.size === 0;
    const isDecided = isSeen && leaves.every((leaf) => !asksEvents(original, leaf));
    const isBlocked = isDecided && place.isOpen && !place.isActive;
    const isStuck = isDecided && place.isLeft && [...edges.values()].every((edge) => edge.to === vertex && isIdle(edge, idle));
    const of = nameOf(leaves);
    if (!(isStatic || isEmpty || isBlocked || isStuck) || named.has(of)) continue;
    named.add(of);
    const inner = leaves.find(({ type }) => type === 'final');
    const why = inner ? `; ${nameOf([inner.parent!])} has no onDone` : '';
    const description = isStuck
      ? `nothing leads out of ${of} with this context, and no event changes it: the guards there are false for good`
      : `nothing leads out of ${of}, and the machine has not ended there${why}`;
    yield { of, steps: way, description };
  }
  yield* deadEndsOfChildren(subject, graph);
}

/** States of child machines that wait for an end that is in another state. */
function* deadEndsOfChildren({ originals, name }: Subject, graph: MachineGraph): Generator<Found> {
  for (const [chart, machine] of originals) {
    const { root } = machine;
    const inner = Object.values(root.states);
    if (chart === name || root.type === 'parallel' || !inner.some(({ type }) => type === 'final')) continue;
    for (const node of inner) {
      if (node.type !== 'atomic' || !isClosed(node, machine) || [...root.transitions.values()].flat().length > 0) continue;
      const of = nameOf([node]);
      const steps = wayInto(graph, `${chart}: state ${of}`);
      if (steps) yield { chart, of, steps, description: `nothing leads out of ${of}, and the child machine has not ended there` };
    }
  }
}

const leavesOut = (events: object | undefined): boolean =>
  Object.values(events ?? {}).some(
    (samples) => typeof samples === 'function' || (Array.isArray(samples) && samples.length === 0),
  );

/** A state and those around it, without the root. */
function* around(leaf: AnyStateNode): Generator<AnyStateNode> {
  for (let node: AnyStateNode | undefined = leaf; node?.parent; node = node.parent) yield node;
}

const transitionsOf = ({ transitions, always }: AnyStateNode) => [...[...transitions.values()].flat(), ...(always ?? [])];

/**
 * True if a state, and those around it up to the root, have neither actors nor transitions with effects. A wildcard that only assigns or
 * logs takes the events that nothing else takes: with `ignoresRest`, it has no effect.
 */
const isClosed = (leaf: AnyStateNode, machine: AnyStateMachine, ignoresRest = true): boolean =>
  [...around(leaf)].every((node) => {
    const hasEffect = (one: AnyTransitionDefinition) => !isNothing(one, node, ignoresRest && isOnlyNoted(one, machine));
    return node.invoke.length === 0 && !transitionsOf(node).some(hasEffect);
  }) && transitionsOf(machine.root).every(({ target }) => target === undefined);

/** True if a transition has no effect: no action that counts, and no target except its own state without inner states. */
const isNothing = ({ target, actions, reenter }: AnyTransitionDefinition, node: AnyStateNode, isNoted: boolean): boolean =>
  (actions.length === 0 || isNoted) &&
  (target === undefined || (node.type === 'atomic' && !reenter && target.every((to) => to === node)));

/** True if a wildcard does no more than record its events in the context or a log. */
const isOnlyNoted = ({ eventType, actions }: AnyTransitionDefinition, machine: AnyStateMachine): boolean =>
  eventType === '*' &&
  actions.every((given) => {
    const { type } = fieldsOf(implementationsOf(machine).actions[nameOfAction(given) ?? ''] ?? given);
    return type === 'xstate.assign' || type === 'xstate.log';
  });

/** True if a guard here reads an event, so that another sample may lead out. */
const asksEvents = (machine: AnyStateMachine, leaf: AnyStateNode): boolean =>
  [...around(leaf), machine.root].some((node) =>
    transitionsOf(node).some(({ guard }) => guard !== undefined && asksEvent(machine, guard)),
  );

/** XState's `stateIn` reads only the state. */
const asksEvent = (machine: AnyStateMachine, guard: unknown): boolean =>
  reads(machine, guard) === 'more' && !(typeof guard === 'function' && 'stateValue' in guard);

/** The states with a transition that was never taken, although another sample of its event could. */
function unsampledStates({ original, name }: Subject, { vertices }: MachineGraph): ReadonlySet<string> {
  const taken = new Set<unknown>(
    vertices.flatMap(({ edges }) => [...(edges?.values() ?? [])].flatMap(({ items }) => [...items])),
  );
  const open = [...rulesOf(configOf(original))].filter(
    ({ id, choice: { guard } }) => guard !== undefined && asksEvent(original, guard) && !taken.has(`${name}: transition ${id}`),
  );
  return new Set(open.map(({ state }) => state));
}

/** True if a step had no effect: its transitions only assign, and no action of the application was requested. */
const isIdle = ({ items, view }: MachineEdge, idle: ReadonlySet<string>): boolean =>
  view.acted.length === 0 &&
  [...items].every((item) => {
    const [, id] = /: transition (.*)$/s.exec(item) ?? [];
    return id === undefined || idle.has(id);
  });

/** The transitions that only assign values which no sample can change. */
function idleTransitions(machine: AnyStateMachine): ReadonlySet<string> {
  const { actions } = implementationsOf(machine);
  const isPlain = (given: unknown): boolean => {
    const { type, assignment } = fieldsOf(actions[nameOfAction(given) ?? ''] ?? given);
    if (type !== 'xstate.assign' || typeof assignment !== 'object' || assignment === null) return false;
    return Object.values(assignment).every((one) => typeof one !== 'function' || /^\(\{ ?context ?\}\)/.test(String(one)));
  };
  const rules = [...rulesOf(configOf(machine))];
  return new Set(rules.filter(({ choice }) => (choice.actions ?? []).every(isPlain)).map(({ id }) => id));
}

function leavesOf(root: AnyStateNode, value: StateValue): readonly AnyStateNode[] {
  if (typeof value === 'string') return [root.states[value]!];
  const inner = Object.entries(value).filter(([, one]) => one !== undefined);
  if (inner.length === 0) return [root];
  return inner.flatMap(([key, one]) => leavesOf(root.states[key]!, one!));
}

const nameOf = (nodes: readonly AnyStateNode[]): string => nodes.map(({ path }) => path.join('.') || '(root)').join(' + ');

/** One configuration of the machine, and its successors. */
interface Place {
  readonly value: StateValue;
  readonly way: MachineVertex['way'];
  readonly next: Set<string>;
  /** Configurations that an event from outside leads to. */
  readonly byEvent: Set<string>;
  isLeft: boolean;
  /** True if a step takes a transition here. */
  isActive: boolean;
  /** True if an external event takes one. */
  isTouched: boolean;
  /** True if all of its states were expanded, and none of them is final. */
  isOpen: boolean;
  /** The states here that each state here leads to. */
  readonly within: Map<MachineVertex, Set<MachineVertex>>;
}

function placesOf(vertices: readonly MachineVertex[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const vertex of vertices) {
    const { value, way, edges, view, isTarget } = vertex;
    const key = JSON.stringify(value);
    const place = places.get(key) ?? {
      value,
      way,
      next: new Set(),
      byEvent: new Set(),
      isLeft: false,
      isActive: false,
      isTouched: false,
      isOpen: true,
      within: new Map(),
    };
    places.set(key, place);
    const within = new Set<MachineVertex>();
    place.within.set(vertex, within);
    if (edges === null || isTarget || view.status !== 'active') place.isOpen = false;
    for (const { to, step, items } of edges?.values() ?? []) {
      const isTaken = [...items].some((item) => item.includes(': transition '));
      place.isActive ||= isTaken;
      place.isTouched ||= isTaken && isFromOutside(step);
      const target = JSON.stringify(to.value);
      if (target === key) {
        if (isTaken) within.add(to);
        // An end keeps the configuration.
        if (to.view.status !== 'active') place.isLeft = true;
        continue;
      }
      place.isLeft = true;
      place.next.add(target);
      if (isFromOutside(step)) place.byEvent.add(target);
    }
  }
  return places;
}

/**
 * Sets of configurations that lead only to each other. A set with the start is not reported, nor one that every run reaches without
 * external events, such as a loaded application. The regions of a parallel machine come to rest one by one, and are not checked.
 */
export function* cyclesWithoutExit(subject: Subject, graph: MachineGraph): Generator<Found> {
  const { original, tests } = subject;
  const { vertices, first } = graph;
  const places = placesOf(vertices);
  if (tests.filter || original.root.type === 'parallel' || places.size > CONFIGURATIONS_MAX) return;
  const reached = new Map([...places.keys()].map((key) => [key, reach(places, key)]));
  const unsampled = unsampledStates(subject, graph);
  const mayBeLeft = ({ value }: Place) =>
    leavesOf(original.root, value).some((leaf) => [...around(leaf)].some(({ path }) => unsampled.has(path.join('.'))));
  const done = new Set<string>();
  for (const [key, ends] of reached) {
    const isBottom = [...ends].every((one) => reached.get(one)!.has(key));
    if (done.has(key) || !(ends.size > 1 || isLoop(places.get(key)!)) || !isBottom) continue;
    for (const one of ends) done.add(one);
    const inside = [...ends].map((one) => places.get(one)!);
    if (ends.has(JSON.stringify(first.value)) || inside.some((place) => !place.isOpen || mayBeLeft(place))) continue;
    const entering = [...places].filter(([from, { next }]) => !ends.has(from) && [...next].some((one) => ends.has(one)));
    const isByEvent = entering.some(([, { byEvent }]) => [...byEvent].some((one) => ends.has(one)));
    const isOnlyEnd = [...reached.values()].every((all) => all.has(key));
    if (isOnlyEnd && !isByEvent) continue;
    const of = inside
      .map(({ value }) => nameOf(leavesOf(original.root, value)))
      .toSorted()
      .join(', ');
    const steps = inside.map(({ way }) => way).toSorted((a, b) => a.length - b.length)[0]!;
    const isFree = inside.some(({ byEvent }) => byEvent.size > 0);
    if (inside.length === 1) {
      yield { of, steps, description: 'it leads to itself and nowhere else, and no event from outside changes that' };
      continue;
    }
    yield {
      of,
      steps,
      description: `${inside.length} states lead to each other and nowhere else${isFree ? '' : ', and no event from outside changes that'}`,
    };
  }
}

/** A state that only time or a service moves, again and again, and that nothing leads out of. */
const isLoop = ({ isLeft, isActive, isTouched, within }: Place): boolean => isActive && !isLeft && !isTouched && hasCycle(within);

/** True if states remain after those that lead nowhere are removed. */
function hasCycle(within: ReadonlyMap<MachineVertex, ReadonlySet<MachineVertex>>): boolean {
  const left = new Map(within);
  for (let size = -1; size !== left.size;) {
    size = left.size;
    for (const [vertex, next] of left) if (![...next].some((one) => left.has(one))) left.delete(vertex);
  }
  return left.size > 0;
}

function reach(places: ReadonlyMap<string, Place>, from: string): ReadonlySet<string> {
  const reached = new Set([from]);
  for (const key of reached) for (const next of places.get(key)!.next) reached.add(next);
  return reached;
}

/** Finds states in which a machine waits only for a service. If the service never settles, the machine waits forever. */
export function* waitsWithoutTimeout(subject: Subject, graph: MachineGraph): Generator<Found> {
  const reached = new Set<unknown>(graph.items);
  for (const { edges } of graph.vertices)
    for (const { items } of edges?.values() ?? []) for (const item of items) reached.add(item);
  const byTimer = transitionsByTimer(graph);
  for (const [chart, machine] of subject.originals)
    for (const node of nodesOf(machine.root)) {
      const state = node.path.join('.');
      const item: Noted = `${chart}: state ${state}`;
      if (state !== '' && !reached.has(item)) continue;
      const services = servicesOf(subject, machine, node);
      const isTimed = ({ source, eventType }: AnyTransitionDefinition): boolean =>
        byTimer.has(`${chart}: transition ${source.path.join('.') || '(root)'}: ${eventType}`);
      if (services.length === 0 || !isWaiting(node, subject.within, isTimed)) continue;
      yield {
        chart,
        of: state === '' ? '(root)' : state,
        steps: wayInto(graph, item) ?? [],
        description: `only ${services.join(' and ')} leads out of it: if that never settles, the machine waits forever. Give it an after, or an event that leads out`,
      };
    }
}

/** The transitions that a delayed event has taken, without their places in the lists of choices. */
function transitionsByTimer({ vertices }: MachineGraph): ReadonlySet<string> {
  const steps = vertices.flatMap(({ edges }) => [...(edges?.values() ?? [])]).filter(({ step }) => 'timer' in step);
  return new Set(steps.flatMap(({ items }) => [...items].map((item) => item.replace(/ #\d+$/, ''))));
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
function isWaiting(node: AnyStateNode, within: ReadonlySet<string>, isTimed: (one: AnyTransitionDefinition) => boolean): boolean {
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
  return out.length > 0 && out.every((one) => isOfService(one.eventType) && !isTimed(one));
}
