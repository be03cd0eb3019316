/**
 * Rehearsal of locks in which some peers have a wrong list of peers: one less, one more, or an unknown name. It checks rule 14 of
 * docs/locks.md: peers with the right list continue, peers with a wrong list fail with an error that names the list, and no lock is lost.
 *
 * An operator restarts each failed peer with the right list. The wrong lists are too few and too different to form a majority.
 */
import { lockJudges, type RehearsalObserver, type RehearsalJudge } from '../../test/rehearsal/judges.js';
import { diskStorage } from '../../test/rehearsal/disk-storage.js';
import { servicesOf, wireOf, workWith, type Shipped } from './locks.js';
import type { Main, RehearsedPeer } from '../../test/rehearsal/peer.js';
import type { RehearseOptions } from '../../test/rehearsal/options.js';
import type { RehearsalEvent } from '../../test/rehearsal/world.js';

const MISTAKES = ['less', 'more', 'typo', 'two typos'] as const;

/** Number of peers with a wrong list: less than half of them. */
const oddOf = (peers: readonly string[], knobs: RehearsedPeer['knobs']): number =>
  Math.min(knobs['odd'] as number, (peers.length - 1) / 2);

/** The list of a peer in this life: the right one, unless the plan gives it a wrong one. */
export function peerListOf(
  { id, peers, life, knobs }: Pick<RehearsedPeer, 'id' | 'peers' | 'life' | 'knobs'>,
  mistake = knobs['mistake'] as (typeof MISTAKES)[number],
): readonly string[] {
  const place = peers.indexOf(id);
  const isOdd = place >= knobs['first'] && place < knobs['first'] + oddOf(peers, knobs);
  if (!isOdd || life !== knobs['inLife']) return peers;
  const others = peers.filter((peer) => peer !== id);
  if (mistake === 'more') return [...peers, `${id}x`];
  const rest = others.slice(mistake === 'two typos' ? 2 : 1);
  const wrong = mistake === 'less' ? [] : mistake === 'typo' ? [`${id}x`] : [`${id}x`, `${id}y`];
  return [id, ...rest, ...wrong];
}

async function work(shipped: Shipped, peer: RehearsedPeer): Promise<void> {
  const { peers, knobs, life, disk, note } = peer;
  const list = peerListOf(peer);
  const isRight = list === peers;
  if (!isRight) note('wrong', { life, list });
  const transport = shipped.linked(wireOf(shipped, peer), { peers: [...new Set([...peers, ...list])] });
  const locks = peer.watch(
    shipped.createLocks({ transport, peers: list, ...(knobs['stored'] && { storage: diskStorage(disk) }) }),
  );
  await workWith(locks, knobs).catch((error: Error) => {
    // Its disk is full; it may have space after a restart.
    if (error.name === 'StorageError') process.exit(1);
    if (error.name !== 'ConfigurationError') throw error;
    // With several wrong peers, one may meet another first.
    const named = oddOf(peers, knobs) === 1 ? [peers, list] : [list];
    const isNamed = named.every((each) => error.message.includes(each.toSorted().join(', ')));
    note('refused', { life, isRight, isNamed, description: error.message });
    process.exit(1);
  });
}

/** A peer with a wrong list is not a member during that time: the other judges treat it as paused. */
const withLists = (judge: RehearsalJudge): RehearsalJudge => ({
  name: judge.name,
  begin: (setting) => {
    const observer = judge.begin(setting);
    const wrong = new Map<string, RehearsalEvent>();
    const fault = ({ at }: RehearsalEvent, type: 'fault' | 'healed', who: string): RehearsalEvent =>
      ({ type, at, fault: { what: 'pause', who, other: who, atMs: at, lastsMs: 0, size: 0 } }) as RehearsalEvent;
    const observe: NonNullable<RehearsalObserver['observe']> = (happening) => {
      const { type, peer, what } = happening;
      let description = observer.observe?.(happening);
      if (type === 'note' && what === 'wrong') {
        wrong.set(peer!, happening);
        description ||= observer.observe?.(fault(happening, 'fault', peer!));
      } else if (type === 'end' && wrong.delete(peer!)) description ||= observer.observe?.(fault(happening, 'healed', peer!));
      return description;
    };
    return { observe, ...(observer.end && { end: (now: number) => observer.end!(now) }) };
  },
});

/**
 * A peer with the right list never fails. A peer with a wrong list fails with an error that names it, or before the first grant of its
 * first start.
 */
export const rightGoOn = (): RehearsalJudge => ({
  name: 'the right go on',
  begin: () => {
    const wrong = new Map<string, number>();
    return {
      observe: ({ type, peer, what, life, isRight, isNamed, description }) => {
        if (type === 'note' && what === 'wrong') wrong.set(peer!, life as number);
        else if (type === 'end') wrong.delete(peer!);
        else if (type === 'grant' && wrong.get(peer!) === 1) return `${peer} was granted a lock with a wrong list`;
        else if (type === 'note' && what === 'refused' && isRight)
          return `${peer} ended with the right list: ${description as string}`;
        else if (type === 'note' && what === 'refused' && !isNamed)
          return `${peer} did not report both lists: ${description as string}`;
        return null;
      },
    };
  },
});

export const listsUnder = (
  shipped: Shipped,
  over: readonly string[] = ['hub', 'sealed'],
): { options: RehearseOptions; main: Main } => ({
  options: {
    peers: [3, 3, 5],
    services: servicesOf(shipped, over),
    seconds: 24,
    judges: [...lockJudges().map(withLists), rightGoOn()],
    limits: ['shipped', 'small'],
    knobs: {
      over,
      workers: [1, 2],
      names: [1, 3, 20],
      think: [20, 100, 500, 2_000],
      hold: [1, 50, 400, 3_000],
      mistake: MISTAKES,
      odd: [1, 1, 2],
      first: [0, 1],
      inLife: [1, 1, 1, 2],
      stored: [true, false],
    },
  },
  main: (peer) => work(shipped, peer),
});
