/** A room of four players and one ball: only the holder of the ball plays, and the fences of its lock order all moves. */
import { firstValueFrom } from 'rxjs';
import { WebSocket } from 'ws';
import { createLocks } from 'xstate-quiver/locks';
import { linked, webSocket } from 'xstate-quiver/transports';
import { webSocketHub } from 'xstate-quiver/transports/node';

type Move = [fence: number, what: string];

const peers = ['ann', 'bob', 'cy', 'dan'];
const [court, talk] = [await webSocketHub({ port: 0 }), await webSocketHub({ port: 0 })];

async function play(id: string): Promise<string> {
  const line = ({ port }: typeof court) => linked(webSocket({ id, url: `ws://127.0.0.1:${port}`, WebSocket }), { peers });
  const [transport, others] = [line(court), line(talk)];
  const locks = createLocks({ transport, peers });
  const game = new Map<number, string>();
  others.events.subscribe((event) => {
    if (event.type === 'message') game.set(...(event.message as Move));
  });
  await others.connect();
  for (const what of ['runs', 'passes', 'shoots']) {
    await using ball = await locks.acquire('ball');
    const move: Move = [ball.fence, `${id} ${what}`];
    game.set(...move);
    for (const peer of peers) if (peer !== id) others.send(peer, move);
  }
  while (game.size < 12) await firstValueFrom(others.events);
  await Promise.all([others.close(), transport.close()]);
  return [...game]
    .sort(([a], [b]) => a - b)
    .map(([, what]) => what)
    .join(', ');
}

for (const game of new Set(await Promise.all(peers.map(play)))) console.log(game);
await Promise.all([court.close(), talk.close()]);
