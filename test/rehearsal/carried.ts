/**
 * Messages in flight in the trace of a failure: matches each arrival with its sending, and finds the messages that never arrived.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import type { NetworkLine, StepLine } from '../../network/trace.js';
import type { RoleStep } from './role-steps.js';

interface InFlight {
  readonly id: number;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly name: string;
  readonly message: Message;
  /** The sequence number on its connection, if the channel keeps its order. */
  readonly number: number | null;
  readonly clock: Readonly<Record<NodeId, number>>;
}

interface Arrival {
  /** Messages that are now known to be lost. */
  readonly lost: readonly Lost[];
  readonly message?: number;
  readonly clock?: InFlight['clock'];
}

type Lost = Omit<NetworkLine, 'index' | 'at'>;

export class CarriedMessages {
  private inFlight: InFlight[] = [];
  private count = 0;

  launch({ peer, name, sent }: RoleStep, clock: InFlight['clock']): StepLine['sent'] {
    return sent.map(({ to, message, number }) => {
      const id = this.count++;
      // The number 0 marks a message to a peer that is not connected.
      if (number !== 0) this.inFlight.push({ id, from: peer, to, name, message, number, clock });
      return { id, to, message, cost: 1 };
    });
  }

  /** Messages sent earlier on the same connection have arrived, or are lost. */
  arrive({ from, peer, name, number, event }: RoleStep): Arrival {
    if (from === undefined) return { lost: [] };
    const between = this.inFlight.filter((one) => one.from === from && one.to === peer && one.name === name);
    const isIt = (one: InFlight) => (number === undefined ? one.message.type === event.type : one.number === number);
    const it = between.find(isIt);
    if (!it) return { lost: [] };
    const late = between.filter((one) => number !== undefined && one.number !== null && one.number < number);
    this.inFlight = this.inFlight.filter((one) => one !== it && !late.includes(one));
    return { message: it.id, clock: it.clock, lost: late.map((one) => lost(one, 'it did not arrive')) };
  }

  /** When a process ends, the messages in flight to it are lost. */
  end(process: string): readonly Lost[] {
    const gone = this.inFlight.filter(({ to }) => to === process);
    this.inFlight = this.inFlight.filter(({ to }) => to !== process);
    return gone.map((one) => lost(one, 'its receiver has ended'));
  }
}

const lost = ({ id, from, to, message, clock }: InFlight, why: string): Lost => ({
  kind: 'lost',
  between: [from, to],
  message: id,
  event: message,
  why,
  clock,
});
