/** A line of a trace as one sentence: the text alternative of every view is made of these. */
import { isStep, type NetworkLine, type StepLine, type TraceLine } from '../../network/trace.js';

/** `0.1 + 0.2` and the like come out of latency models. */
export const numberText = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toFixed(2).replace(/\.?0+$/, '');

export const sentence = (line: TraceLine): string => (isStep(line) ? stepSentence(line) : networkSentence(line));

function stepSentence({ kind, node, event, sent, emitted }: StepLine): string {
  const parts = [`${node} ${whatHappened(kind, event)}`];
  if (sent.length > 0) parts.push(`sent ${sent.map(({ to, message }) => `${message.type} to ${to}`).join(', ')}`);
  if (emitted.length > 0) parts.push(`announced ${emitted.map(({ type }) => type).join(', ')}`);
  return parts.join('; ');
}

function whatHappened(kind: StepLine['kind'], event: StepLine['event']): string {
  switch (kind) {
    case 'start':
      return event.type === 'stands' ? 'stands so' : 'started';
    case 'deliver':
      return `received ${event.type}${event['from'] === undefined ? '' : ` from ${String(event['from'])}`}`;
    case 'timer':
      return `timer ${String(event['timer'] ?? event.type)} went off`;
    case 'command':
      return `was asked to ${event.type}`;
    case 'link':
      return `noticed ${event.type} of ${String(event['peer'] ?? '')}`;
    case 'corrupt':
      return 'was corrupted';
    case 'crash':
      if (event.type === 'failed') return `failed: ${String(event['error'] ?? '')}`;
      return event.type === 'ended' ? 'ended' : event.type === 'gone' ? 'is gone: its program is heard of no more' : 'crashed';
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
      return `${event?.type ?? 'a message'} ${pair} was put on its way${because}`;
    case 'duplicated':
      return `${event?.type ?? `message ${message ?? ''}`} ${pair} was doubled${because}`;
    case 'refused':
      return between ? `${event?.type ?? 'an event'} ${pair} was refused${because}` : (why ?? 'a program was refused');
    case 'channel':
      return `channel ${pair} ${up ? 'came up' : 'went down'}${because}`;
    case 'violated':
      return `violated${refutes?.nodes ? ` for ${refutes.nodes.join(' and ')}` : ''}${because}`;
    case 'endless':
      return `from here on for ever${because}`;
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
