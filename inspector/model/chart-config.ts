/** One state's config, as XState reads it: its transitions with the descriptors of their events, and its actions and actors by name. */
import { invokeName } from '../../network/chart-definition.js';
import type { ChartTransition } from './chart.js';
import { isObject } from '../../machines/checks.js';

export type ConfigPart = Readonly<Record<string, unknown>>;

type Found = Omit<ChartTransition, 'source' | 'targets'> & { readonly target: unknown };

export const asRecord = (value: unknown): ConfigPart => (isObject(value) ? value : {});
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
/** `null` counts as nothing where a list of things is given. */
export const givenList = (value: unknown): readonly unknown[] => asList(value ?? undefined);

/** The readable name of an action, guard or actor, with the name of the function that computes its parameters. */
export function wordOf(value: unknown, place: string): string {
  // A function without its own name has the name of its place in the config.
  if (typeof value === 'string') return value === '' || value === place ? 'inline' : value;
  const { type, params } = asRecord(value);
  if (typeof type !== 'string') return '?';
  const name = type === '' || type === place ? 'inline' : type;
  // The parameter `event` is left out: every action may read the event.
  return typeof params === 'string' && params !== 'event' ? `${name} ${params}` : name;
}

/** The actor that a state invokes: its id, and what it runs. */
export function sourceOf({ id, src }: ConfigPart, stateId: string, index: number): { id: string; source: string } {
  const actorId = typeof id === 'string' ? id : `${index}.${stateId}`;
  return { id: actorId, source: typeof src === 'string' && src !== '' && src !== 'src' ? src : 'inline' };
}

/** Milliseconds in the largest unit that keeps them short; a delay with a name has its name. */
function delayText(delay: string): string {
  const ms = Number(delay);
  if (Number.isNaN(ms)) return delay;
  if (ms >= 60_000 && ms % 6_000 === 0) return `${ms / 60_000} min`;
  return ms >= 1_000 && ms % 100 === 0 ? `${ms / 1_000} s` : `${ms} ms`;
}

interface Event {
  readonly event: string;
  readonly label: string;
  readonly counted: string;
  readonly choices: unknown;
}

/** In the order in which XState lists them. If two have the same event, the later one is used. */
export function transitionsOf(config: ConfigPart, stateId: string, routes: readonly ConfigPart[]): readonly Found[] {
  const events = new Map<string, Event>();
  const add = (event: string, label: string, choices: unknown, counted = label) => {
    if (choices !== undefined && choices !== null) events.set(event, { event, label, counted, choices });
  };
  const invokes = givenList(config['invoke']).map(asRecord) as never as Parameters<typeof invokeName>[0];
  for (const [event, choices] of Object.entries(asRecord(config['on']))) add(event, event, choices);
  add(`xstate.done.state.${stateId}`, 'done', config['onDone']);
  for (const [i, raw] of givenList(config['invoke']).entries()) {
    const invoke = asRecord(raw);
    const { id, source } = sourceOf(invoke, stateId, i);
    const name = typeof invoke['id'] === 'string' ? invoke['id'] : source;
    const counted = invokeName(invokes, i);
    add(`xstate.done.actor.${id}`, `${name} done`, invoke['onDone'], `${counted} done`);
    add(`xstate.error.actor.${id}`, `${name} failed`, invoke['onError'], `${counted} error`);
    add(`xstate.snapshot.${id}`, `${name} snapshot`, invoke['onSnapshot'], `${counted} snapshot`);
  }
  for (const [delay, choices] of Object.entries(asRecord(config['after'])))
    add(`xstate.after.${delay}.${stateId}`, `after ${delayText(delay)}`, choices, `after ${delay}`);
  if (routes.length > 0) add('xstate.route', 'route', routes);
  add('', 'always', config['always']);
  return [...events.values()].flatMap(choicesOf);
}

function choicesOf({ event, label, counted, choices }: Event): Found[] {
  return asList(choices).map((raw, index) => {
    const choice = asRecord(typeof raw === 'string' ? { target: raw } : raw);
    const { guard, actions, reenter, description, target } = choice;
    const isRoute = event === 'xstate.route' && label === 'route';
    const place = index === 0 ? '' : ` #${index + 1}`;
    return {
      event,
      label,
      counted: isRoute ? `${event} ${String(target)}` : `${counted}${place}`,
      index,
      guard: guard === undefined ? null : wordOf(guard, 'guard'),
      actions: givenList(actions).map((action) => wordOf(action, 'actions')),
      reenter: reenter === true,
      description: typeof description === 'string' ? description : null,
      target,
    };
  });
}
