/**
 * Which messages can be sent again and again while a promise stays owed.
 *
 * Where a fair run goes round forever, each message in flight is taken from its lane in the end: the lane can be delivered in every
 * state, and so it is. The states come again, and so the message is sent again, by a step between two of them. One that no such step
 * sends, or only in answer to a message that is not sent again either, is in flight in none of those states.
 */
import { grown } from './ints.js';
import type { Model } from './model.js';
import type { Planes } from './planes.js';
import { DOUBLE, LINK, type Successors } from './successors.js';

export class Resent {
  /** For each outcome of a local step the planes among whose states it leads. */
  private outcomes = new Int32Array(1 << 8);
  /** The planes in which messages come from elsewhere as well. */
  private readonly anyhow: Int32Array;

  constructor(
    private readonly model: Model,
    private readonly planes: Planes,
    /** Planes that stand for all states. */
    private readonly everywhere: Int32Array,
  ) {
    this.anyhow = new Int32Array(planes.words);
  }

  /** Takes note of what leads from a state to others; `found` are their numbers. */
  add(state: number, { count, outcomes, seconds, kinds }: Successors, found: Int32Array): void {
    const { words, bits } = this.planes;
    for (let word = 0; word < words; word++) {
      const all = this.everywhere[word]!;
      const here = bits[state * words + word]! | all;
      if (here === 0) continue;
      for (let i = 0; i < count; i++) {
        const both = here & (bits[found[i]! * words + word]! | all);
        if (both === 0) continue;
        if (outcomes[i] !== -1) this.mark(outcomes[i]! * words + word, both);
        else if (kinds[i] === DOUBLE || kinds[i] === LINK) this.anyhow[word]! |= both;
        if (seconds[i] !== -1) this.mark(seconds[i]! * words + word, both);
      }
    }
  }

  private mark(place: number, planes: number): void {
    if (place >= this.outcomes.length) this.outcomes = grown(this.outcomes, place + 1);
    this.outcomes[place]! |= planes;
  }

  /** For each packet the planes in which it may be sent again and again. */
  packets(): Int32Array {
    const { words } = this.planes;
    const { packets, steps } = this.model;
    const outcomes = new Int32Array(steps.next.length * words);
    outcomes.set(this.outcomes.subarray(0, outcomes.length));
    const sent = new Int32Array(packets.interned.size * words);
    do this.send(outcomes, sent);
    while (this.answer(outcomes, sent));
    return sent;
  }

  private send(outcomes: Int32Array, sent: Int32Array): void {
    const { planes, anyhow, model } = this;
    const { words } = planes;
    for (let i = 0; i < sent.length; i++) sent[i] = anyhow[i % words]!;
    model.steps.eachOutcome((outcome, _, outgoing) => {
      for (const outgoingMessage of outgoing)
        for (const packet of model.outgoing.packetsOf(outgoingMessage))
          for (let word = 0; word < words; word++) sent[packet * words + word]! |= outcomes[outcome * words + word]!;
    });
  }

  /** Leaves out the answers to what is not sent; whether there are any. */
  private answer(outcomes: Int32Array, sent: Int32Array): boolean {
    const { words } = this.planes;
    let hasLess = false;
    this.model.steps.eachOutcome((outcome, answered) => {
      if (answered === -1) return;
      for (let word = 0; word < words; word++) {
        const place = outcome * words + word;
        const before = outcomes[place]!;
        outcomes[place]! &= sent[answered * words + word]!;
        if (outcomes[place] !== before) hasLess = true;
      }
    });
    return hasLess;
  }
}
