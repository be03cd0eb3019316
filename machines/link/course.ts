/**
 * Where an end goes at each event and why it says something: a second reading of the rules, from the end before the event and the event
 * alone. The table "When a word is said" of docs/wire-format.md is the same in words.
 */
import { answersSession, hasRoomFor, isDeceived, isProven, remembersLater, suspects, type Frame } from './frames.js';
import type { LinkChartEvent } from './machine.js';
import { isUp, type End } from './view.js';
import type { Heard } from './ways.js';

/** Why a word is said, besides what a frame that is heard calls for. */
type Why = 'farewell' | 'standing' | 'challenge' | 'news';

/** What the rules make of an event. */
export interface Course {
  readonly value: End['value'];
  readonly description: readonly Why[];
  /** A frame of the connection, all of which is heard; a new connection may begin with it. */
  readonly heard?: { readonly frame: Heard<Frame>; readonly isFirst: boolean };
  /** It proves nothing, and changes nothing. */
  readonly isNothing?: true;
}

export function courseOf(end: End, event: LinkChartEvent): Course {
  const { value, context } = end;
  if (event.type === 'leave') return { value: 'left', description: value === 'left' ? [] : ['farewell'] };
  if (event.type === 'restart') return { value: 'seeking', description: ['standing'] };
  if (value === 'left') return { value, description: [] };
  switch (event.type) {
    case 'timer':
      return { value: isUp(end) && suspects(context) ? 'down' : value, description: ['standing'] };
    case 'post':
      if (!isUp(end)) return { value, description: [] };
      return hasRoomFor(context, event.body) ? { value, description: ['news'] } : { value: 'down', description: ['standing'] };
    case 'gone':
      return { value, description: isUp(end) ? ['standing'] : [] };
    case 'bye':
      return { value: isUp(end) && isProven(context, event) ? 'down' : value, description: [] };
    case 'frame':
      return courseOfFrame(end, event);
    default:
      return { value, description: [] };
  }
}

function courseOfFrame(end: End, frame: Heard<Frame>): Course {
  const { value, context } = end;
  const wasUp = isUp(end);
  const isLate = frame.session < context.latest && frame.nonce === context.theirNonce;
  if (isLate || (wasUp && remembersLater(context, frame))) return { value, description: [], isNothing: true };
  // It begins a session that outdoes the one that is remembered.
  if (remembersLater(context, frame)) return { value, description: ['challenge'] };
  const isOfLater = isProven(context, frame) && frame.session > context.latest;
  if (!answersSession(context, frame)) {
    if (wasUp && isOfLater) return { value: 'down', description: ['challenge'] };
    return { value, description: ['challenge'], isNothing: true };
  }
  if (!wasUp || isOfLater) return { value: 'up', description: [], heard: { frame, isFirst: true } };
  if (isDeceived(context, frame)) return { value: 'down', description: ['standing'] };
  return { value: 'up', description: [], heard: { frame, isFirst: false } };
}
