/**
 * Messages that can be sent again and again while an obligation stays pending.
 *
 * In a fair cycle, each message in flight is eventually delivered, because its lane can be delivered in every state. The states of the
 * cycle repeat, so that a step between two of them must send the message again. A message that no such step sends, or that is sent only in
 * reply to a message that is not sent again either, is not in flight in any state of the cycle.
 */
import { grown } from './ints.js';
import type { Model } from './model.js';
import type { Planes } from './planes.js';
import { DOUBLE, LINK, type Successors } from './successors.js';

export class Resent {
  /** For each outcome of a local step, the planes that contain both ends of one of its transitions. */
  private outcomes = new Int32Array(1 << 8);
  /** The planes in which messages can also appear without a step. */
  private readonly anyhow: Int32Array;

  constructor(
    private readonly model: Model,
    private readonly planes: Planes,
    /** Planes that contain all states. */
    private readonly everywhere: Int32Array,
  ) {
    this.anyhow = new Int32Array(planes.words);
  }

  /** Records the transitions of a state; `found` contains the ids of its successors. */
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

  /** For each packet, the planes in which it may be sent again and again. */
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

  /** Removes the replies to messages that are not sent again. Returns true if there were any. */
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
