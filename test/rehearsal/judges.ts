/**
 * Judges: checks of a run that receive its events. Each one checks a promise of the locks, or of the application.
 *
 * A judge begins with every run. Its result for an event, or at the end, is a description of what is wrong. The first violation ends the run.
 */
import { UsageError } from '../../machines/errors.js';
import type { LockMode } from '../../machines/locks/messages.js';
import { Calm, type CalmSetting } from './calm.js';
import type { RehearsalEvent } from './world.js';

export interface Setting extends CalmSetting {
  /** The content of the shared store. */
  readonly store: ReadonlyMap<string, unknown>;
  /** All events so far, latest last. */
  readonly history: readonly RehearsalEvent[];
}

/** A description of the violation, or nothing if there is none. */
export type RehearsalVerdict = string | null | undefined | void;

/** A judge during one run. */
export interface RehearsalObserver {
  /** Checks an event. */
  observe?(event: RehearsalEvent): RehearsalVerdict;
  /** Checks the end of the run, at this time in milliseconds. */
  end?(now: number): RehearsalVerdict;
}

/**
 * A check of a run: it begins with every run, receives its events, and describes what is wrong.
 *
 * @experimental
 */
export interface RehearsalJudge {
  readonly name: string;
  begin(setting: Setting): RehearsalObserver;
}

interface Grant {
  readonly peer: string;
  readonly lock: string;
  readonly fence: number;
  readonly mode?: LockMode;
  readonly at: number;
}

const grantOf = ({ peer, lock, fence, mode, at }: RehearsalEvent): Grant => ({ peer, lock, fence, mode, at }) as Grant;

const areReaders = (a: Grant, b: Grant): boolean => a.mode === 'shared' && b.mode === 'shared';

/**
 * Checks fencing tokens. One of `lockJudges`.
 *
 * No two grants of a lock have the same token, except to readers at the same peer. Tokens grow as long as nothing has failed, except for a
 * removed peer that has not been notified. A grant to a peer that was undisturbed since an earlier grant has a larger token. The tokens of
 * readers are compared with those of writers.
 *
 * @experimental
 */
export const fences = (): RehearsalJudge => ({
  name: 'fences',
  begin: (setting) => {
    const calm = new Calm(setting);
    const owners = new Map<string, Grant>();
    /** The grant with the largest token so far, of all and of writers. */
    const latest = new Map<string, Grant>();
    return {
      observe: (event) => {
        calm.observe(event);
        if (event.type !== 'grant') return null;
        const grant = grantOf(event);
        const { peer, lock, fence, mode } = grant;
        const key = `${lock} ${fence}`;
        const owner = owners.get(key);
        if (owner && !(owner.peer === peer && areReaders(owner, grant)))
          return `"${lock}" was granted twice with fence ${fence}: to ${owner.peer} and to ${peer}`;
        owners.set(key, grant);
        const before = latest.get(mode === 'shared' ? `${lock} written` : lock);
        for (const kind of mode === 'shared' ? [lock] : [lock, `${lock} written`])
          if (fence > (latest.get(kind)?.fence ?? -1)) latest.set(kind, grant);
        if (!before || before.fence < fence) return null;
        const mayGoOn = calm.isWhole ? !calm.isKept(peer, before.at) : !calm.isUndisturbed(peer, before.at);
        if (mayGoOn) return null;
        const why = calm.isWhole ? 'nothing has failed' : `nothing has disturbed it since`;
        return `"${lock}" was granted to ${peer} with fence ${fence} after ${before.peer} had ${before.fence}, and ${why}`;
      },
    };
  },
});

/** The holders of each lock. */
class Inside {
  private readonly grants = new Map<string, Map<string, Grant>>();

  observe(event: RehearsalEvent): void {
    const { type, peer, lock } = event;
    if (type === 'grant') {
      const inside = this.of(lock!);
      inside.set(peer!, grantOf(event));
      this.grants.set(lock!, inside);
    } else if (type === 'lost' || type === 'release') this.of(lock!).delete(peer!);
    else if (type === 'end') for (const inside of this.grants.values()) inside.delete(peer!);
  }

  of(lock: string): Map<string, Grant> {
    return this.grants.get(lock) ?? new Map<string, Grant>();
  }
}

/**
 * Checks mutual exclusion: two undisturbed peers do not hold a lock at the same time, except as readers. One of `lockJudges`.
 *
 * @experimental
 */
export const alone = (): RehearsalJudge => ({
  name: 'alone',
  begin: (setting) => {
    const [calm, inside] = [new Calm(setting), new Inside()];
    return {
      observe: (event) => {
        calm.observe(event);
        if (event.type !== 'grant') {
          inside.observe(event);
          return null;
        }
        const grant = grantOf(event);
        const { peer, lock, at } = grant;
        const others = [...inside.of(lock).values()].filter((other) => other.peer !== peer && !areReaders(other, grant));
        inside.observe(event);
        if (!calm.isUndisturbed(peer, at)) return null;
        const other = others.find((one) => calm.isUndisturbed(one.peer, at));
        return other && `"${lock}" was granted to ${peer} while ${other.peer} was inside since ${Math.round(other.at)} ms`;
      },
    };
  },
});

/** The lost locks of a peer whose disk is full, and the violation that is reported if the peer does not end because of it. */
interface Loss {
  readonly description: string;
  readonly inside: Set<string>;
}
const hasLeft = ({ inside }: Loss): boolean => inside.size === 0;

/**
 * Checks that a holder keeps its lock while the holder and a majority are undisturbed. A peer that cannot work with its full disk loses the
 * lock before it ends by itself. One of `lockJudges`.
 *
 * @experimental
 */
export const undisturbed = (): RehearsalJudge => ({
  name: 'undisturbed',
  begin: (setting) => {
    const [calm, inside] = [new Calm(setting), new Inside()];
    /** Losses of peers with a full disk. Such a peer ends by itself after its callbacks, before it is granted another lock. */
    const losses = new Map<string, Loss>();
    return {
      observe: (event) => {
        const { type, peer, lock } = event;
        const loss = losses.get(peer!);
        if (loss !== undefined && (type === 'grant' || (type === 'end' && hasLeft(loss)))) return loss.description;
        if (type === 'exit' || type === 'uncaught' || type === 'end') losses.delete(peer!);
        if (type === 'left') loss?.inside.delete(lock!);
        const grant = type === 'lost' ? inside.of(lock!).get(peer!) : undefined;
        calm.observe(event);
        inside.observe(event);
        if (!grant || !calm.isUndisturbed(peer!, grant.at)) return null;
        const description = `${peer} lost "${lock}", which it had since ${Math.round(grant.at)} ms, and nothing has disturbed it`;
        if (!calm.hasFullDisk(peer!)) return description;
        losses.set(peer!, { description: loss?.description ?? description, inside: new Set([...(loss?.inside ?? []), lock!]) });
        return null;
      },
      end: () => [...losses.values()].find(hasLeft)?.description ?? null,
    };
  },
});

/**
 * Time before the end within which a free, requested lock must have been granted or released. With small limits an epoch has eight numbers: a
 * near peer may use them up, epoch after epoch, before another peer's request arrives, and each epoch takes several message delays.
 */
const stillMs = ({ limits, latencyMs = [0, 0] }: Setting['scenario']): number =>
  4_000 + (limits === 'small' ? 30 * latencyMs[1] : 0);

/**
 * Checks that every request is answered after all faults have healed. One of `lockJudges`.
 *
 * @experimental
 */
export const settles = (): RehearsalJudge => ({
  name: 'settles',
  begin: ({ scenario }) => {
    const inside = new Inside();
    const open = new Map<string, RehearsalEvent>();
    const moved = new Map<string, number>();
    return {
      observe: (event) => {
        const { type, peer, lock, ask, at } = event;
        inside.observe(event);
        if (type === 'ask') open.set(`${peer} ${ask}`, event);
        else if (type === 'settle') open.delete(`${peer} ${ask}`);
        else if (type === 'end') for (const key of open.keys()) if (key.startsWith(`${peer} `)) open.delete(key);
        if (type === 'grant' || type === 'release' || type === 'lost') moved.set(lock!, at);
        return null;
      },
      end: (now) => {
        for (const { peer, lock, at } of open.values()) {
          const name = lock!;
          const isStill = Math.max(at, moved.get(name) ?? 0) + stillMs(scenario) < now;
          if (isStill && inside.of(name).size === 0)
            return `${peer} requested "${name}" at ${Math.round(at)} ms and still waits, although no peer holds it`;
        }
        return null;
      },
    };
  },
});

/**
 * Checks that no process ends because of an uncaught error. One of `lockJudges`.
 *
 * @experimental
 */
export const noErrors = (): RehearsalJudge => ({
  name: 'no errors',
  begin: () => ({
    observe: ({ type, peer, error }) => (type === 'uncaught' ? `${peer} ended because of an uncaught error: ${error}` : null),
  }),
});

/**
 * A judge for a property of the application. It is evaluated after each write to the store, after each note of a peer, and at the end.
 *
 * @param name the name of the property.
 * @param holds returns `true`, or `false` or a description of what is wrong. It must not be asynchronous.
 * @returns a judge for the option `judges`.
 * @throws UsageError for other arguments. A `holds` that returns something else ends the rehearsal with a `UsageError`.
 * @example
 * ```ts
 * import { invariant } from 'xstate-quiver/rehearsal';
 *
 * const stock = invariant('stock is never negative', ({ store }) => ((store.get('stock') as number) ?? 0) >= 0);
 * ```
 * @experimental
 */
export function invariant(name: string, holds: (setting: Setting) => boolean | string): RehearsalJudge {
  if (typeof name !== 'string' || name === '' || typeof holds !== 'function')
    throw new UsageError(
      "invariant requires a name and a function: invariant('no debts', ({ store }) => store.get('balance') !== -1)",
    );
  return {
    name,
    begin: (setting) => {
      const look = (): RehearsalVerdict => {
        const description: unknown = holds(setting);
        if (description === true) return null;
        if (description === false) return `"${name}" does not hold`;
        if (description === undefined || description === null || description === '')
          throw new UsageError(
            `The invariant "${name}" returned ${description === '' ? 'an empty text' : String(description)}. Return true, or false or a description of what is wrong.`,
          );
        return description as RehearsalVerdict;
      };
      return { observe: ({ type }) => (type === 'write' || type === 'note' ? look() : null), end: look };
    },
  };
}

/**
 * The judges of locks: the guarantees of the page Locks, and that no process ends because of an uncaught error.
 *
 * @example
 * ```ts
 * import { InProcessBus } from 'xstate-quiver/transports';
 * import { createLocks } from 'xstate-quiver/locks';
 * import { judges, lockJudges, rehearse, formatFailure, type Main } from 'xstate-quiver/rehearsal';
 *
 * const main: Main = async ({ id, note, watch }) => {
 *   const locks = watch(createLocks({ transport: new InProcessBus().transport(id), peers: [id] }));
 *   await locks.request('printer', () => note('printed', { pages: 2 }));
 * };
 * const watched = [...lockJudges(), judges.withinBudget('printed', 'pages', 100), judges.noLeaks()];
 * const { failure } = await rehearse({ peers: 1, runs: 1, seconds: 2, faults: [], judges: watched }, main);
 * console.log(failure ? formatFailure(failure) : 'no violation');
 * ```
 * @experimental
 */
export const lockJudges = (): readonly RehearsalJudge[] => [fences(), alone(), undisturbed(), settles(), noErrors()];
