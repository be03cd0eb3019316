/**
 * Where nothing failed: what a promise is judged by that holds "while a majority neither stops nor loses links".
 *
 * After a fault has healed, its consequences take a while: a detector has to notice, a connection to be made again. Until then nobody
 * whom it touched counts as undisturbed.
 */
import type { RehearsalFault, RehearsalScenario } from './scenario.js';
import type { RehearsalEvent } from './world.js';

/** A detector's three seconds, a new connection's five, and two for what follows. */
const RECOVERY_MS = 10_000;
/** A peer that starts for the first time is linked with the others by then. */
const BEGIN_MS = 2_000;

/** Who may be undisturbed, and with whom. */
export interface CalmSetting {
  readonly scenario: Pick<RehearsalScenario, 'peers' | 'services' | 'clients'> &
    Partial<Pick<RehearsalScenario, 'limits' | 'latencyMs'>>;
  /** How long what has failed goes on to disturb. @defaultValue 10,000 */
  readonly recoveryMs?: number;
}

/** From then on: the lists of voters of which one counts, while a change is decided. */
interface Lists {
  readonly at: number;
  readonly lists: readonly (readonly string[])[];
}

export class Calm {
  /** Until when somebody is not to be counted on; infinite while a fault lasts. */
  private readonly disturbed = new Map<string, number>();
  private readonly lasting = new Map<string, number>();
  private readonly lists: Lists[];
  private readonly scenario: CalmSetting['scenario'];
  private readonly recoveryMs: number;
  private readonly full = new Map<string, number>();
  /** Nothing has failed yet. */
  isWhole = true;

  constructor({ scenario, recoveryMs = RECOVERY_MS }: CalmSetting) {
    this.scenario = scenario;
    this.recoveryMs = recoveryMs;
    this.lists = [{ at: -Infinity, lists: [scenario.peers] }];
    for (const peer of scenario.peers) this.disturbed.set(peer, Infinity);
  }

  hear({ type, at, peer, ...rest }: RehearsalEvent): void {
    if (type === 'start' && this.disturbed.has(peer!))
      this.until(peer!, at + ((rest['life'] as number) === 1 ? Math.min(BEGIN_MS, this.recoveryMs) : this.recoveryMs));
    else if (type === 'end') this.fail(peer!, at);
    else if (type === 'members') this.lists.push({ at, lists: rest['lists'] as Lists['lists'] });
    else if (type === 'fault' || type === 'healed') {
      const fault = rest['fault'] as RehearsalFault;
      if (fault.what === 'full') this.full.set(fault.who, (this.full.get(fault.who) ?? 0) + (type === 'fault' ? 1 : -1));
      // A clock that is wrong stops nobody, and no link; and who cannot go on without its disk ends.
      if (fault.what === 'jump' || fault.what === 'drift' || fault.what === 'full') return;
      for (const process of this.touched(fault)) {
        const count = (this.lasting.get(process) ?? 0) + (type === 'fault' ? 1 : -1);
        this.lasting.set(process, count);
        this.fail(process, at);
      }
    }
  }

  hasFullDisk(peer: string): boolean {
    return (this.full.get(peer) ?? 0) > 0;
  }

  private touched({ what, who, other }: RehearsalFault): readonly string[] {
    const { peers, services, clients } = this.scenario;
    if (what === 'roll' || what === 'cold' || what === 'split') return [...peers, ...services, ...clients];
    return what === 'part' || what === 'oneway' ? [who, other] : [who];
  }

  private fail(process: string, at: number): void {
    this.isWhole = false;
    this.until(process, at + this.recoveryMs);
  }

  private until(process: string, at: number): void {
    const known = this.disturbed.get(process) ?? 0;
    this.disturbed.set(process, known === Infinity ? at : Math.max(known, at));
  }

  /** Since then the peer, what carries its messages, and a majority with it of each list in force have not failed. */
  isUndisturbed(peer: string, since: number): boolean {
    const isCalm = (process: string) => (this.lasting.get(process) ?? 0) === 0 && (this.disturbed.get(process) ?? 0) <= since;
    // Whose disk is full ends at its next promise, and leaves the others before its process is gone.
    const isThere = (voter: string) => isCalm(voter) && (voter === peer || !this.hasFullDisk(voter));
    const isMajority = (voters: readonly string[]) => 2 * voters.filter(isThere).length > voters.length;
    const isServed = this.listsSince(since).every(isMajority);
    return isCalm(peer) && this.isKept(peer, since) && this.scenario.services.every(isCalm) && isServed;
  }

  /** It never was one of those who vote, or nothing since then has removed it, nor is about to. */
  isKept(peer: string, since: number): boolean {
    const votes = this.lists.some(({ lists }) => lists.some((voters) => voters.includes(peer)));
    return !votes || this.listsSince(since).every((voters) => voters.includes(peer));
  }

  private listsSince(since: number): readonly (readonly string[])[] {
    const first = this.lists.findLastIndex(({ at }) => at <= since);
    return this.lists.slice(first).flatMap(({ lists }) => lists);
  }
}
