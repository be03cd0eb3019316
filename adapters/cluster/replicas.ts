/**
 * The initial state of this member's replicas: the stored state, or, without storage, the kept state of actors that are not in use.
 *
 * Each copy has a separate key in the storage. A few lists contain the actors that have work without an event, so that a member that
 * restarts wakes them. An actor is added to its list before its copy records the work, and is removed afterwards.
 */
import type { SchedulerLike } from 'rxjs';
import { isObject } from '../../machines/checks.js';
import { KEPT, type ReplicaState } from '../../machines/cluster/replica.js';
import type { ActorCopy } from '../../machines/cluster/messages.js';
import { hash } from '../../machines/hash.js';
import type { Stored } from '../../machines/storage.js';
import { loadStored, save, type Keeping, type PeerStorage } from '../storage/storage.js';
import { StorageError } from '../transports/errors.js';
import type { NodeId } from '../../machines/effects.js';

const LISTS = 64;

/** The part that differs between the replicas of a member. */
type Kept = Pick<ReplicaState, 'promised' | 'copy'>;

export class Replicas {
  /** Without storage: versions that were written below this fence may have been forgotten. */
  since = 0;
  private genesis = 0;
  /** By actor, as JSON: a text needs a fraction of the memory of its value. */
  private readonly kept = new Map<string, string>();
  private readonly awakeIn = Array.from({ length: LISTS }, () => new Set<string>());
  /** Writes of one list, and of one copy, are sequential. */
  private lists: Promise<void> = Promise.resolve();

  constructor(
    private readonly storage: PeerStorage | undefined,
    private readonly place: { readonly peer: NodeId; readonly name: string; readonly clock: SchedulerLike },
  ) {}

  get isStored(): boolean {
    return this.storage !== undefined;
  }

  /** Actors that had work when this member ended. */
  get awake(): readonly string[] {
    return this.awakeIn.flatMap((list) => [...list]);
  }

  /** Loads the lists. `since` is the first fence of the epoch of locks in which this member served first. */
  async begin(since: number): Promise<void> {
    const { storage } = this;
    if (!storage) {
      this.since = since;
      return;
    }
    await Promise.all(
      this.awakeIn.map(async (list, number) => {
        const { keys = [] } = await loadStored(storage, this.keeping(`awake ${number}`));
        for (const key of keys as readonly string[]) list.add(key);
      }),
    );
  }

  /** The state of a replica; without storage it is returned at once. */
  load(key: string): ReplicaState | Promise<ReplicaState> {
    const { storage, since } = this;
    if (!storage) {
      const { genesis } = this;
      const text = this.kept.get(key);
      return text === undefined ? { promised: since, copy: null, since, genesis } : { ...JSON.parse(text), since, genesis };
    }
    return loadStored(storage, this.keeping(key)).then((stored) => readStored(key, stored));
  }

  /** Keeps the state of an actor that is not in use, because its charts are removed. */
  keep(key: string, { promised, copy }: ReplicaState): void {
    if (this.storage) return;
    if (copy === null && promised <= this.since) this.kept.delete(key);
    else this.kept.set(key, JSON.stringify({ promised, copy } satisfies Kept));
  }

  /** All members came together: they have forgotten nothing. */
  noteGenesis(): void {
    this.genesis = this.since;
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

function readStored(key: string, stored: Stored): ReplicaState {
  if (Object.keys(stored).length === 0) return { promised: 0, copy: null, since: 0, genesis: 0 };
  const kept = stored[KEPT];
  if (!isObject(kept) || !Number.isSafeInteger(kept['promised']))
    throw new StorageError(
      `The stored state of actor "${key}" is damaged. Restore the storage of this member, or replace it with an empty one.`,
    );
  return { promised: kept['promised'] as number, copy: kept['copy'] as ActorCopy | null, since: 0, genesis: 0 };
}
