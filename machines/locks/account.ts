/** Follows the grants of a run: each has a larger fence than all that were made known before it in its own majority. */
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
  /** Until something stops or a link falls. */
  private isQuiet = true;
  private hasFallen = false;
  private hasTwoUsers = false;
  private hasLost = false;
  /** By lock: those who use it, and whether they read. */
  private readonly users = new Map<string, Map<NodeId, boolean>>();
  /** Ever granted, by lock; and to a writer. */
  private readonly largest = new Map<string, number>();
  private readonly largestWritten = new Map<string, number>();
  /** Who has asked for a lock, by both: the largest fence that was granted before. */
  private readonly asked = new Map<string, number>();
  /** `null` where grants are plain. */
  private isInRealTime: boolean | null = null;
  private hasKeptSmaller = false;
  private latest = 0;
  /** By node and lock: the fence with which its application has it, by what it was told; all that it was ever told; what was claimed there. */
  private readonly told = new Map<NodeId, Map<string, number>>();
  private readonly everTold = new Set<string>();
  private readonly claims = new Map<NodeId, readonly Claim[]>();
  private isTold = true;
  /** By the cluster and the version of a list of voters: what an application was told first. */
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
    this.tell(step, c);
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

  /** A process that starts again has been told nothing; what is let go at a client without a voter is claimed until one has heard of it. */
  private tell({ node, kind, emitted }: Step<LocksNotification>, c: Configuration): void {
    const view = c.nodes.get(node)!;
    const { claims } = epochsOf(view).context;
    if (kind === 'reload') this.told.delete(node);
    if (emitted.length === 0 && claims === this.claims.get(node)) return;
    this.claims.set(node, claims);
    const told = this.told.get(node) ?? new Map<string, number>();
    this.told.set(node, told);
    for (const notification of emitted) {
      if (notification.type === 'lock.released' || notification.type === 'lock.lost') told.delete(notification.lock);
      if (notification.type !== 'lock.granted') continue;
      told.set(notification.lock, notification.fence);
      this.everTold.add(`${node} ${notification.lock} ${notification.fence}`);
    }
    const used = new Map(usesAt(view, node).map(({ lock, fence }) => [lock, fence]));
    this.isTold &&=
      [...told].every(([lock, fence]) => used.get(lock) === fence) &&
      [...used].every(([lock, fence]) => this.everTold.has(`${node} ${lock} ${fence}`));
  }

  /** Of the last epoch that has begun; an earlier one may begin late at somebody who was slow. */
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
      always('who has a lock was told so, and who was told has it', this.isTold),
      always('who keeps a lock has the largest fence', !this.hasKeptSmaller),
      always('no two are told of different lists of one version', this.isOneList),
      always('until something fails, fences grow', !this.hasFallen),
      always('until something fails, one user', !this.hasTwoUsers),
      always('until something fails, nobody loses a lock', !this.hasLost),
      ...(this.isInRealTime === null
        ? []
        : [always('a confirmed fence is larger than all granted before its request', this.isInRealTime)]),
    ];
  }
}

const isFailure = ({ kind, event }: Step): boolean =>
  kind === 'crash' || kind === 'restart' || kind === 'reload' || kind === 'corrupt' || event.type === 'link.down';
