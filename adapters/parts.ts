/**
 * A message as the texts that the link layer carries: one, or several that are put together again where they arrive.
 *
 * The first character of a text says whether it is a whole message, a part that others follow, or the last one: whole messages may come
 * between the parts of another, and parts of two messages never mix. The link layer keeps the order and loses nothing while it is up; what
 * has come of a message when a link goes down is forgotten with it.
 */
import { readFrame, type Reading } from './transports/reading.js';

const [WHOLE, MORE, LAST] = ['=', '+', '-'];

/** Of so many characters at most; no character is cut in two. */
export function* partsOf(text: string, length: number): Generator<string> {
  if (text.length <= length) return yield WHOLE + text;
  let from = 0;
  while (text.length - from > length) {
    const to = isCut(text, from + length) ? from + length - 1 : from + length;
    yield MORE + text.slice(from, to);
    from = to;
  }
  yield LAST + text.slice(from);
}

const isCut = (text: string, at: number): boolean => /[\uD800-\uDBFF]/.test(text[at - 1]!) && /[\uDC00-\uDFFF]/.test(text[at]!);

export const isPart = (body: unknown): boolean =>
  typeof body === 'string' && (body[0] === WHOLE || body[0] === MORE || body[0] === LAST);

/** What has come of the message that a peer is sending. */
export class Whole {
  private parts: string[] = [];
  private length = 0;

  constructor(private readonly bytesMax: number) {}

  /** A whole message, or that of the parts once the last one is there. */
  take(part: string): Reading | null {
    if (part[0] === WHOLE) return readFrame(part.slice(1), this.bytesMax);
    this.length += part.length - 1;
    // What is too long is not kept, only counted to its end.
    if (this.length <= this.bytesMax) this.parts.push(part.slice(1));
    if (part[0] === MORE) return null;
    const [text, { length }] = [this.parts.join(''), this];
    [this.parts, this.length] = [[], 0];
    return length > this.bytesMax
      ? { refused: `its ${length} characters are over the limit of ${this.bytesMax} bytes` }
      : readFrame(text, this.bytesMax);
  }
}
