/** Following one message through the nodes that pass it on, or one kind of message from holder to holder, as a token goes. */
import type { MessageRow } from './messages.js';
import type { ReadTrace } from './recording.js';

/**
 * How to follow a message. `forwarded`: messages that the receiving step sends on. `token`: the next message of the same type that the
 * receiver sends.
 */
export type Trail = 'forwarded' | 'token';

const HOPS_MAX = 10_000;

/** The message's way, oldest hop first, the given message among them. */
export function follow(recording: ReadTrace, ordinal: number, trail: Trail): MessageRow[] {
  const start = recording.messages.get(ordinal);
  const way = [start];
  for (let hop = onward(recording, start, trail); hop && way.length < HOPS_MAX; hop = onward(recording, hop, trail))
    way.push(hop);
  for (let hop = backward(recording, start, trail); hop && way.length < HOPS_MAX; hop = backward(recording, hop, trail))
    way.unshift(hop);
  return way;
}

function onward(recording: ReadTrace, { ended, ending, to, type }: MessageRow, trail: Trail): MessageRow | null {
  if (ending !== 'delivered') return null;
  const steps = recording.steps[to] ?? [];
  const from = steps.indexOf(ended);
  for (const line of from < 0 ? [] : steps.slice(from, trail === 'token' ? undefined : from + 1)) {
    const sent = sentBy(recording, line, type);
    if (sent) return sent;
  }
  return null;
}

function backward(recording: ReadTrace, { sent, from, type }: MessageRow, trail: Trail): MessageRow | null {
  const steps = recording.steps[from] ?? [];
  for (let place = steps.indexOf(sent); place >= 0; place--) {
    const ordinal = recording.messageOf(steps[place]!);
    if (ordinal >= 0 && recording.messages.get(ordinal).type === type) return recording.messages.get(ordinal);
    if (trail === 'forwarded') return null;
  }
  return null;
}

function sentBy(recording: ReadTrace, line: number, type: string): MessageRow | null {
  const { messages } = recording;
  for (let ordinal = messages.firstSentFrom(line); ordinal < messages.firstSentFrom(line + 1); ordinal++) {
    const sent = messages.get(ordinal);
    if (sent.type === type) return sent;
  }
  return null;
}
