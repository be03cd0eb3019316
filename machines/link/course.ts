/**
 * The expected transition of an end at each event, and the reasons for its messages. This is a second formulation of the rules, which uses
 * only the end before the event and the event. docs/wire-format.md describes the same rules in words.
 */
import { answersSession, hasRoomFor, isDeceived, isOverdue, isProven, remembersLater, suspects, type Frame } from './frames.js';
import type { LinkChartEvent } from './machine.js';
import { isUp, type End } from './view.js';
import type { Incoming } from './ways.js';

/** The reason for a message that no received frame of the connection requires. */
type Why = 'farewell' | 'standing' | 'probe' | 'challenge' | 'news';

/** The result that an event must have: the state of the link's end, and the reasons for the messages that it sends. */
export interface Course {
  readonly value: End['value'];
  readonly description: readonly Why[];
  /** The frame of the connection that is handled in full. With `isFirst` a new connection begins with it. */
  readonly received?: { readonly frame: Incoming<Frame>; readonly isFirst: boolean };
  /** True if the event proves nothing and must not change the end. */
  readonly isNothing?: true;
}

export function courseOf(end: End, event: LinkChartEvent): Course {
  const { value, context } = end;
  if (event.type === 'leave') return { value: 'left', description: value === 'left' ? [] : ['farewell'] };
  if (event.type === 'restart') return { value: 'seeking', description: ['standing'] };
  if (value === 'left') return { value, description: [] };
  switch (event.type) {
    case 'timer':
      if (isUp(end) && suspects(context)) return { value: 'down', description: ['standing'] };
      return { value, description: isUp(end) && isOverdue(context) ? ['standing', 'probe'] : ['standing'] };
    case 'post':
      if (!isUp(end)) return { value, description: [] };
      return hasRoomFor(context, event.body) ? { value, description: ['news'] } : { value: 'down', description: ['standing'] };
    case 'gone':
      return { value, description: isUp(end) ? ['probe'] : [] };
    case 'bye':
      return { value: isUp(end) && isProven(context, event) ? 'down' : value, description: [] };
    case 'frame':
      return courseOfFrame(end, event);
    default:
      return { value, description: [] };
  }
}

function courseOfFrame(end: End, frame: Incoming<Frame>): Course {
  const { value, context } = end;
  const wasUp = isUp(end);
  const isLate = frame.session < context.latest && frame.nonce === context.theirNonce;
  if (isLate || (wasUp && remembersLater(context, frame))) return { value, description: [], isNothing: true };
  // The challenge begins a session above the remembered one.
  if (remembersLater(context, frame)) return { value, description: ['challenge'] };
  const isOfLater = isProven(context, frame) && frame.session > context.latest;
  if (!answersSession(context, frame)) {
    if (wasUp && isOfLater) return { value: 'down', description: ['challenge'] };
    return { value, description: ['challenge'], isNothing: true };
  }
  if (!wasUp || isOfLater) return { value: 'up', description: [], received: { frame, isFirst: true } };
  if (isDeceived(context, frame)) return { value: 'down', description: ['standing'] };
  return { value: 'up', description: [], received: { frame, isFirst: false } };
}
