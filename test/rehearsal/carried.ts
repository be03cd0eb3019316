/** The messages of nodes in a failure's trace: which sending each arrival is of, and which never arrived. */
import type { Message, NodeId } from '../../machines/effects.js';
import type { NetworkLine, StepLine } from '../../network/trace.js';
import type { RoleStep } from './role-steps.js';

interface Carrying {
  readonly id: number;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly name: string;
  readonly message: Message;
  /** The how many-th of its connection it is, where channels keep their order. */
  readonly number: number | null;
  readonly clock: Readonly<Record<NodeId, number>>;
}

interface Arrival {
  /** What is known by now not to come. */
  readonly lost: readonly Lost[];
  readonly message?: number;
  readonly clock?: Carrying['clock'];
}

type Lost = Omit<NetworkLine, 'index' | 'at'>;

export class CarriedMessages {
  private under: Carrying[] = [];
  private count = 0;

  launch({ peer, name, sent }: RoleStep, clock: Carrying['clock']): StepLine['sent'] {
    return sent.map(({ to, message, number }) => {
      const id = this.count++;
      // What is sent to who is not there has the number 0.
      if (number !== 0) this.under.push({ id, from: peer, to, name, message, number, clock });
      return { id, to, message, cost: 1 };
    });
  }

  /** On one connection what was sent before has come before, or will not come. */
  arrive({ from, peer, name, number, event }: RoleStep): Arrival {
    if (from === undefined) return { lost: [] };
    const between = this.under.filter((one) => one.from === from && one.to === peer && one.name === name);
    const isIt = (one: Carrying) => (number === undefined ? one.message.type === event.type : one.number === number);
    const it = between.find(isIt);
    if (!it) return { lost: [] };
    const late = between.filter((one) => number !== undefined && one.number !== null && one.number < number);
    this.under = this.under.filter((one) => one !== it && !late.includes(one));
    return { message: it.id, clock: it.clock, lost: late.map((one) => lost(one, 'it did not arrive')) };
  }

  /** A process has ended: nobody takes what is under way to it. */
  end(process: string): readonly Lost[] {
    const gone = this.under.filter(({ to }) => to === process);
    this.under = this.under.filter(({ to }) => to !== process);
    return gone.map((one) => lost(one, 'its receiver has ended'));
  }
}

const lost = ({ id, from, to, message, clock }: Carrying, why: string): Lost => ({
  kind: 'lost',
  between: [from, to],
  message: id,
  event: message,
  why,
  clock,
});
