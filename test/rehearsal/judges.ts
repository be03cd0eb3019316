/**
 * Judges: what must hold of a run, told as what happens. Each is a promise of docs/locks.md, or the application's own.
 *
 * A judge begins again with every run. What it answers to a happening, or at the end, is what is wrong; the first one that is wrong ends
 * the run.
 */
import { UsageError } from '../../machines/errors.js';
import type { LockMode } from '../../machines/locks/messages.js';
import { Calm, type CalmSetting } from './calm.js';
import type { RehearsalEvent } from './world.js';

export interface Setting extends CalmSetting {
  /** What is in the shared store. */
  readonly store: ReadonlyMap<string, unknown>;
  /** All that has happened, the latest last. */
  readonly history: readonly RehearsalEvent[];
}

export type RehearsalVerdict = string | null | undefined | void;

export interface RehearsalHearing {
  /** What is wrong, if anything is. */
  hear?(happening: RehearsalEvent): RehearsalVerdict;
  end?(now: number): RehearsalVerdict;
}

/**
 * What must hold of a run: it begins again with each, hears what happens, and answers what is wrong.
 *
 * @experimental
 */
export interface RehearsalJudge {
  readonly name: string;
  begin(setting: Setting): RehearsalHearing;
}

interface Grant {
  readonly peer: string;
  readonly lock: string;
  readonly fence: number;
  readonly mode?: LockMode;
  readonly at: number;
}

const grantOf = ({ peer, lock, fence, mode, at }: RehearsalEvent): Grant => ({ peer, lock, fence, mode, at }) as unknown as Grant;

const areReaders = (a: Grant, b: Grant): boolean => a.mode === 'shared' && b.mode === 'shared';

/**
 * No two grants of a lock have the same fence, but those of readers together at one peer. Fences grow as long as nothing has failed, but for who is
 * removed and has not heard of it; and whoever is undisturbed since somebody was granted a lock has a larger one afterward. The fence of a reader is
 * compared with those of writers. One of `lockJudges`.
 *
 * @experimental
 */
export const fences = (): RehearsalJudge => ({
  name: 'fences',
  begin: (setting) => {
    const calm = new Calm(setting);
    const owners = new Map<string, Grant>();
    /** The largest yet, of all and of writers. */
    const latest = new Map<string, Grant>();
    return {
      hear: (happening) => {
        calm.hear(happening);
        if (happening.type !== 'grant') return null;
        const grant = grantOf(happening);
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

/** Who is inside of which lock, as a judge hears it. */
class Inside {
  private readonly grants = new Map<string, Map<string, Grant>>();

  hear(happening: RehearsalEvent): void {
    const { type, peer, lock } = happening;
    if (type === 'grant') {
      const inside = this.of(lock as string);
      inside.set(peer!, grantOf(happening));
      this.grants.set(lock as string, inside);
    } else if (type === 'lost' || type === 'release') this.of(lock as string).delete(peer!);
    else if (type === 'end') for (const inside of this.grants.values()) inside.delete(peer!);
  }

  of(lock: string): Map<string, Grant> {
    return this.grants.get(lock) ?? new Map<string, Grant>();
  }
}

/**
 * No two are inside of a lock whom nothing has disturbed, but readers together. One of `lockJudges`.
 *
 * @experimental
 */
export const alone = (): RehearsalJudge => ({
  name: 'alone',
  begin: (setting) => {
    const [calm, inside] = [new Calm(setting), new Inside()];
    return {
      hear: (happening) => {
        calm.hear(happening);
        if (happening.type !== 'grant') {
          inside.hear(happening);
          return null;
        }
        const grant = grantOf(happening);
        const { peer, lock, at } = grant;
        const others = [...inside.of(lock).values()].filter((other) => other.peer !== peer && !areReaders(other, grant));
        inside.hear(happening);
        if (!calm.isUndisturbed(peer, at)) return null;
        const other = others.find((one) => calm.isUndisturbed(one.peer, at));
        return other && `"${lock}" was granted to ${peer} while ${other.peer} was inside since ${Math.round(other.at)} ms`;
      },
    };
  },
});

/** Of a peer whose disk is full: what is wrong unless it ends of that, and the locks that it lost and whose callbacks have not ended. */
interface Loss {
  readonly description: string;
  readonly inside: Set<string>;
}
const hasLeft = ({ inside }: Loss): boolean => inside.size === 0;

/**
 * A holder keeps its lock while nothing disturbs it and a majority. Who cannot go on without its disk, which is full, loses it
 * before it ends by itself. One of `lockJudges`.
 *
 * @experimental
 */
export const undisturbed = (): RehearsalJudge => ({
  name: 'undisturbed',
  begin: (setting) => {
    const [calm, inside] = [new Calm(setting), new Inside()];
    /** What peers with a full disk lost: they end by themselves, once their callbacks have, before they are granted anything again. */
    const losses = new Map<string, Loss>();
    return {
      hear: (happening) => {
        const { type, peer, lock } = happening;
        const loss = losses.get(peer!);
        if (loss !== undefined && (type === 'grant' || (type === 'end' && hasLeft(loss)))) return loss.description;
        if (type === 'exit' || type === 'uncaught' || type === 'end') losses.delete(peer!);
        if (type === 'left') loss?.inside.delete(lock as string);
        const grant = type === 'lost' ? inside.of(lock as string).get(peer!) : undefined;
        calm.hear(happening);
        inside.hear(happening);
        if (!grant || !calm.isUndisturbed(peer!, grant.at)) return null;
        const description = `${peer} lost "${lock as string}", which it had since ${Math.round(grant.at)} ms, and nothing has disturbed it`;
        if (!calm.hasFullDisk(peer!)) return description;
        losses.set(peer!, {
          description: loss?.description ?? description,
          inside: new Set([...(loss?.inside ?? []), lock as string]),
        });
        return null;
      },
      end: () => [...losses.values()].find(hasLeft)?.description ?? null,
    };
  },
});

/**
 * So long before the end a lock that is free and wanted must have moved. With small limits an epoch has eight numbers: somebody who is near may
 * use them up, epoch after epoch, before a request of another has come, and each takes a few messages one after the other.
 */
const stillMs = ({ limits, latencyMs = [0, 0] }: Setting['scenario']): number =>
  4_000 + (limits === 'small' ? 30 * latencyMs[1] : 0);

/**
 * Every request is answered once all has healed. One of `lockJudges`.
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
      hear: (happening) => {
        const { type, peer, lock, ask, at } = happening;
        inside.hear(happening);
        if (type === 'ask') open.set(`${peer} ${ask as string}`, happening);
        else if (type === 'settle') open.delete(`${peer} ${ask as string}`);
        else if (type === 'end') for (const key of open.keys()) if (key.startsWith(`${peer} `)) open.delete(key);
        if (type === 'grant' || type === 'release' || type === 'lost') moved.set(lock as string, at);
        return null;
      },
      end: (now) => {
        for (const { peer, lock, at } of open.values()) {
          const name = lock as string;
          const isStill = Math.max(at, moved.get(name) ?? 0) + stillMs(scenario) < now;
          if (isStill && inside.of(name).size === 0)
            return `${peer} has asked for "${name}" at ${Math.round(at)} ms and waits, and nobody has it`;
        }
        return null;
      },
    };
  },
});

/**
 * Nobody ends of an error that nobody caught. One of `lockJudges`.
 *
 * @experimental
 */
export const noErrors = (): RehearsalJudge => ({
  name: 'no errors',
  begin: () => ({
    hear: ({ type, peer, error }) =>
      type === 'uncaught' ? `${peer} ended of an error that nobody caught: ${error as string}` : null,
  }),
});

/**
 * What must hold of the application, looked at after each write to the store and each note of a peer, and at the end.
 *
 * @param holds at once, `true`, or `false` or a sentence that says what is wrong.
 * @throws UsageError for what is no name and no function; one that answers something else ends the rehearsal with a `UsageError`.
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
      "invariant takes a name and a function of what is there: invariant('no debts', ({ store }) => store.get('balance') !== -1)",
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
            `the invariant "${name}" answers ${description === '' ? 'an empty text' : String(description)}; return true, or false or a sentence that says what is wrong`,
          );
        return description as RehearsalVerdict;
      };
      return { hear: ({ type }) => (type === 'write' || type === 'note' ? look() : null), end: look };
    },
  };
}

/**
 * What docs/locks.md promises, and that nobody ends of an error.
 *
 * @example
 * ```ts
 * import { InProcessBus } from 'xstate-quiver/transports';
 * import { createLocks } from 'xstate-quiver/locks';
 * import { judges, lockJudges, rehearse, tellFailure, type Main } from 'xstate-quiver/rehearsal';
 *
 * const main: Main = async ({ id, note, watch }) => {
 *   const locks = watch(createLocks({ transport: new InProcessBus().transport(id), peers: [id] }));
 *   await locks.request('printer', () => note('printed', { pages: 2 }));
 * };
 * const watched = [...lockJudges(), judges.withinBudget('printed', 'pages', 100), judges.noLeaks()];
 * const { failure } = await rehearse({ peers: 1, runs: 1, seconds: 2, faults: [], judges: watched }, main);
 * console.log(failure ? tellFailure(failure) : 'nothing was found');
 * ```
 * @experimental
 */
export const lockJudges = (): readonly RehearsalJudge[] => [fences(), alone(), undisturbed(), settles(), noErrors()];
