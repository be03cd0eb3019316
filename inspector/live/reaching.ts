/**
 * Passes gestures of the page to the programs of the live nodes.
 *
 * Only programs that accept gestures listen here. A program receives one request at a time and answers it, and the page waits for the
 * answer. When the last page closes, all programs end their gestures. A program that loses its inspector ends them by itself.
 */
import { fieldsOf, isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import { shownValue } from '../../network/scenario/read.js';
import { HOW_TO_ALLOW, type Offer } from '../offers.js';
import { programKey, type Inbox, type Program } from './inbox.js';
import type { Merger } from './merge.js';
import type { ReachAnswer, ReachAsk, Reached } from './reached.js';

/** A request to a program: to perform a gesture or, with `letGo`, to end all gestures in effect. */
export type ReachOrder = ReachAsk | { readonly letGo: true };
type SendOrder = (request: ReachOrder) => void;

const PATIENCE_MS = 3000;

export class Reaching {
  private readonly programs = new Map<string, SendOrder>();
  private readonly asked = new Map<number, (answer: ReachAnswer) => void>();
  private count = 0;
  private pages = 0;

  constructor(
    private readonly merger: Pick<Merger, 'inFlight'>,
    private readonly inbox: Pick<Inbox, 'ownerOf'>,
  ) {}

  /** Registers a program until the returned function is called. */
  listen(program: Program, send: SendOrder): () => void {
    const key = programKey(program);
    this.programs.set(key, send);
    return () => void (this.programs.get(key) === send && this.programs.delete(key));
  }

  /** Registers the program of this process. */
  listenHere(program: Program, reached: Reached): () => void {
    return this.listen(program, (request) => ('letGo' in request ? reached.letGo() : this.answered(reached.answer(request))));
  }

  answered(answer: unknown): void {
    const { id } = fieldsOf(answer);
    if (typeof id !== 'number') throw new UsageError('The reply to a gesture must contain "id", the number of the request.');
    this.asked.get(id)?.(answer as ReachAnswer);
  }

  /** The gestures that are possible on a node, or `null` if its program does not accept any. */
  async offer(node: unknown): Promise<Offer | null> {
    return (await this.ask(String(node), {}))?.offer ?? null;
  }

  /** Performs a gesture. Rejects with a `UsageError` if it was not performed. */
  async do(gesture: unknown): Promise<Offer | null> {
    if (!isObject(gesture))
      throw new UsageError(`A gesture must be an object, as in { "do": "pause", "node": "a" }, but is ${shownValue(gesture)}.`);
    const { to, of } = this.aimOf(gesture);
    const answer = await this.ask(to, { gesture, ...(of && { of }) });
    if (!answer) throw new UsageError(`The program of "${to}" does not accept gestures. ${HOW_TO_ALLOW}`);
    if (answer.problem !== undefined) throw new UsageError(answer.problem);
    return answer.offer;
  }

  pageCame(): void {
    this.pages++;
  }

  pageWent(): void {
    if (--this.pages === 0) this.letGo();
  }

  letGo(): void {
    for (const send of this.programs.values()) send({ letGo: true });
  }

  /** The program and the message that a gesture concerns. */
  private aimOf({ node, channel, message }: Readonly<Record<string, unknown>>): {
    readonly to: string;
    readonly of?: ReachAsk['of'];
  } {
    if (typeof node === 'string') return { to: node };
    if (Array.isArray(channel) && typeof channel[1] === 'string') return { to: channel[1] };
    const flight = this.merger.inFlight.find(({ id }) => id === message);
    if (!flight)
      throw new UsageError(
        message === undefined
          ? 'A gesture must name its target: "node", "channel" as [from, to], or "message" by its number.'
          : `Message ${String(message)} is not in flight: it has arrived or is lost. Choose a message that is in flight.`,
      );
    const { from, to, number, message: content } = flight;
    return { to, of: { from, number, message: content } };
  }

  private async ask(node: string, what: Pick<ReachAsk, 'gesture' | 'of'>): Promise<ReachAnswer | null> {
    const owner = this.inbox.ownerOf(node);
    const send = owner && this.programs.get(owner.key);
    if (!send) return null;
    const id = this.count++;
    try {
      return await new Promise<ReachAnswer>((resolve, reject) => {
        const late = () =>
          reject(new UsageError(`The program of "${node}" does not respond. Check that it is running, and try again.`));
        const timer = setTimeout(late, PATIENCE_MS);
        this.asked.set(id, (answer) => {
          clearTimeout(timer);
          resolve(answer);
        });
        send({ id, node: owner.local, ...what });
      });
    } finally {
      this.asked.delete(id);
    }
  }
}
