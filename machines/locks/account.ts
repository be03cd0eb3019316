/** Observes the grants of a run and checks that each has a larger fencing token than all earlier ones that its majority knows. */
import type { NodeId } from '../effects.js';
import type { Configuration, Meter, Observer, PropertyResult, Step } from '../protocol.js';
import type { Claim } from './knowledge.js';
import type { Membership } from './membership.js';
import type { Beginning, HeldIn, LocksNotification } from './messages.js';
import type { LocksProtocolOptions } from './options.js';
import { epochsOf, usesAt } from './view.js';

export class LocksAccount implements Observer {
  private readonly grants: { readonly node: NodeId; readonly fence: number }[] = [];
  private readonly fences = new Set<string>();
  private lost = 0;
  private messages = 0;
  private isRepeated = false;
  /** True until a node stops or a link goes down. */
  private isQuiet = true;
  private hasFallen = false;
  private hasTwoUsers = false;
  private hasLost = false;
  /** The users of each lock, and whether they read. */
  private readonly users = new Map<string, Map<NodeId, boolean>>();
  /** The largest granted fence of each lock; and the largest one of a writer. */
  private readonly largest = new Map<string, number>();
  private readonly largestWritten = new Map<string, number>();
  /** For each request, by node and lock: the largest fence that was granted before. */
  private readonly asked = new Map<string, number>();
  /** `null` for plain grants. */
  private isInRealTime: boolean | null = null;
  private hasKeptSmaller = false;
  private latest = 0;
  /**
   * `notified`: the fence of each held lock by node, according to the notifications. `everAnnounced`: all notified grants. `claims`: the last claims
   * of each node.
   */
  private readonly notified = new Map<NodeId, Map<string, number>>();
  private readonly everAnnounced = new Set<string>();
  private readonly claims = new Map<NodeId, readonly Claim[]>();
  private isAnnounced = true;
  /** The first list of voters that was announced for each version of a cluster. */
  private readonly lists = new Map<string, string>();
  private isOneList = true;

  record(step: Step<LocksNotification>, c: Configuration<LocksProtocolOptions>): void {
    this.messages += step.sent.length;
    if (isFailure(step)) this.isQuiet = false;
    if (c.instance.options.confirm) this.isInRealTime ??= true;
    const { node, event } = step;
    if (event.type === 'request') this.asked.set(`${node} ${event['lock']}`, this.largest.get(event['lock']) ?? -1);
    for (const notification of step.emitted) {
      if (notification.type === 'lock.lost') this.lost++;
      if (this.isQuiet) this.watch(step.node, notification);
      if (notification.type === 'serving') this.serve(epochsOf(c.nodes.get(step.node)!).context.served);
      if (notification.type === 'lock.granted') this.grant(step.node, notification);
      if (notification.type === 'members') this.list(epochsOf(c.nodes.get(step.node)!).context.membership);
    }
    this.compareHolds(step, c);
  }

  private grant(node: NodeId, { lock, fence, mode }: HeldIn): void {
    if (this.isInRealTime) this.isInRealTime = fence > (this.asked.get(`${node} ${lock}`) ?? -1);
    const key = `${lock} ${fence}`;
    this.isRepeated ||= this.fences.has(key);
    this.fences.add(key);
    this.largest.set(lock, Math.max(fence, this.largest.get(lock) ?? 0));
    if (mode !== 'shared') this.largestWritten.set(lock, Math.max(fence, this.largestWritten.get(lock) ?? 0));
    this.grants.push({ node, fence });
  }

  private list({ origin, version, voters }: Membership): void {
    const [key, list] = [`${origin} ${version}`, JSON.stringify(voters)];
    const first = this.lists.get(key) ?? list;
    this.lists.set(key, first);
    this.isOneList &&= first === list;
  }

  /**
   * A restarted process has not received notifications. A lock that a client without a voter has released stays claimed until a voter is
   * notified.
   */
  private compareHolds({ node, kind, emitted }: Step<LocksNotification>, c: Configuration): void {
    const view = c.nodes.get(node)!;
    const { claims } = epochsOf(view).context;
    if (kind === 'reload') this.notified.delete(node);
    if (emitted.length === 0 && claims === this.claims.get(node)) return;
    this.claims.set(node, claims);
    const notified = this.notified.get(node) ?? new Map<string, number>();
    this.notified.set(node, notified);
    for (const notification of emitted) {
      if (notification.type === 'lock.released' || notification.type === 'lock.lost') notified.delete(notification.lock);
      if (notification.type !== 'lock.granted') continue;
      notified.set(notification.lock, notification.fence);
      this.everAnnounced.add(`${node} ${notification.lock} ${notification.fence}`);
    }
    const used = new Map(usesAt(view, node).map(({ lock, fence }) => [lock, fence]));
    this.isAnnounced &&=
      [...notified].every(([lock, fence]) => used.get(lock) === fence) &&
      [...used].every(([lock, fence]) => this.everAnnounced.has(`${node} ${lock} ${fence}`));
  }

  /** Judges only the latest epoch: a slow node may begin an earlier one late. */
  private serve({ epoch, kept }: Beginning): void {
    const { latest } = this;
    this.latest = Math.max(latest, epoch);
    const before = (mode: 'shared' | undefined) => (mode === 'shared' ? this.largestWritten : this.largest);
    if (epoch > latest) this.hasKeptSmaller ||= kept.some(({ lock, fence, mode }) => fence < (before(mode).get(lock) ?? 0));
  }

  private watch(node: NodeId, notification: LocksNotification): void {
    if (notification.type === 'lock.granted') {
      const users = this.users.get(notification.lock) ?? new Map<NodeId, boolean>();
      const isReading = notification.mode === 'shared';
      this.hasTwoUsers ||= users.size > 0 && !(isReading && [...users.values()].every(Boolean));
      this.hasFallen ||= notification.fence <= (this.largest.get(notification.lock) ?? -1);
      this.users.set(notification.lock, users.set(node, isReading));
    } else if (notification.type === 'lock.released' || notification.type === 'lock.lost') {
      this.hasLost ||= notification.type === 'lock.lost';
      this.users.get(notification.lock)?.delete(node);
    }
  }

  summary(c: Configuration): Readonly<Record<string, unknown>> {
    const epochs = Object.fromEntries([...c.nodes].map(([node, view]) => [node, epochsOf(view).context.served.epoch]));
    return { grants: this.grants, lost: this.lost, epochs };
  }

  meters(): readonly Meter[] {
    const measured = this.grants.length === 0 ? this.messages : this.messages / this.grants.length;
    return [{ name: 'messages per grant', measured, bound: null, ratio: null }];
  }

  properties(): readonly PropertyResult[] {
    const always = (name: string, holds: boolean): PropertyResult => ({ name, kind: 'always', holds });
    return [
      always('no fence granted twice', !this.isRepeated),
      always('each holder was notified, and each notified node holds the lock', this.isAnnounced),
      always('who keeps a lock has the largest fence', !this.hasKeptSmaller),
      always('one version never names different lists', this.isOneList),
      always('until something fails, fences grow', !this.hasFallen),
      always('until something fails, one user', !this.hasTwoUsers),
      always('without a failure no lock is lost', !this.hasLost),
      ...(this.isInRealTime === null
        ? []
        : [always('a confirmed fence is larger than all granted before its request', this.isInRealTime)]),
    ];
  }
}

const isFailure = ({ kind, event }: Step): boolean =>
  kind === 'crash' || kind === 'restart' || kind === 'reload' || kind === 'corrupt' || event.type === 'link.down';
