/**
 * The copies of actors in a storage that all members share: one replica for each actor, which runs at the member that uses it.
 *
 * The replica is the chart of machines/cluster/replica.ts, and its stored state is in the storage. Each write names the revision that the
 * chart began with. If another member has written since, the write is rejected, the chart ends as in a crash, and the next message loads it
 * again: it answers nothing that is not stored.
 */
import type { ActorCopy } from '../../machines/cluster/messages.js';
import { KEPT, type ReplicaState } from '../../machines/cluster/replica.js';
import type { Message, NodeId } from '../../machines/effects.js';
import type { Stored } from '../../machines/storage.js';
import type { SharedStore } from '../storage/shared.js';
import { ActorNode, type ActorWorld } from './actor-node.js';

/** The id of the node that represents the storage. No peer has this id: it has a control character. */
export const SHARED: NodeId = '\u0000shared';

const ACTORS = 'actors';
const AWAKE = 'awake';

interface SharedCopiesOptions {
  readonly store: SharedStore;
  /** The name of the cluster. */
  readonly name: string;
  readonly world: Omit<ActorWorld, 'id' | 'handleNotice' | 'session' | 'hasStorage' | 'save' | 'send' | 'fail'>;
  readonly member: NodeId;
  reply(key: string, message: Message): void;
  failed(error: unknown, what: string): void;
}

export class SharedCopies {
  private readonly replicas = new Map<string, SharedReplica>();
  /** One warning for each outage. */
  private isFailing = false;

  constructor(private readonly options: SharedCopiesOptions) {}

  /** Handles a message for the replica of an actor. */
  take(key: string, message: Message): void {
    // A new activation begins with the present stored state.
    if (message.type === 'read') this.forget(key);
    let replica = this.replicas.get(key);
    if (!replica) this.replicas.set(key, (replica = this.load(key)));
    replica.take(message);
  }

  /** Removes the replica of an actor that is no longer hosted here. */
  forget(key: string): void {
    this.replicas.get(key)?.close();
    this.replicas.delete(key);
  }

  /** The actors that have work without an event. */
  async awake(): Promise<readonly string[]> {
    const { store, name } = this.options;
    const prefix = `${name}/`;
    const keys = await store.keys(AWAKE);
    return keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  }

  close(): void {
    for (const key of this.replicas.keys()) this.forget(key);
  }

  private load(key: string): SharedReplica {
    const { failed } = this.options;
    const replica = new SharedReplica(key, this.options, (error) => {
      if (this.replicas.get(key) === replica) this.forget(key);
      if (error instanceof Superseded || this.isFailing) return;
      this.isFailing = true;
      failed(error, `the shared storage, which is tried again`);
    });
    replica.loaded.then(
      () => (this.isFailing = false),
      () => {},
    );
    return replica;
  }
}

/** Another member has written since this one has read. */
class Superseded extends Error {}

class SharedReplica {
  private node: ActorNode | null = null;
  private waiting: Message[] = [];
  private revision: string | number | null = null;
  /** True if it is in the list of actors with work; `undefined` until this member has written. */
  private isAwake: boolean | undefined;
  private isClosed = false;
  private readonly place: string;
  /** Resolves when the state is loaded; rejects if the storage cannot be read. */
  readonly loaded: Promise<void>;

  constructor(
    private readonly key: string,
    private readonly options: SharedCopiesOptions,
    private readonly end: (error: Error) => void,
  ) {
    this.place = `${options.name}/${key}`;
    this.loaded = options.store
      .get(ACTORS, this.place)
      .then((found) => this.begin(found === null ? EMPTY : read(key, found.value), found?.revision ?? null));
    this.loaded.catch((error: Error) => this.fail(error));
  }

  /** Handles a message. While the state is loaded, messages wait. */
  take(message: Message): void {
    if (!this.node) this.waiting.push(message);
    else this.node.step({ ...message, from: this.options.member });
  }

  close(): void {
    this.isClosed = true;
    this.node?.close();
  }

  private begin(kept: ReplicaState, revision: string | number | null): void {
    if (this.isClosed) return;
    const { world, reply } = this.options;
    this.revision = revision;
    this.node = new ActorNode(
      this.key,
      {
        ...world,
        id: SHARED,
        session: SHARED,
        hasStorage: true,
        handleNotice: () => {},
        send: (key, _, message) => reply(key, message),
        save: (_, stored) => this.save(stored),
        fail: (error) => this.fail(error),
      },
      kept,
    );
    for (const message of this.waiting.splice(0)) this.take(message);
  }

  private fail(error: Error): void {
    if (!this.isClosed) this.end(error);
  }

  /** Stores the state. An actor is added to the list of actors with work before its copy records the work, and is removed afterwards. */
  private async save(stored: Stored): Promise<void> {
    const { store } = this.options;
    const { promised, copy } = stored[KEPT] as { readonly promised: number; readonly copy: ActorCopy | null };
    const isAwake = copy?.isAwake === true;
    if (isAwake && this.isAwake !== true) await store.put(AWAKE, this.place, '1', null);
    const revision = await store.put(ACTORS, this.place, JSON.stringify({ promised, copy }), this.revision);
    if (revision === null) throw new Superseded('another member has written');
    this.revision = revision;
    if (!isAwake && this.isAwake !== false) await store.delete(AWAKE, this.place);
    this.isAwake = isAwake;
  }
}

const EMPTY: ReplicaState = { promised: 0, copy: null, since: 0, genesis: 0 };

function read(key: string, value: string): ReplicaState {
  const { promised, copy }: Pick<ReplicaState, 'promised' | 'copy'> = JSON.parse(value);
  if (!Number.isSafeInteger(promised))
    throw new Error(
      `the stored state of actor "${key}" is damaged: ${value.slice(0, 100)}. Restore the shared storage from a backup`,
    );
  return { promised, copy, since: 0, genesis: 0 };
}
