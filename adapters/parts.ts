/**
 * A message as the texts that the link layer carries: one text, or several parts that the receiver joins.
 *
 * The first character of a text marks a whole message, a part that others follow, or the last part. Whole messages may come between the
 * parts of another one, but parts of two messages never mix. The link layer keeps the order and loses no text while it is up. When a link
 * goes down, the parts received so far are dropped.
 */
import { readFrame, type Reading } from './transports/reading.js';

const [WHOLE, MORE, LAST] = ['=', '+', '-'];

/** Splits a text into parts of at most `length` characters, without splitting surrogate pairs. */
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

/** Joins the parts of the message that a peer is sending. */
export class Whole {
  private parts: string[] = [];
  private length = 0;

  constructor(private readonly bytesMax: number) {}

  /** Returns a whole message, or after the last part the joined one; `null` otherwise. */
  take(part: string): Reading | null {
    if (part[0] === WHOLE) return readFrame(part.slice(1), this.bytesMax);
    this.length += part.length - 1;
    // Parts of a message that is too long are only counted.
    if (this.length <= this.bytesMax) this.parts.push(part.slice(1));
    if (part[0] === MORE) return null;
    const [text, { length }] = [this.parts.join(''), this];
    [this.parts, this.length] = [[], 0];
    return length > this.bytesMax
      ? { refused: `its ${length} characters are over the limit of ${this.bytesMax} bytes` }
      : readFrame(text, this.bytesMax);
  }
}
