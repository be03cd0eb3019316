/**
 * The initial state of this member's replicas: the stored state, or, without storage, the kept state of actors that are not in use.
 *
 * Each copy has a separate key in the storage. A few lists contain the actors that have work without an event, so that a member that
 * restarts wakes them. An actor is added to its list before its copy records the work, and is removed afterwards.
 *
 * A storage states when its member served first. If the other members served before, it replaced one that was lost: a copy that it does not
 * have proves nothing, as without storage.
 */
import type { SchedulerLike } from 'rxjs';
import { isObject, isSafeInteger } from '../../machines/checks.js';
import { KEPT, type ReplicaState } from '../../machines/cluster/replica.js';
import type { ActorCopy } from '../../machines/cluster/messages.js';
import { hash } from '../../machines/hash.js';
import type { Stored } from '../../machines/storage.js';
import { loadStored, save, type Keeping, type PeerStorage } from '../storage/storage.js';
import { StorageError } from '../transports/errors.js';
import type { NodeId } from '../../machines/effects.js';

const LISTS = 64;
/** The key of what a storage states of its beginning. No actor has it: the key of an actor contains a slash. */
const BEGAN = 'began';

/** The part that differs between the replicas of a member. */
type Kept = Pick<ReplicaState, 'promised' | 'copy'>;

export class Replicas {
  /** The first fence of the epoch in which this member served first; with storage, in which its storage began. */
  served = 0;
  /** True if all members served first together: there was nothing before. */
  private isFirst = false;
  /** By actor, as JSON: a text needs a fraction of the memory of its value. */
  private readonly kept = new Map<string, string>();
  private readonly awakeIn = Array.from({ length: LISTS }, () => new Set<string>());
  /** Writes of one list, and of one copy, are sequential. */
  private lists: Promise<void> = Promise.resolve();

  constructor(
    private readonly storage: PeerStorage | undefined,
    private readonly place: { readonly peer: NodeId; readonly name: string; readonly clock: SchedulerLike },
  ) {}

  /** Actors that had work when this member ended. */
  get awake(): readonly string[] {
    return this.awakeIn.flatMap((list) => [...list]);
  }

  /** Loads the lists. `served` is the first fence of the epoch of locks that this member serves. */
  async begin(served: number): Promise<void> {
    const { storage } = this;
    this.served = served;
    if (!storage) return;
    const began = await loadStored(storage, this.keeping(BEGAN));
    if (isSafeInteger(began['served'])) {
      this.served = began['served'];
      this.isFirst = began['isFirst'] === true;
    } else await this.saveBegan();
    await Promise.all(
      this.awakeIn.map(async (list, number) => {
        const { keys = [] } = await loadStored(storage, this.keeping(`awake ${number}`));
        for (const key of keys as readonly string[]) list.add(key);
      }),
    );
  }

  /** Below this fence, versions may have been forgotten. */
  private get since(): number {
    return this.storage && this.isFirst ? 0 : this.served;
  }

  private get begun(): ReplicaState {
    const { since, served, isFirst } = this;
    return { promised: since, copy: null, since, genesis: isFirst ? served : 0 };
  }

  /** The state of a replica; without storage it is returned at once. */
  load(key: string): ReplicaState | Promise<ReplicaState> {
    const { storage } = this;
    if (!storage) {
      const text = this.kept.get(key);
      if (text === undefined) return this.begun;
      const kept: Kept = JSON.parse(text);
      return { ...this.begun, ...kept };
    }
    return loadStored(storage, this.keeping(key)).then((stored) => ({ ...this.begun, ...readStored(key, stored) }));
  }

  /** Keeps the state of an actor that is not in use, because its charts are removed. */
  keep(key: string, { promised, copy }: ReplicaState): void {
    if (this.storage) return;
    if (copy === null && promised <= this.served) this.kept.delete(key);
    else this.kept.set(key, JSON.stringify({ promised, copy } satisfies Kept));
  }

  /** All members came together: they have forgotten nothing. */
  async noteGenesis(): Promise<void> {
    if (this.isFirst) return;
    this.isFirst = true;
    if (this.storage) await this.saveBegan();
  }

  private saveBegan(): Promise<void> {
    const { served, isFirst } = this;
    return save(this.storage!, this.keeping(BEGAN), { served, isFirst });
  }

  async save(key: string, stored: Stored): Promise<void> {
    const { copy } = stored[KEPT] as { readonly copy: ActorCopy | null };
    const list = hash(key) % LISTS;
    const isAwake = copy?.isAwake === true;
    if (isAwake && !this.awakeIn[list]!.has(key)) await this.list(list, (keys) => keys.add(key));
    await save(this.storage!, this.keeping(key), stored);
    if (!isAwake && this.awakeIn[list]!.has(key)) await this.list(list, (keys) => keys.delete(key));
  }

  private list(number: number, change: (keys: Set<string>) => void): Promise<void> {
    const saved = this.lists.then(() => {
      change(this.awakeIn[number]!);
      return save(this.storage!, this.keeping(`awake ${number}`), { keys: [...this.awakeIn[number]!] });
    });
    this.lists = saved.catch(() => {});
    return saved;
  }

  private keeping(key: string): Keeping {
    const { peer, name, clock } = this.place;
    return { peer, key: `${name}/${key}`, clock };
  }
}

/** The stored state of an actor; nothing for one that this member has not stored. */
function readStored(key: string, stored: Stored): Partial<Kept> {
  if (Object.keys(stored).length === 0) return {};
  const kept = stored[KEPT];
  if (!isObject(kept) || !Number.isSafeInteger(kept['promised']))
    throw new StorageError(
      `The stored state of actor "${key}" is damaged. Replace the storage of this member with an empty one, not with an older copy: an older copy has lost what was acknowledged since.`,
    );
  return { promised: kept['promised'] as number, copy: kept['copy'] as ActorCopy | null };
}
