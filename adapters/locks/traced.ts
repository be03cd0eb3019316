/**
 * Spans of requests for the OpenTelemetry tracing API.
 *
 *     import { trace } from '@opentelemetry/api';
 *     const { request } = traced(locks, trace.getTracer('locks'));
 *
 * A request has a span, and within it one span for each wait and one for each hold. The callback runs in the span of the hold, so spans of the
 * work belong to it. A hold that ends by a loss, and a request that is rejected, have the status of an error.
 */
import { fieldsOf } from '../../machines/checks.js';
import { thrownText } from '../../machines/errors.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { EPOCHS } from '../../machines/locks/messages.js';
import { onAbort } from '../transports/promises.js';
import type { Lock, Locks, LockSet } from './locks.js';

type Names = string | readonly string[];
type Attributes = Record<string, string | number | string[] | number[]>;

/** The part of OpenTelemetry's `Span` that is used. */
interface LocksSpan {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** The part of OpenTelemetry's `Tracer` that is used. */
export interface LocksTracer {
  startSpan(name: string, options: { attributes: Attributes }): LocksSpan;
  startActiveSpan<T>(name: string, options: { attributes: Attributes }, work: (span: LocksSpan) => T): T;
}

/** `request` with the arguments of any of its forms. */
type Request = (this: unknown, names: Names, ...rest: unknown[]) => Promise<unknown>;

/** `SpanStatusCode.ERROR`. */
const ERROR = 2;

/**
 * Adds spans to `locks.request`: `quiver.locks.request`, and within it `quiver.locks.wait` and `quiver.locks.hold`, with the names and fences
 * of the locks and the epoch.
 *
 * @param tracer A tracer of the package `@opentelemetry/api`, of which Quiver imports nothing.
 * @returns `request` of these locks. Other calls have no spans.
 * @example
 * ```ts
 * import { trace } from '@opentelemetry/api';
 * import { createLocks, traced } from 'xstate-quiver/locks';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const { request } = traced(locks, trace.getTracer('locks'));
 * await request('printer', async (lock) => console.log('printing with fence', lock.fence));
 * await locks.close();
 * ```
 * @public
 */
export function traced(locks: Pick<Locks, 'request' | 'node'>, tracer: LocksTracer): Pick<Locks, 'request'> {
  const ask = locks.request as Request;
  const request: Request = (names, ...rest) => {
    const callback = rest.pop();
    const { id, name } = locks.node;
    const attributes = {
      'quiver.peer': id,
      'quiver.locks.name': name,
      'quiver.lock.name': Array.isArray(names) ? [...names] : String(names),
    };
    return tracer.startActiveSpan('quiver.locks.request', { attributes }, async (span) => {
      const spans = new RequestSpans(tracer, attributes, fieldsOf(rest[0])['retry'] === true);
      const work =
        typeof callback === 'function'
          ? (held: Lock | LockSet | null) => spans.hold(held, epochAt(locks.node), () => callback(held))
          : callback;
      try {
        return await ask.call(locks, names, ...rest, work);
      } catch (error) {
        span.setStatus({ code: ERROR, message: thrownText(error) });
        throw error;
      } finally {
        spans.end();
        span.end();
      }
    });
  };
  return { request } as Pick<Locks, 'request'>;
}

/** The waits and holds of a request, of which there are several if it is repeated. */
class RequestSpans {
  private wait: LocksSpan | null;
  private isOver = false;

  constructor(
    private readonly tracer: LocksTracer,
    private readonly attributes: Attributes,
    private readonly isRepeated: boolean,
  ) {
    this.wait = this.begin();
  }

  async hold(held: Lock | LockSet | null, epoch: number, work: () => unknown): Promise<unknown> {
    this.waited(held ? 'granted' : 'unavailable');
    if (!held) return work();
    const fence = 'fences' in held ? [...held.fences] : held.fence;
    const attributes = { ...this.attributes, 'quiver.lock.fence': fence, 'quiver.locks.epoch': epoch };
    const done = this.tracer.startActiveSpan('quiver.locks.hold', { attributes }, async (span) => {
      const forget = onAbort(held.signal, () => {
        span.setStatus({ code: ERROR, message: thrownText(held.signal.reason) });
        end(span, 'lost');
      });
      try {
        return await work();
      } finally {
        forget();
        if (!held.signal.aborted) end(span, 'released');
      }
    });
    try {
      return await done;
    } finally {
      const waitsAgain = this.isRepeated && held.signal.aborted && held.signal.reason.isRetryable;
      if (waitsAgain && !this.isOver) this.wait = this.begin();
    }
  }

  end(): void {
    this.isOver = true;
    this.waited('abandoned');
  }

  private begin(): LocksSpan {
    return this.tracer.startSpan('quiver.locks.wait', { attributes: this.attributes });
  }

  private waited(outcome: string): void {
    if (this.wait) end(this.wait, outcome);
    this.wait = null;
  }
}

function end(span: LocksSpan, outcome: string): void {
  span.setAttributes({ 'quiver.locks.outcome': outcome });
  span.end();
}

/** The last epoch that the peer has served. `locks.status()` would copy the list of all locks. */
const epochAt = (node: Locks['node']): number => (node.role(EPOCHS)?.context as Partial<EpochsContext>)?.served?.epoch ?? 0;
