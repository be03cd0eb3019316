/**
 * Faults, and how they heal.
 *
 * | fault | effect |
 * |---|---|
 * | `kill` | the process ends and resets its connections; it restarts with its disk |
 * | `power` | the machine turns off silently; unsynced writes may be torn |
 * | `stop` | the process gets SIGTERM, and is killed after five seconds, or immediately without a listener; then it restarts |
 * | `roll` | a rolling deployment: all peers stop and restart, one after the other, with the next `release` |
 * | `cold` | all machines lose power and start one after the other |
 * | `pause` | the process stops running (SIGSTOP, a long garbage collection) and later continues with everything that has arrived |
 * | `cut`, `mute`, `deaf` | the process is unreachable in both directions; its messages do not arrive; it receives nothing |
 * | `part` | the process and another one do not reach each other |
 * | `oneway` | messages from the process do not reach another one |
 * | `split` | all processes are in two groups that do not reach each other |
 * | `slow` | the process's network and disk take many times as long |
 * | `reset` | the process's connections are reset |
 * | `jump` | the process's clock is set |
 * | `drift` | the process's clock runs up to 10% too fast or too slowly |
 * | `full` | the process's disk rejects writes |
 *
 * Faults overlap independently. A process starts when no fault keeps it down, continues when no fault pauses it, and is as slow as the
 * slowest fault makes it.
 */
import type { Disk } from './belongings.js';
import type { RehearsalFault } from './scenario.js';
import type { Process, VirtualWorld } from './world.js';

/** Applies a fault to the world and returns the function that ends it. */
export function applyFault(
  world: VirtualWorld,
  fault: RehearsalFault,
  disks: ReadonlyMap<string, Disk>,
  peers: readonly string[],
): () => void {
  const { what, who, size, lastsMs } = fault;
  const process = world.processes.get(who)!;
  const { wires } = world;
  switch (what) {
    case 'kill':
    case 'power': {
      const release = world.hold(process);
      world.end(process, what === 'power');
      if (what === 'power') disks.get(who)?.lose();
      return release;
    }
    case 'stop': {
      const release = world.hold(process);
      world.stop(process);
      return release;
    }
    case 'roll':
      return roll(world, peers, lastsMs);
    case 'cold':
      return loseAll(world, disks, lastsMs);
    case 'pause':
      return world.pause(process);
    case 'cut':
    case 'mute':
    case 'deaf':
    case 'part':
    case 'oneway':
    case 'split': {
      const paths = severedBy(fault, [...world.processes.keys()]);
      for (const [from, to] of paths) wires.sever(from, to);
      return () => {
        for (const [from, to] of paths) wires.restore(from, to);
      };
    }
    case 'slow':
      return trackFault(process, fault, (sizes) => {
        const factor = Math.max(1, ...sizes);
        wires.slow(who, factor);
        disks.get(who)?.slow(factor);
      });
    case 'reset':
      for (const reset of process.resetting) reset();
      return () => {};
    case 'jump':
      process.skewMs += size;
      return () => {};
    case 'drift':
      return trackFault(process, fault, (sizes) => process.runAt(world.now, sizes.at(-1) ?? 0));
    case 'full':
      disks.get(who)?.fill(true);
      return () => disks.get(who)?.fill(false);
  }
}

/** Calls `apply` with the sizes of all active faults of this kind, latest last, now and when this one has healed. */
function trackFault({ activeFaults }: Process, fault: RehearsalFault, apply: (sizes: readonly number[]) => void): () => void {
  const look = () => apply([...activeFaults].filter(({ what }) => what === fault.what).map(({ size }) => size));
  activeFaults.add(fault);
  look();
  return () => {
    activeFaults.delete(fault);
    look();
  };
}

type Path = readonly [from: string, to: string];

/** The paths that a fault severs; none for other kinds. `ids` are all processes in the order of their definition. */
export function severedBy({ what, who, other, size }: RehearsalFault, ids: readonly string[]): readonly Path[] {
  const others = ids.filter((id) => id !== who);
  const [out, into] = [others.map((id) => [who, id] as const), others.map((id) => [id, who] as const)];
  switch (what) {
    case 'cut':
      return [...out, ...into];
    case 'mute':
      return out;
    case 'deaf':
      return into;
    case 'part':
      return [
        [who, other],
        [other, who],
      ];
    case 'oneway':
      return [[who, other]];
    case 'split':
      return between(groups(ids, who, other, size));
    default:
      return [];
  }
}

type Groups = readonly [readonly string[], readonly string[]];

function groups(ids: readonly string[], who: string, other: string, bits: number): Groups {
  const isWith = (id: string) => id !== other && (id === who || ((bits >> ids.indexOf(id)) & 1) === 1);
  return [ids.filter(isWith), ids.filter((id) => !isWith(id))];
}

const between = ([these, those]: Groups): Path[] =>
  these.flatMap((one) => those.flatMap((other) => [[one, other] as const, [other, one] as const]));

/** Stops one peer after the other; each is down for half of its time. */
function roll(world: VirtualWorld, peers: readonly string[], lastsMs: number): () => void {
  const each = lastsMs / peers.length;
  const processes = peers.map((id) => world.processes.get(id)!);
  for (const [i, process] of processes.entries()) {
    world.after(i * each, null, `${process.id} is deployed`, () => {
      process.release++;
      const release = world.hold(process);
      world.stop(process);
      world.after(each / 2, null, 'and comes back', release);
    });
  }
  return () => {};
}

function loseAll(world: VirtualWorld, disks: ReadonlyMap<string, Disk>, lastsMs: number): () => void {
  const all = [...world.processes.values()];
  for (const [i, process] of all.entries()) {
    const release = world.hold(process);
    world.end(process, true);
    disks.get(process.id)?.lose();
    world.after((lastsMs * i) / all.length, null, `${process.id} starts cold`, release);
  }
  return () => {};
}
