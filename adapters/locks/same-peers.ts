/**
 * Whether everybody was given the same list of peers: two lists can make two majorities.
 *
 * Each peer says its list to whoever comes up, on a conversation of its own that opens before that of the locks. So a peer that is not in
 * a list is heard as well.
 */
import { isObject } from '../../machines/checks.js';
import type { Message, NodeId } from '../../machines/effects.js';
import { Channels } from '../node/channels.js';
import { ConfigurationError } from '../transports/errors.js';
import type { Transport } from '../transports/transport.js';

const PEERS = 'peers';

/** Calls `differ` with an error that says both lists, for each peer that was given another one; ends with the function it returns. */
export function comparePeers(
  transport: Transport,
  name: string,
  peers: readonly NodeId[],
  differ: (error: ConfigurationError) => void,
): () => void {
  const channels = Channels.of(transport);
  const conversation = `${name}/${PEERS}`;
  const own = peers.toSorted();
  const say = (to: NodeId) => channels.send(conversation, to, { type: PEERS, peers: own } as Message);
  channels.open(conversation, {
    message: (from, message) => {
      if (!isObject(message) || !Array.isArray(message['peers'])) return;
      const theirs = message['peers'].map(String);
      if (JSON.stringify(theirs) === JSON.stringify(own)) return;
      differ(
        new ConfigurationError(
          `peer "${from}" was given the peers ${theirs.join(', ')} for "${name}", and "${transport.id}" was given ${own.join(', ')}; give both the same list`,
        ),
      );
    },
    peer: (type, peer) => {
      if (type === 'up') say(peer);
    },
  });
  for (const peer of transport.peers) say(peer);
  return () => channels.close(conversation);
}
