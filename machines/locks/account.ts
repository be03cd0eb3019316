/** Follows the grants of a run: each has a larger fence than all that were made known before it in its own majority. */
import type { NodeId } from '../effects.js';
import type { Configuration, Meter, Observer, PropertyResult, Step } from '../protocol.js';
import type { LockNotice } from './messages.js';
import { stewardOf } from './view.js';

export class LocksAccount implements Observer {
  private readonly grants: { readonly node: NodeId; readonly fence: number }[] = [];
  private readonly fences = new Set<string>();
  private lost = 0;
  private messages = 0;
  private isRepeated = false;

  record(step: Step): void {
    this.messages += step.sent.length;
    for (const notice of step.emitted as unknown as LockNotice[]) {
      if (notice.type === 'lock.lost') this.lost++;
      if (notice.type !== 'lock.granted') continue;
      const key = `${notice.lock} ${notice.fence}`;
      this.isRepeated ||= this.fences.has(key);
      this.fences.add(key);
      this.grants.push({ node: step.node, fence: notice.fence });
    }
  }

  summary(c: Configuration): Readonly<Record<string, unknown>> {
    const epochs = Object.fromEntries([...c.nodes].map(([node, view]) => [node, stewardOf(view).context.epoch]));
    return { grants: this.grants, lost: this.lost, epochs };
  }

  meters(): readonly Meter[] {
    const measured = this.grants.length === 0 ? this.messages : this.messages / this.grants.length;
    return [{ name: 'messages per grant', measured, bound: null, ratio: null }];
  }

  properties(): readonly PropertyResult[] {
    return [{ name: 'no fence granted twice', kind: 'always', holds: !this.isRepeated }];
  }
}
