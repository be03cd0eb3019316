/**
 * A workload of cluster actors, and the judge of its history. Real processes (chaos/work.ts), rehearsals and their tests use it.
 *
 * The actors are logs. Each event has a tag that no other event has. The peers note what they see, and the judge puts it together: one
 * history, in which every acknowledged event is exactly once, and whose actions ran, each under one idempotency key.
 */
import { assign, setup } from 'xstate';
import { delivery, type Cluster } from '../adapters/cluster/cluster.js';
import type { RehearsalJudge } from '../test/rehearsal/judges.js';

type Note = (what: string, fields: Readonly<Record<string, unknown>>) => void;

/** The number of tags that a log keeps: more than the events of one version. */
const KEPT = 64;
const TAG = /^(.*)\.(\d+)$/;
/** The logs of the workload, few enough that the peers meet. */
const LOGS = ['x', 'y'];

/**
 * The machine of the actors, which keeps the last tags, and the last number of each life. Its action notes the tag and the idempotency key.
 */
export const notedLogMachine = (note: Note) =>
  setup({
    types: {
      context: {} as { n: number; last: readonly string[]; numbers: Readonly<Record<string, number>> },
      events: {} as { type: 'ADD'; tag: string },
    },
    actions: { run: (_, tag: string) => note('ran', { tag, key: delivery().key }) },
  }).createMachine({
    context: { n: 0, last: [], numbers: {} },
    on: {
      ADD: {
        actions: [
          assign(({ context: { n, last, numbers }, event: { tag } }) => {
            const [, life = '', number] = TAG.exec(tag)!;
            return { n: n + 1, last: [...last.slice(1 - KEPT), tag], numbers: { ...numbers, [life]: Number(number) } };
          }),
          { type: 'run', params: ({ event }) => event.tag },
        ],
      },
    },
  });

type Logs = { readonly log: ReturnType<typeof notedLogMachine> };

/**
 * Subscribes to the logs, and returns a function that sends one event to one of them and resolves when it is acknowledged.
 *
 * @param life a text that no other process, and no other run of this process, has.
 */
export function logWriter(cluster: Cluster<Logs>, note: Note, life: string): () => Promise<void> {
  const logs = LOGS.map((id) => {
    const log = cluster.actor('log', id);
    // A send rejects with the same error.
    log.subscribe({ next: ({ context: { n, last } }) => note('seen', { log: id, n, last: last.slice(-8) }), error: () => {} });
    return log;
  });
  let sent = 0;
  return async () => {
    const number = ++sent;
    const tag = `${life}.${number}`;
    const log = logs[number % logs.length]!;
    await log.send({ type: 'ADD', tag });
    note('acknowledged', { tag, isSeen: (log.getSnapshot().context.numbers[life] ?? 0) >= number });
  };
}

interface Noted {
  readonly what: string;
  readonly tag: string;
  readonly key: string;
  readonly isSeen: boolean;
  readonly log: string;
  readonly n: number;
  readonly last: readonly string[];
}

/** The notes of all peers until now, put together. */
class LogHistory {
  private readonly tagAt = new Map<string, string>();
  private readonly placeOf = new Map<string, string>();
  private readonly keyOf = new Map<string, string>();
  private readonly acknowledged = new Set<string>();

  /** Returns the violation, or null. */
  note({ what, tag, key, isSeen, log, n, last }: Noted): string | null {
    if (what === 'seen')
      return last.reduce<string | null>((found, one, i) => found ?? this.see(`${log} ${n - last.length + i + 1}`, one), null);
    if (what === 'ran') {
      const before = this.keyOf.get(tag) ?? key;
      this.keyOf.set(tag, key);
      return before === key ? null : `the action of ${tag} ran under the keys ${before} and ${key}`;
    }
    if (what !== 'acknowledged') return null;
    this.acknowledged.add(tag);
    return isSeen ? null : `${tag} was acknowledged, and its sender has not seen it`;
  }

  end(): string | null {
    for (const tag of this.acknowledged) if (!this.keyOf.has(tag)) return `${tag} was acknowledged, and its action did not run`;
    return null;
  }

  private see(place: string, tag: string): string | null {
    const [other, before] = [this.tagAt.get(place) ?? tag, this.placeOf.get(tag) ?? place];
    this.tagAt.set(place, tag);
    this.placeOf.set(tag, place);
    if (other !== tag) return `two histories: ${other} and ${tag} at ${place}`;
    return before === place ? null : `${tag} is in the history twice, at ${before} and ${place}`;
  }
}

/**
 * Checks the notes of `notedLogMachine` and `logWriter`. An event that is lost after it was acknowledged leaves its place to a later event, which
 * is found as two histories: so the work has to go on after the faults.
 */
export const oneLogHistory = (): RehearsalJudge => ({
  name: 'one history',
  begin: () => {
    const history = new LogHistory();
    return {
      observe: ({ type, ...noted }) => (type === 'note' ? history.note(noted as unknown as Noted) : null),
      end: () => history.end(),
    };
  },
});
