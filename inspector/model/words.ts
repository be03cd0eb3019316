/** A line of a trace as one sentence, the text alternative of every view. */
import { isStep, type NetworkLine, type StepLine, type TraceLine } from '../../network/trace.js';

/** A number as text, rounded so that `0.1 + 0.2` is shown as 0.3. */
export const numberText = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toFixed(2).replace(/\.?0+$/, '');

/** A duration in a live program as text, in a readable unit. */
export function durationText(ms: number): string {
  if (Math.abs(ms) < 1000) return `${numberText(ms)} ms`;
  return ms < 60_000 ? `${numberText(ms / 1000)} s` : `${Math.floor(ms / 60_000)} min ${numberText((ms % 60_000) / 1000)} s`;
}

/** The last part of a name: the id of an actor without its program and its parents. */
export const idOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** XState names an invoked actor without an id by its place and its state. */
const actorId = (id: string): string => (/^\d+\./.test(id) ? id.slice(id.lastIndexOf('.') + 1) : id);

const INTERNAL: Readonly<Record<string, string>> = {
  'xstate.init': 'start',
  'xstate.stop': 'stop',
  'xstate.promise.resolve': 'resolved',
  'xstate.promise.reject': 'rejected',
  'xstate.observable.next': 'next value',
  'xstate.observable.error': 'failed',
  'xstate.observable.complete': 'completed',
};
const OF_ACTOR = { 'done.actor': 'done', 'error.actor': 'failed', snapshot: 'changed' } as const;

/** The type of an event; words for an internal one of XState. `sender` is the name of the actor that sent it. */
export function eventName(type: string, sender?: string): string {
  if (!type.startsWith('xstate.')) return type;
  if (Object.hasOwn(INTERNAL, type)) return INTERNAL[type]!;
  const [, delay, state] = /^xstate\.after\.([^.]+)\.(.+)$/.exec(type) ?? [];
  if (delay !== undefined)
    return `after ${/^\d+$/.test(delay) ? durationText(Number(delay)) : delay} in ${state!.slice(state!.lastIndexOf('.') + 1)}`;
  const [, of, id] = /^xstate\.(done\.actor|error\.actor|snapshot)\.(.+)$/.exec(type) ?? [];
  if (of !== undefined)
    return `${sender === undefined ? actorId(id!) : idOf(sender).replace(/ \(\d+\)$/, '')} ${OF_ACTOR[of as keyof typeof OF_ACTOR]}`;
  const [, done] = /^xstate\.done\.state\.(.+)$/.exec(type) ?? [];
  return done === undefined ? type.slice('xstate.'.length) : `${done.slice(done.lastIndexOf('.') + 1)} done`;
}

export const sentence = (line: TraceLine): string => (isStep(line) ? stepSentence(line) : networkSentence(line));

function stepSentence({ kind, node, event, by, sent, emitted }: StepLine): string {
  const parts = [`${node} ${whatHappened(kind, event)}${by === undefined ? '' : ` by ${by}`}`];
  if (sent.length > 0)
    parts.push(`sent ${sent.map(({ to, message }) => `${eventName(message.type, node)} to ${to}`).join(', ')}`);
  if (emitted.length > 0) parts.push(`announced ${emitted.map(({ type }) => type).join(', ')}`);
  return parts.join('; ');
}

function whatHappened(kind: StepLine['kind'], event: StepLine['event']): string {
  switch (kind) {
    case 'start':
      return event.type === 'stands' ? 'was already running' : event.type === 'start' ? 'started' : event.type;
    case 'deliver':
      return event['from'] === undefined
        ? `received ${eventName(event.type)}`
        : `received ${eventName(event.type, String(event['from']))} from ${String(event['from'])}`;
    case 'timer':
      return event.type.startsWith('xstate.')
        ? `took the transition ${eventName(event.type)}`
        : `timer ${String(event['timer'] ?? event.type)} went off`;
    case 'command':
      return event.type.startsWith('xstate.') ? `took ${eventName(event.type)}` : `was asked to ${event.type}`;
    case 'link':
      return `noticed ${event.type} of ${String(event['peer'] ?? '')}`;
    case 'corrupt':
      return 'was corrupted';
    case 'crash':
      if (event.type === 'failed') return `failed: ${String(event['error'] ?? '')}`;
      return event.type === 'ended' ? 'ended' : event.type === 'gone' ? 'is gone: its program sends no more reports' : 'crashed';
    case 'restart':
      return event.type === 'back' ? 'is back' : 'restarted';
    case 'reload':
      return 'began again with what it had stored';
    case 'note':
      return event.type;
    default:
      return `${String(kind)} ${event.type}`;
  }
}

function networkSentence(line: NetworkLine): string {
  const { kind, between, message, up, why, unshown, event, refutes, verdict, properties = [] } = line;
  const because = why === undefined ? '' : `: ${why}`;
  const pair = between ? `${between[0]} → ${between[1]}` : '';
  switch (kind) {
    case 'lost':
      return `${event?.type ?? `message ${message ?? ''}`} ${pair} was lost${because}`;
    case 'placed':
      return `${event ? eventName(event.type, between?.[0]) : 'a message'} ${pair} was sent${because}`;
    case 'duplicated':
      return `${event?.type ?? `message ${message ?? ''}`} ${pair} was doubled${because}`;
    case 'refused':
      return between ? `${event?.type ?? 'an event'} ${pair} was refused${because}` : (why ?? 'a program was refused');
    case 'channel':
      return `channel ${pair} ${up ? 'came up' : 'went down'}${because}`;
    case 'violated':
      return `violated${refutes?.nodes ? ` for ${refutes.nodes.join(' and ')}` : ''}${because}`;
    case 'endless':
      return `from here on forever${because}`;
    case 'verdict': {
      const refuted = properties.filter(({ holds }) => holds === false).map(({ name }) => name);
      return `verdict: ${verdict ?? 'unknown'}${refuted.length > 0 ? `, for ${refuted.join(', ')} ${refuted.length === 1 ? 'does' : 'do'} not hold` : ''}`;
    }
    case 'skipped':
      return unshown === undefined ? `left out${because}` : `left out: this line cannot be shown, for ${unshown}`;
    default:
      return `${String(kind)} ${pair}${because}`;
  }
}
