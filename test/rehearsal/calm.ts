/**
 * Undisturbed processes: those for which a promise of the form "while a majority neither stops nor loses links" must hold.
 *
 * After a fault has healed, its consequences last for a while: a failure detector has to notice, a connection has to be restored. Until then,
 * the processes that the fault affected do not count as undisturbed.
 */
import type { RehearsalFault, RehearsalScenario } from './scenario.js';
import type { RehearsalEvent } from './world.js';

/** Three seconds for a failure detector, five for a new connection, and two for the consequences. */
const RECOVERY_MS = 10_000;
/** Time in which a peer that starts for the first time connects to the others. */
const BEGIN_MS = 2_000;

/** The scenario, and the recovery time after a fault. */
export interface CalmSetting {
  readonly scenario: Pick<RehearsalScenario, 'peers' | 'services' | 'clients'> &
    Partial<Pick<RehearsalScenario, 'limits' | 'latencyMs'>>;
  /**
   * Milliseconds after a fault during which it still disturbs.
   *
   * @defaultValue 10,000
   */
  readonly recoveryMs?: number;
}

/** The lists of voters that may be in force from `at` on; several while a change is being decided. */
interface Lists {
  readonly at: number;
  readonly lists: readonly (readonly string[])[];
}

export class Calm {
  /** The end of each process's disturbance. */
  private readonly disturbed = new Map<string, number>();
  /** Processes that have not started, or that have ended and not started again. */
  private readonly down: Set<string>;
  private readonly lasting = new Map<string, number>();
  private readonly lists: Lists[];
  private readonly scenario: CalmSetting['scenario'];
  private readonly recoveryMs: number;
  private readonly full = new Map<string, number>();
  /** True until something fails. */
  isWhole = true;

  constructor({ scenario, recoveryMs = RECOVERY_MS }: CalmSetting) {
    this.scenario = scenario;
    this.recoveryMs = recoveryMs;
    this.lists = [{ at: -Infinity, lists: [scenario.peers] }];
    this.down = new Set(scenario.peers);
  }

  observe({ type, at, peer, ...rest }: RehearsalEvent): void {
    if (type === 'start' && this.down.delete(peer!))
      this.until(peer!, at + (rest['life'] === 1 ? Math.min(BEGIN_MS, this.recoveryMs) : this.recoveryMs));
    else if (type === 'end') {
      this.down.add(peer!);
      this.fail(peer!, at);
    } else if (type === 'members') this.lists.push({ at, lists: rest['lists'] as Lists['lists'] });
    else if (type === 'fault' || type === 'healed') {
      const fault = rest['fault'] as RehearsalFault;
      if (fault.what === 'full') this.full.set(fault.who, (this.full.get(fault.who) ?? 0) + (type === 'fault' ? 1 : -1));
      // A wrong clock stops no process and no link. A process that cannot work without its full disk ends by itself.
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
    this.disturbed.set(process, Math.max(this.disturbed.get(process) ?? 0, at));
  }

  /** True if the peer, the services, and a majority of each list in force have not been disturbed since then. */
  isUndisturbed(peer: string, since: number): boolean {
    const isCalm = (process: string) =>
      !this.down.has(process) && (this.lasting.get(process) ?? 0) === 0 && (this.disturbed.get(process) ?? 0) <= since;
    // A peer with a full disk ends at its next write, and may leave the others before its process ends.
    const isThere = (voter: string) => isCalm(voter) && (voter === peer || !this.hasFullDisk(voter));
    const isMajority = (voters: readonly string[]) => 2 * voters.filter(isThere).length > voters.length;
    const isServed = this.listsSince(since).every(isMajority);
    return isCalm(peer) && this.isKept(peer, since) && this.scenario.services.every(isCalm) && isServed;
  }

  /** True if the peer was never a voter, or if no change since then has removed it or is about to. */
  isKept(peer: string, since: number): boolean {
    const votes = this.lists.some(({ lists }) => lists.some((voters) => voters.includes(peer)));
    return !votes || this.listsSince(since).every((voters) => voters.includes(peer));
  }

  private listsSince(since: number): readonly (readonly string[])[] {
    const first = this.lists.findLastIndex(({ at }) => at <= since);
    return this.lists.slice(first).flatMap(({ lists }) => lists);
  }
}
