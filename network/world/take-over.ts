/** Puts a node in the very state of another one. Not a method of the node: live ones have no use for it, and are weighed. */
import { SnapshotHost, SnapshotRole, type Host } from './hosts.js';
import type { Node } from './node.js';

/** Snapshots never change, so both may have the same ones; of any other host the view is put back. */
export function takeOver(node: Node, from: Node, host: Host): void {
  node.stop();
  for (const [name, role] of Object.entries(from.roles)) {
    const isShared = role instanceof SnapshotRole && host instanceof SnapshotHost;
    node.roles[name] = isShared
      ? new SnapshotRole(role.chart, role.snapshot, name, host.selections)
      : host.restore(role.view(), node.id, name);
  }
}
