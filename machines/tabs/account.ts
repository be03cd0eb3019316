/** What a tab tells its application, held against whom it knows and whether it takes part. */
import { statePath } from '../checks.js';
import type { NodeId } from '../effects.js';
import type { Configuration, NodeView, Observer, PropertyResult, Step } from '../protocol.js';
import type { TabNotice } from './messages.js';
import { tabOf } from './view.js';

interface Known {
  readonly state: string;
  readonly peers: readonly NodeId[];
}

/** Counts who takes part and who has been missed. */
export class TabsAccount implements Observer {
  private readonly known = new Map<NodeId, Known>();
  private isTold = true;
  private isFinal = true;

  record({ kind, node, event, emitted, sent }: Step, c: Configuration): void {
    const before = this.known.get(node);
    const after = knownBy(c.nodes.get(node)!);
    this.known.set(node, after);
    // A process that begins again knows nobody, and has told nobody that it did; who has left counts nobody any more.
    if (!before || !isOwn.has(kind) || before.state === 'left' || before.state === 'missed') return;
    if (
      !isFinal(
        before.state,
        after.state,
        event.type,
        sent.map(({ message }) => message.type),
      )
    )
      this.isFinal = false;
    const told = (emitted as readonly TabNotice[]).map(textOf).sort();
    if (told.join() !== changesOf(before, after).sort().join()) this.isTold = false;
  }

  summary(c: Configuration): Readonly<Record<string, unknown>> {
    const states = [...c.nodes].map(([id, node]) => [id, statePath(tabOf(node))]);
    return { states: Object.fromEntries(states) };
  }

  meters(): readonly [] {
    return [];
  }

  properties(): PropertyResult[] {
    return [
      { name: 'comings and goings are told', kind: 'always', holds: this.isTold },
      { name: 'who leaves or was missed says goodbye and takes part no more', kind: 'always', holds: this.isFinal },
    ];
  }
}

const isOwn: ReadonlySet<Step['kind']> = new Set(['deliver', 'timer', 'command'] as const);

const knownBy = (node: NodeView): Known => ({ state: statePath(tabOf(node)), peers: tabOf(node).context.peers });

/** A tab that is there goes where it is asked to, with a goodbye, and by no other way. */
function isFinal(before: string, after: string, event: string, said: readonly string[]): boolean {
  if (!before.startsWith('there')) return true;
  const end = event === 'leave' ? 'left' : event === 'missed' ? 'missed' : null;
  return end === null ? after.startsWith('there') : after === end && said.includes('bye');
}

function changesOf(before: Known, after: Known): string[] {
  const has = (state: string) => before.state !== state && after.state === state;
  const met = after.peers.filter((peer) => !before.peers.includes(peer));
  const gone = before.peers.filter((peer) => !after.peers.includes(peer));
  return [
    ...(has('there.present') ? ['present '] : []),
    ...(has('missed') ? ['missed '] : []),
    ...met.map((peer) => `link.up ${peer}`),
    ...gone.map((peer) => `link.down ${peer}`),
  ];
}

const textOf = (notice: TabNotice): string => `${notice.type} ${'peer' in notice ? notice.peer : ''}`;
