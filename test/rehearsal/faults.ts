/**
 * What fails, and how it heals.
 *
 * | fault | what it is |
 * |---|---|
 * | `kill` | the process ends; its connections are reset; it starts again, its disk is there |
 * | `power` | its machine goes off without a word; what the disk had not made safe may be torn |
 * | `pause` | it runs no more (SIGSTOP, a long collection of garbage), and goes on with all that came meanwhile |
 * | `cut`, `mute`, `deaf` | nobody reaches it and it nobody; nobody hears it; it hears nobody |
 * | `part` | it and one other do not reach each other |
 * | `slow` | all its ways and its disk take many times as long |
 * | `reset` | its connections are reset |
 * | `jump` | its clock is set |
 */
import type { Disk } from './belongings.js';
import type { RehearsalFault } from './scenario.js';
import type { VirtualWorld } from './world.js';

/** Strikes now; gives what heals it. */
export function strike(world: VirtualWorld, fault: RehearsalFault, disks: ReadonlyMap<string, Disk>): () => void {
  const { what, who, other, size } = fault;
  const process = world.processes.get(who)!;
  const { wires } = world;
  const others = [...world.processes.keys()].filter((id) => id !== who);
  const sever = (ways: readonly (readonly [string, string])[]) => {
    for (const [from, to] of ways) wires.sever(from, to);
    return () => {
      for (const [from, to] of ways) wires.mend(from, to);
    };
  };
  const [out, into] = [others.map((id) => [who, id] as const), others.map((id) => [id, who] as const)];
  switch (what) {
    case 'kill':
    case 'power':
      world.end(process, what === 'power');
      if (what === 'power') disks.get(who)?.lose();
      return () => world.start(process);
    case 'pause':
      world.pause(process);
      return () => world.resume(process);
    case 'cut':
      return sever([...out, ...into]);
    case 'mute':
      return sever(out);
    case 'deaf':
      return sever(into);
    case 'part':
      return sever([
        [who, other],
        [other, who],
      ]);
    case 'slow':
      wires.slow(who, size);
      disks.get(who)?.slow(size);
      return () => {
        wires.slow(who, 1);
        disks.get(who)?.slow(1);
      };
    case 'reset':
      for (const reset of process.resetting) reset();
      return () => {};
    case 'jump':
      process.skewMs += size;
      return () => {};
  }
}
