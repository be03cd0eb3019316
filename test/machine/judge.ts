/**
 * The rules that generated tests check in every state of a machine, such as the user's invariants and that no promise is rejected.
 *
 * An actor is lost if it runs and the machine cannot reach it. It is no longer a child of its parent, or no longer in the context that once
 * referred to it, and no action names it by its id.
 */
import type { AnyMachineSnapshot, AnyActor, AnyStateMachine } from 'xstate';
import { ROUTE, configOf, rulesOf, statesOf } from '../charts/config.js';
import type { Rejected } from './action-promises.js';
import { encode } from './encode.js';
import { actorsBelow, baseName, timersOf } from './names.js';
import type { MachineTests, MachineStep } from './options.js';
import type { Rig } from './rig.js';
import { MICROSTEPS_MAX } from './subject.js';
import { implementationsOf, nameOfAction } from './references.js';
import { parentOf } from '../../network/world/internals.js';
import { isRunning, kindOfLogic } from './stage.js';
import { thrownText } from '../../machines/errors.js';
import { fieldsOf } from '../../machines/checks.js';

export interface BrokenRule {
  readonly rule: string;
  readonly description: string;
}

/** The rules that the machine breaks in its present state. After an error, no further rule is checked. */
export function* brokenRules(rig: Rig): Generator<BrokenRule> {
  if (rig.mutated) yield { rule: 'the context is changed only by assign', description: describesMutant(rig.mutated) };
  if (rig.error !== null) return yield unhandled(rig, rig.error.thrown);
  if (rig.promises.rejected) yield rejection(rig.promises.rejected);
  for (const [name, holds] of Object.entries(rig.subject.tests.invariants ?? {})) {
    const description = rig.ask('invariants', () => complaint(holds, rig.snapshot));
    if (description !== null) yield { rule: name, description };
  }
  for (const broken of [hasty(rig), lost(rig)]) if (broken) yield broken;
}

export const describesMutant = ({ before, after }: NonNullable<Rig['mutated']>): string =>
  `the context ${before} was mutated into ${after}, which also changes it for other paths and for your view. ` +
  'Return new values from assign ([...list, one] instead of push), and do not change the context in actions and guards';

const rejection = ({ action, thrown }: Rejected): BrokenRule => ({
  rule: `no unhandled error (${encode(thrown, () => undefined)})`,
  description: `the promise of action ${action} was rejected, and XState does not wait for it. Catch the error in the action, or make it a service with onError`,
});

function hasty(rig: Rig): BrokenRule | null {
  const found = timersOf(rig.timers, actorsBelow(rig.root)).find(([timer]) => timer.asked !== undefined);
  if (!found) return null;
  const [{ asked }, name] = found;
  return {
    rule: 'every delay can be kept',
    description: `${name} has a delay of ${asked} ms; a timer takes at most 2147483647 and fires immediately for any other value. Use a shorter delay, or no timer if it should never fire`,
  };
}

export const LEFT = 'no actor left running';

export function lost(rig: Rig): BrokenRule | null {
  const [first] = lostActors(rig);
  return first === undefined ? null : { rule: LEFT, description: `${first} still runs, and nothing of the machine refers to it` };
}

function unhandled(rig: Rig, thrown: unknown): BrokenRule {
  const what = encode(thrown, () => undefined);
  const cure =
    endlessCure(rig, what) ??
    lackingCure(what) ??
    assertedCure(what) ??
    emptyOutput(rig) ??
    (rig.last ? sampleNeeded(rig, rig.last) : inputNeeded(rig.subject.tests)) ??
    'Handle it in the chart (onError of the service, a guard), or leave the sample out that leads to it';
  return { rule: `no unhandled error (${what})`, description: `the machine ended. ${cure}` };
}

/** XState names neither the option that raises the limit nor that the tests have set it. */
function endlessCure({ subject }: Rig, what: string): string | undefined {
  if (!what.includes('Infinite loop detected')) return undefined;
  const own = subject.original.config.options?.maxIterations;
  const whose =
    own === undefined
      ? `The tests stop at ${MICROSTEPS_MAX}; XState itself has no limit, and would go on`
      : `The machine's own limit is ${own}`;
  return `${whose}. Let the loop of "always" or raised events end; if it does end, raise the limit in the machine: options: { maxIterations: ${10 * (own ?? MICROSTEPS_MAX)} }`;
}

function lackingCure(what: string): string | undefined {
  if (!what.includes('not implemented')) return undefined;
  return `Give it by provide: { ${/Actor logic .* not implemented/.test(what) ? 'actors' : 'guards'}: { … } }`;
}

/** `assertEvent` of XState. */
const assertedCure = (what: string): string | undefined =>
  /Expected event .* to have type matching/.test(what)
    ? 'An action asserts other events (assertEvent) than those that lead to it. Add this one to the assertion, or perform the action only for its own events'
    : undefined;

/** A child machine that has just ended gave none, which may be what the machine broke at. */
function emptyOutput({ latest, made, subject }: Rig): string | undefined {
  const { type, output } = fieldsOf(latest);
  const child = made.find(({ id }) => type === `xstate.done.actor.${id}`);
  const { machine } = (child?.getSnapshot() ?? {}) as Partial<AnyMachineSnapshot>;
  if (!child || !machine || output !== undefined) return undefined;
  const chart = subject.chartName(machine) ?? machine.id;
  const hasOutput = Object.values(machine.root.states).some((one) => one.type === 'final' && one.output !== undefined);
  const why = hasOutput ? ', and the output of its final state does not reach it' : '';
  return `${baseName(child)}, an actor of machine ${chart}, ended without output: the machine has none${why}. Give the machine one, output: ({ event }) => event.output, or let onDone do without`;
}

const inputNeeded = ({ input, starts }: MachineTests): string | undefined =>
  input === undefined && starts === undefined ? 'It was started without input: if it needs one, pass input' : undefined;

/** The sample that a bare step may have lacked. */
function sampleNeeded({ subject, isBare }: Rig, step: MachineStep): string | undefined {
  if (
    'event' in step &&
    !('to' in step) &&
    !('sends' in step) &&
    step.event.type !== ROUTE &&
    !subject.tests.events?.[step.event.type]
  )
    return `${step.event.type} was sent without a payload. If it needs one, add samples to events[${JSON.stringify(step.event.type)}]`;
  if (!('done' in step) || !isBare) return undefined;
  const name = step.done.replace(/^.*\//, '').replace(/#\d+$/, '');
  return `${step.done} resolved with undefined. If it has a result, add samples to services[${JSON.stringify(name)}].done`;
}

function complaint(holds: (snapshot: AnyMachineSnapshot) => boolean | void, snapshot: AnyMachineSnapshot): string | null {
  const { value } = snapshot;
  try {
    const description: unknown = holds(snapshot);
    if (description instanceof Promise) {
      description.catch(() => {});
      return 'returns a promise. It must return true or false synchronously';
    }
    // One that returns nothing contains assertions.
    return description !== undefined && !description ? `does not hold in ${JSON.stringify(value)}` : null;
  } catch (error) {
    return `does not hold in ${JSON.stringify(value)}: ${thrownText(error)}`;
  }
}

/** The names of the actors that are lost where the machine stands. */
function lostActors({ root, snapshot, made, referred }: Rig): readonly string[] {
  const names = actorsBelow(root);
  const now = new Set<unknown>();
  encode(snapshot.context, (value) => (names.has(value as AnyActor) ? String(now.add(value).size) : undefined));
  for (const actor of now) referred.add(actor as AnyActor);
  const isDropped = (actor: AnyActor) => referred.has(actor) && !now.has(actor) && !canReach(actor);
  return made
    .filter((actor) => isRunning(actor) && (!names.has(actor) || isDropped(actor)))
    .map((actor) => names.get(actor) ?? baseName(actor));
}

/** True if its parent names an actor by its id: to stop it, to send it an event, or to take its end. */
function canReach(actor: AnyActor): boolean {
  const parent = parentOf(actor);
  const machine: AnyStateMachine | undefined = parent?.getSnapshot()?.machine;
  if (!parent || !machine) return false;
  const ends = ['done.actor', 'error.actor', 'snapshot'].map((what) => `xstate.${what}.${actor.id}`);
  if (ends.some((type) => machine.events.includes(type))) return true;
  const kind = kindOfLogic(actor.logic);
  // Promises and observables take no events, so that sending them one ends nothing.
  const listens = kind === 'machine' || kind === 'callback';
  return actionsOf(machine).some((action) => {
    const { type, actorRef, to } = fieldsOf(action);
    if (type === 'xstate.stopChild') return names(actorRef, actor, parent);
    if (type === 'xstate.sendTo') return listens && names(to, actor, parent);
    const text = textOf(action);
    return text !== undefined && mentions(text, actor.id);
  });
}

/** The actions of a chart: inline ones, the implementations of named ones, and those that its functions name. */
function actionsOf(machine: AnyStateMachine): readonly unknown[] {
  const config = configOf(machine);
  const written = implementationsOf(machine).actions;
  const lists = [...rulesOf(config)].map(({ choice }) => choice.actions ?? []);
  for (const [, { entry, exit }] of statesOf(config)) lists.push(entry ?? [], exit ?? []);
  const used = lists.flat().map((action) => written[nameOfAction(action) ?? ''] ?? action);
  const texts = used.flatMap((action) => textOf(action) ?? []);
  const named = Object.keys(written).filter((name) => texts.some((text) => isQuoted(text, name)));
  return [...used, ...named.map((name) => written[name])];
}

/** The text of an action that is a function of the application. */
function textOf(action: unknown): string | undefined {
  const { type, collect } = fieldsOf(action);
  const does = collect ?? (String(type).startsWith('xstate.') ? undefined : action);
  return typeof does === 'function' ? Function.prototype.toString.call(does) : undefined;
}

const isQuoted = (text: string, name: string): boolean => ["'", '"', '`'].some((mark) => text.includes(mark + name + mark));

/** True if the target of an action is this actor, as far as it is known before the event. */
function names(target: unknown, actor: AnyActor, parent: AnyActor): boolean {
  if (typeof target !== 'function') return target === actor.id || target === actor;
  const { context }: AnyMachineSnapshot = parent.getSnapshot();
  const text = Function.prototype.toString.call(target);
  if (/\bevent\b/.test(text))
    return !/\bcontext\b/.test(text) || encode(context, () => undefined).includes(JSON.stringify(actor.id));
  try {
    const found: unknown = target({ context, event: { type: '' }, self: parent, system: parent.system });
    return found === actor || found === actor.id;
  } catch {
    return false;
  }
}

/** True if a text stops an actor of this id, sends to it or removes it from `children`. */
function mentions(text: string, id: string): boolean {
  const plain = id.replaceAll(/[.+?^${}()|[\]\\*]/g, String.raw`\$&`);
  const quoted = `(['"\`])${plain}\\1`;
  return new RegExp(
    `(?:stopChild|sendTo|forwardTo|get)\\(\\s*${quoted}|children(?:\\.${plain}\\b|\\[${quoted.replace('1', '2')}])`,
  ).test(text);
}
