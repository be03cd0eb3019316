/** The state after one line, one lookup for each thing. */
import type { Overlay, RoleView } from '../../machines/protocol.js';
import { lastAtMost } from './columns.js';
import type { MessageRow } from './messages.js';
import type { Channel, ReadTrace } from './recording.js';

export interface RoleNow {
  readonly role: string;
  readonly view: RoleView;
  /** The line that brought it into this state. */
  readonly since: number;
}

export type Life = 'alive' | 'suspected' | 'crashed' | 'failed' | 'gone' | 'ended';

/** A node of a program that no longer runs. */
export const STOPPED: readonly Life[] = ['ended', 'gone', 'failed'];

export class Moment {
  constructor(
    readonly recording: ReadTrace,
    /** The last line that has happened; one less than the first kept line when none has. */
    readonly line: number,
  ) {}

  /** The roles of a node, in the order in which they were opened. */
  roles(node: number): RoleNow[] {
    const roles: RoleNow[] = [];
    for (const { role, lines } of this.recording.slotsOf[node] ?? []) {
      const since = lines[lastAtMost(lines, this.line)];
      const view = since === undefined ? null : this.recording.step(since)?.roles[role];
      if (since !== undefined && view) roles.push({ role, view, since });
    }
    return roles;
  }

  /** The roles as they were before the line that changed one of them last. */
  roleBefore(node: number, role: string, since: number): RoleView | null {
    return new Moment(this.recording, since - 1).roles(node).find((now) => now.role === role)?.view ?? null;
  }

  overlay(node: number): Overlay | null {
    const lines = this.recording.overlays[node] ?? [];
    const since = lines[lastAtMost(lines, this.line)];
    return since === undefined ? null : (this.recording.step(since)?.overlay ?? null);
  }

  /** The member that hosts a cluster actor; -1 for none. */
  host(node: number): number {
    const { groups, nodes } = this.recording;
    const host = groups[node] === undefined ? undefined : this.overlay(node)?.pointers?.[0];
    return host ? nodes.find(host.to) : -1;
  }

  /** False while a node is crashed. */
  runs(node: number): boolean {
    return this.last(this.recording.running[node] ?? []) ?? true;
  }

  /**
   * `suspected`: it runs as far as is known, but the detector of another node has lost it. `ended`, `failed` and `gone` are live nodes that
   * have closed, that an error has ended, or whose program stopped reporting.
   */
  life(node: number): Life {
    if (!this.runs(node)) {
      const changes = this.recording.running[node]!;
      const how = this.recording.ends.get(changes[lastAtMost(changes, 2 * this.line + 1)]! >> 1);
      return how === 'ended' || how === 'gone' || how === 'failed' ? how : 'crashed';
    }
    const isLost = ({ from, to, changes }: Channel) =>
      to === node && this.last(changes) === false && this.runs(from) && !startsDown(changes);
    const isLive = this.recording.header?.live === true;
    return isLive && this.recording.channelsTo(node).some(isLost) ? 'suspected' : 'alive';
  }

  channelUp(from: number, to: number): boolean {
    const channel = this.recording.channels.get(`${from}>${to}`);
    return channel !== undefined && (this.last(channel.changes) ?? !startsDown(channel.changes));
  }

  flights(): MessageRow[] {
    return this.recording.messages.inFlightAt(this.line).map((ordinal) => this.recording.messages.get(ordinal));
  }

  private last(changes: readonly number[]): boolean | undefined {
    const change = changes[lastAtMost(changes, 2 * this.line + 1)];
    return change === undefined ? undefined : change % 2 === 1;
  }
}

/** A channel whose first change is to come up was not there before. */
const startsDown = (changes: readonly number[]): boolean => changes.length > 0 && changes[0]! % 2 === 1;
