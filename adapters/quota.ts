/** A budget of permits that many peers share. A tree of reliable peers manages it, or a majority of peers that may crash. */
import { isObject } from '../machines/checks.js';
import { Quota, type QuotaOptions } from './controller/quota.js';
import { LastingQuota, type LastingQuotaOptions } from './locks/lasting-quota.js';
import { objectLogic, whenReady, type Failed, type FromActor, type ObjectLogic } from './object-logic.js';

export type { Quota, QuotaOptions, Taken } from './controller/quota.js';
export type { LastingQuota, LastingQuotaOptions } from './locks/lasting-quota.js';

/**
 * A budget of permits that many peers share: the number of granted permits never exceeds the budget.
 *
 * If `transport` and `peers` are given, a tree of the peers keeps it and grants most permits without a message, as long as the peers stay.
 * If `locks` is given, a majority of their peers keeps it, and it survives crashes.
 *
 * @throws UsageError for an option that is missing, wrong or unknown, and when the transport's id is not among `peers` or `parents` has no root.
 * @example
 * ```ts
 * import { createLocks } from 'xstate-quiver/locks';
 * import { createQuota } from 'xstate-quiver/quota';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const bus = new InProcessBus();
 * const [a, b] = ['a', 'b'].map((id) => createQuota({ transport: bus.transport(id), peers: ['a', 'b'], budget: 100 }));
 * const { ok, remaining } = await b.take(5);
 * console.log(ok, remaining); // true, and what b can give next without a message
 *
 * const locks = createLocks({ transport: bus.transport('c'), peers: ['c'] });
 * const lasting = createQuota({ locks, budget: 10 });
 * console.log(await lasting.take(7), await lasting.take(7)); // { ok: true, … } { ok: false, … }
 * await Promise.all([a.close(), b.close(), locks.close()]);
 * ```
 * @public
 */
export function createQuota(options: LastingQuotaOptions): LastingQuota;
export function createQuota(options: QuotaOptions): Quota;
export function createQuota(options: QuotaOptions | LastingQuotaOptions): Quota | LastingQuota {
  return isObject(options) && 'locks' in options
    ? new LastingQuota(options as LastingQuotaOptions)
    : new Quota(options as QuotaOptions);
}

/**
 * Events of `quotaLogic`. `take` takes `amount` permits, one by default.
 *
 * @public
 */
export interface QuotaEvent {
  readonly type: 'take';
  /** Number of permits. @defaultValue 1 */
  readonly amount?: number;
}

/**
 * The notices of `quotaLogic`: `ready` at the start, `granted` or `rejected` for each `take`, `failed` for a take without an answer.
 * `remaining` is what this peer can give next without a message.
 *
 * @public
 */
export type QuotaNotice =
  | (FromActor & { readonly type: 'ready'; readonly remaining: number })
  | (FromActor & { readonly type: 'granted' | 'rejected'; readonly amount: number; readonly remaining: number })
  | Failed<QuotaEvent>;

interface QuotaState {
  readonly remaining: number;
}

/**
 * A quota as actor logic: send it `take`, and receive `granted` or `rejected`, in the order of the takes. The snapshot has `remaining`.
 * Stopping the actor leaves the quota open; permits that are granted after that are spent.
 *
 * @example
 * ```ts
 * import { createActor } from 'xstate';
 * import { createQuota, quotaLogic } from 'xstate-quiver/quota';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const quota = createQuota({ transport: new InProcessBus().transport('a'), peers: ['a'], budget: 3 });
 * const permits = createActor(quotaLogic, { input: { quota } });
 * permits.on('granted', async ({ amount, remaining }) => {
 *   console.log(amount, remaining); // 2 1
 *   permits.stop();
 *   await quota.close();
 * });
 * permits.start().send({ type: 'take', amount: 2 });
 * ```
 * @public
 */
export const quotaLogic: ObjectLogic<'quota', Quota | LastingQuota, QuotaState, QuotaEvent, QuotaNotice> = objectLogic({
  key: 'quota',
  method: 'take',
  initial: { remaining: 0 },
  attach(quota, report) {
    whenReady('ready' in quota ? quota : {}, () =>
      report({ remaining: quota.remaining }, { type: 'ready', remaining: quota.remaining }),
    );
    return {
      async take({ amount = 1 }) {
        const { ok, remaining } = await quota.take(amount);
        report({ remaining }, { type: ok ? 'granted' : 'rejected', amount, remaining });
      },
    };
  },
  closed: (quota) => ('node' in quota ? quota.node.closed : quota.closed),
});
