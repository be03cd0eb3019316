/**
 * The link layer that objects add by default: `createLocks` and others accept any transport, and wrap one with too few guarantees in
 * `linked`. Objects on the same transport share one link. When the last of them closes, the link closes, and the transport with it.
 */
import type { NodeId } from '../machines/effects.js';
import { UsageError } from '../machines/errors.js';
import type { InEnvironment } from './environment.js';
import { linked } from './linked.js';
import type { LiveNode } from './node/node.js';
import { isTransport } from './options.js';
import type { Linked, Transport } from './transports/transport.js';

interface SharedLink {
  readonly link: Transport<Linked>;
  users: number;
}

const links = new WeakMap<Transport, SharedLink>();

const isLinked = ({ guarantees: { order, loss, duplication, presence } }: Transport): boolean =>
  order === 'fifo' && loss === 'none' && duplication === 'none' && presence === 'reported';

interface OnTransport extends InEnvironment {
  readonly transport: Transport;
  readonly peers?: readonly NodeId[];
  /** True for an object that does not vote. */
  readonly client?: boolean;
}

/** A reliable transport, and a function that its user calls when it no longer needs it. */
interface UsedLink {
  readonly transport: Transport<Linked>;
  readonly release: () => Promise<void>;
}

/** Creates the node of an object on a reliable transport. The node releases the transport when it has closed. */
export const nodeOnLink = <N extends LiveNode>(who: string, options: OnTransport, create: (transport: Transport<Linked>) => N) =>
  withLink(who, options, ({ transport, release }) => {
    const node = create(transport);
    node.released = node.closed.then(release);
    return { node, transport };
  });

/**
 * Creates an object on a reliable transport. If the creation fails, the given transport is as before.
 *
 * @param who the name of the factory, for errors.
 */
export function withLink<T>(who: string, options: OnTransport, create: (link: UsedLink) => T): T {
  const { transport, peers, client = false, clock, crypto } = options;
  if (!isTransport(transport) || isLinked(transport))
    return create({ transport: transport as Transport<Linked>, release: () => Promise.resolve() });
  if (!Array.isArray(peers))
    throw new UsageError(
      `${who}: transport "${transport.id}" may lose messages, and no peers are given. Wrap the transport: linked(transport, { peers })`,
    );
  const shared = links.get(transport) ?? {
    // Clients link with the peers of their list, and voters also with clients that are in no list.
    link: linked(transport, { peers, client, open: !client, ...(clock && { clock }), ...(crypto && { crypto }) }),
    users: 0,
  };
  let isReleased = false;
  const release = async (): Promise<void> => {
    if (isReleased) return;
    isReleased = true;
    if (--shared.users > 0) return;
    links.delete(transport);
    await shared.link.close();
  };
  const created = create({ transport: shared.link, release });
  shared.users++;
  links.set(transport, shared);
  return created;
}
