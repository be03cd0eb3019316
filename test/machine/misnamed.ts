/**
 * Checks names that do not exist. With a typo in the name of a service, a child, a step, a delay or an implementation, the real one would
 * stay unchanged and every test would pass.
 *
 * The names that functions start actors and send events under are only known after they have run, so most checks follow the search.
 */
import type { AnyStateMachine } from 'xstate';
import { UsageError } from '../../machines/errors.js';
import { unknownWord } from '../../network/scenario/read.js';
import { configOf, rulesOf, statesOf } from '../charts/config.js';
import type { MachineGraph } from './graph.js';
import type { MachineStep, MachineTests } from './options.js';
import { reachableMachines, implementationsOf, isMachine, referencesOf } from './references.js';
import { describeStep, isFromOutside, nameOfStep } from './steps.js';
import type { Subject } from './subject.js';
import { fieldsOf } from '../../machines/checks.js';

const PROVIDED = ['actions', 'guards', 'delays', 'actors'] as const;

/** The external events for which a machine has transitions. A `*` among them matches any type. */
export const typesOf = (machine: AnyStateMachine): readonly string[] => [
  ...new Set([...rulesOf(configOf(machine))].flatMap(({ event, isOutside }) => (isOutside ? [event] : []))),
];

export function takes(machine: AnyStateMachine, type: string): boolean {
  const types = typesOf(machine);
  return types.includes(type) || types.some((one) => one.includes('*'));
}

/** Throws a `UsageError` for a delay or an implementation under a name that the machine does not know. */
export function refuseMisnamedImplementations(machine: AnyStateMachine, { delays, provide }: MachineTests): void {
  const references = referencesOf(machine);
  const written = implementationsOf(machine);
  const asked = functionsOf(machine);
  const refuse = (place: string, names: readonly string[], kind: (typeof PROVIDED)[number]) => {
    const known = [...new Set([...references[kind], ...Object.keys(written[kind])])];
    // A function may use a name that only its text contains.
    const unknown = names.find((name) => !known.includes(name) && !asked.some((text) => text.includes(name)));
    if (unknown !== undefined)
      throw unknownWord(`${place}.${unknown}: machine ${machine.id} does not use this name`, unknown, known);
  };
  refuse('delays', Object.keys(delays ?? {}), 'delays');
  for (const kind of PROVIDED) refuse(`provide.${kind}`, Object.keys(provide?.[kind] ?? {}), kind);
}

/** The text of every function among the actions of a chart, including the arguments of XState's own actions. */
function functionsOf(machine: AnyStateMachine): readonly string[] {
  const config = configOf(machine);
  const lists = [...rulesOf(config)].map(({ choice }) => choice.actions ?? []);
  for (const [, { entry, exit }] of statesOf(config)) lists.push(entry ?? [], exit ?? []);
  const all = [...lists.flat(), ...Object.values(implementationsOf(machine).actions)];
  return all.flatMap((action) => {
    const { collect, assignment } = fieldsOf(action);
    const parts = typeof assignment === 'object' && assignment !== null ? Object.values(assignment) : [assignment];
    return [action, collect, ...parts].flatMap((one) => (typeof one === 'function' ? [String(one)] : []));
  });
}

/** Throws a `UsageError` for services, children, events and steps whose names do not exist in the machine. */
export function refuseMisnamed(subject: Subject, graph: MachineGraph): void {
  const { tests, original } = subject;
  const reachable = [...reachableMachines(original)];
  const named = new Map<string, Set<unknown>>();
  const name = (key: string, logic: unknown) => named.set(key, (named.get(key) ?? new Set()).add(logic));
  for (const machine of reachable) {
    const { actors, ids } = referencesOf(machine);
    const written = implementationsOf(machine).actors;
    for (const [key, logic] of Object.entries(written)) name(key, logic);
    for (const key of actors) name(key, written[key]);
    for (const [id, src] of ids) name(id, typeof src === 'string' ? written[src] : src);
  }
  for (const [key, logics] of subject.met) for (const logic of logics) name(key, logic);
  for (const option of ['services', 'children'] as const)
    for (const key of Object.keys(tests[option] ?? {}))
      if (!named.has(key))
        throw unknownWord(`${option}.${key}: machine ${original.id} has no actor of this source or id${soFar(graph)}`, key, [
          ...named.keys(),
        ]);
  for (const [key, samples] of Object.entries(tests.children ?? {})) refuseMisnamedEvents(key, samples, named.get(key)!);
  refuseMisnamedSteps(subject, graph);
}

const soFar = ({ isComplete, vertices }: MachineGraph): string =>
  isComplete ? '' : ` in the ${vertices.length} states that were searched, and there are more`;

function refuseMisnamedEvents(child: string, samples: object, logics: ReadonlySet<unknown>): void {
  const machines = [...logics].filter(isMachine);
  if (machines.length === 0)
    throw new UsageError(`children.${child} is not a machine and takes no events. Describe its results in services.${child}.`);
  const unknown = Object.keys(samples).find((type) => !machines.some((machine) => takes(machine, type)));
  if (unknown !== undefined)
    throw unknownWord(
      `children.${child}.${unknown}: machine ${child} has no transition for it`,
      unknown,
      machines.flatMap(typesOf),
    );
}

/**
 * Throws a `UsageError` for external events of the paths without an entry in `exec`: the system under test would not receive them. Timers
 * and services may happen in the system under test by themselves.
 */
function refuseMissingExec({ tests, original }: Subject, steps: readonly MachineStep[]): void {
  const { exec } = tests;
  if (!exec || exec['*']) return;
  const missing = steps.filter(
    (step) =>
      isFromOutside(step) && !exec[describeStep(step)] && !exec[nameOfStep(step)] && !('event' in step && exec[step.event.type]),
  );
  const names = [...new Set(missing.map(nameOfStep))];
  if (names.length === 0) return;
  throw new UsageError(
    `exec has no entry for ${names.join(', ')} of machine ${original.id}, so the system under test would not receive ${names.length === 1 ? 'it' : 'them'}. Add exec[${JSON.stringify(names[0])}], or leave ${names.length === 1 ? 'it' : 'them'} out of the paths with filter; exec['*'] takes all others`,
  );
}

/** A step is meant by its name, by its name with the value, or by the type of its event. */
function refuseMisnamedSteps(subject: Subject, graph: MachineGraph): void {
  const { tests, original } = subject;
  const steps = graph.vertices.flatMap(({ edges }) => [...(edges?.values() ?? [])].map(({ step }) => step));
  const names = new Set(steps.flatMap((step) => [nameOfStep(step), 'event' in step ? step.event.type : nameOfStep(step)]));
  for (const type of typesOf(original)) names.add(type);
  const unknown = Object.keys(tests.exec ?? {}).find(
    (key) => key !== '*' && !names.has(key) && !steps.some((step) => describeStep(step) === key),
  );
  if (unknown !== undefined)
    throw unknownWord(
      `exec[${JSON.stringify(unknown)}]: no step of machine ${original.id} is called so${soFar(graph)}`,
      unknown,
      [...names],
    );
  refuseMissingExec(subject, steps);
}
