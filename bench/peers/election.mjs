// Election of a leader among four processes: the time from the first request until there is a leader, and from the SIGKILL of the leader
// until the next one. With broadcast-channel, the leader itself reports its election; with Quiver, all processes do.
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../../dist/bench/measure.js';
import { ms, samplesInTurn } from './measure.mjs';
import { start } from './servers.mjs';

const [PROCESSES, ROUNDS] = [4, 3];

async function elections(leader, script, ...args) {
  const ids = Array.from({ length: PROCESSES }, (_, i) => `p${i}`);
  const members = new Map();
  // Starts one process after the other: broadcast-channel crashes if it reads what another process is writing.
  for (const id of ids) {
    members.set(id, start(script, id, ids.join(), ...args));
    await members.get(id).nextMessage('ready');
  }
  await pause(1_000);
  const wanted = performance.now();
  const leading = leader(members);
  for (const { send } of members.values()) send('go');
  const first = await leading;
  const elect = performance.now() - wanted;
  await pause(2_000);
  const killed = performance.now();
  const dying = members.get(first);
  members.delete(first);
  const next = leader(members);
  await dying.kill();
  await next;
  const failOver = performance.now() - killed;
  await Promise.all([...members.values()].map(({ kill }) => kill()));
  return { elect, failOver };
}

/** The first member that reports itself as leader. */
const firstToLead = (members) => Promise.race([...members].map(([id, { nextMessage }]) => nextMessage('leads').then(() => id)));

/** The common leader, once all members report the same one. */
const allFollow = (members) =>
  new Promise((resolve) => {
    const leaders = new Map();
    for (const [id, { listen }] of members) {
      listen(({ what, leader }) => {
        if (what !== 'follows') return;
        leaders.set(id, leader);
        if (members.has(leader) && [...members.keys()].every((member) => leaders.get(member) === leader)) resolve(leader);
      });
    }
  });

async function quiver() {
  const hub = start('hub.mjs');
  const { port } = await hub.nextMessage('ready');
  const result = await elections(allFollow, 'quiver-member.mjs', `ws://127.0.0.1:${port}`);
  await hub.kill();
  return result;
}

export async function compareElections() {
  const samples = await samplesInTurn(ROUNDS, {
    'broadcast-channel, its election': () => elections(firstToLead, 'broadcast-channel-member.mjs'),
    'Quiver, WebSocket hub': quiver,
  });
  return Object.entries(samples).map(([who, rounds]) => ({
    what: `leader, ${PROCESSES} processes`,
    who,
    elected: ms(median(rounds.map(({ elect }) => elect))),
    'after SIGKILL of the leader': ms(median(rounds.map(({ failOver }) => failOver))),
  }));
}
