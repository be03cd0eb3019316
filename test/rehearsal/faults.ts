/**
 * What fails, and how it heals.
 *
 * | fault | what it is |
 * |---|---|
 * | `kill` | the process ends; its connections are reset; it starts again, its disk is there |
 * | `power` | its machine goes off without a word; what the disk had not made safe may be torn |
 * | `stop` | it gets SIGTERM, and is killed after five seconds, or at once if it does not listen; it starts again, once it has ended |
 * | `roll` | a rolling deployment: all peers are stopped and started again, one after the other, with the next `release` |
 * | `cold` | the power of all machines goes off, and they start one after the other |
 * | `pause` | it runs no more (SIGSTOP, a long collection of garbage), and goes on with all that came meanwhile |
 * | `cut`, `mute`, `deaf` | nobody reaches it and it nobody; nobody hears it; it hears nobody |
 * | `part` | it and one other do not reach each other |
 * | `oneway` | one other does not hear it |
 * | `split` | all are in two groups that do not reach each other |
 * | `slow` | all its ways and its disk take many times as long |
 * | `reset` | its connections are reset |
 * | `jump` | its clock is set |
 * | `drift` | its clock runs up to a tenth too fast or too slowly |
 * | `full` | its disk takes nothing more |
 *
 * Each holds until it has healed itself, whatever else fails and heals meanwhile: a process starts once nothing keeps it down, goes on
 * once nothing pauses it, and is as slow as the slowest makes it.
 */
import type { Disk } from './belongings.js';
import type { RehearsalFault } from './scenario.js';
import type { Process, VirtualWorld } from './world.js';

/** Strikes now; gives what heals it. */
export function strike(
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
      const ways = severedBy(fault, [...world.processes.keys()]);
      for (const [from, to] of ways) wires.sever(from, to);
      return () => {
        for (const [from, to] of ways) wires.mend(from, to);
      };
    }
    case 'slow':
      return bear(process, fault, (sizes) => {
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
      return bear(process, fault, (sizes) => process.runAt(world.now, sizes.at(-1) ?? 0));
    case 'full':
      disks.get(who)?.fill(true);
      return () => disks.get(who)?.fill(false);
  }
}

/** Of the faults of this kind that the process bears there are the sizes, the latest last, now and when this one has healed. */
function bear({ bearing }: Process, fault: RehearsalFault, apply: (sizes: readonly number[]) => void): () => void {
  const look = () => apply([...bearing].filter(({ what }) => what === fault.what).map(({ size }) => size));
  bearing.add(fault);
  look();
  return () => {
    bearing.delete(fault);
    look();
  };
}

type Way = readonly [from: string, to: string];

/** The ways that a fault severs; none where it is of another kind. `ids`: all processes, in the order in which they were defined. */
export function severedBy({ what, who, other, size }: RehearsalFault, ids: readonly string[]): readonly Way[] {
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

const between = ([these, those]: Groups): Way[] =>
  these.flatMap((one) => those.flatMap((other) => [[one, other] as const, [other, one] as const]));

/** One peer after the other: half of its time it is away, and half of it back. */
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
