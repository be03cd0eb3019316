/**
 * Registers whose members change, in random schedules: acknowledged changes are present once and in order, whichever peers know which list,
 * and even if a holder does not know that it has lost the lock. Each rule that is left out is detected.
 */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { isMajority } from '../../machines/locks/epoch.js';
import { hasRoomForVoters } from '../../machines/locks/membership.js';
import { Random } from '../../network/random.js';
import type * as Copies from './register-copies.js';
import type { RegisterRoom } from './register-room.js';
import { RegisterWorld, wrongOf } from './register-model.fixture.js';

type Rules = Pick<typeof Copies, 'keepersAfter' | 'hasKeepers'>;

/** Differences from the shipped code. */
const changed = vi.hoisted(() => ({ rules: {} as Partial<Rules>, room: {} as Partial<RegisterRoom> }));

vi.mock('./register-room.js', async (original) => {
  const real = await original<{ RegisterRoom: typeof RegisterRoom }>();
  class Changed extends real.RegisterRoom {
    constructor(...args: ConstructorParameters<typeof RegisterRoom>) {
      super(...args);
      Object.assign(this, changed.room);
    }
  }
  return { RegisterRoom: Changed };
});

vi.mock('./register-copies.js', async (original) => {
  const real = await original<typeof Copies>();
  return {
    ...real,
    keepersAfter: (...args: Parameters<Rules['keepersAfter']>) => (changed.rules.keepersAfter ?? real.keepersAfter)(...args),
    hasKeepers: (...args: Parameters<Rules['hasKeepers']>) => (changed.rules.hasKeepers ?? real.hasKeepers)(...args),
  };
});

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});

/** All possible voters, and the bytes of messages. */
interface World {
  readonly all: readonly string[];
  readonly bytes?: number;
}
const LARGE: World = { all: ['a', 'b', 'c', 'd', 'e'] };
/** Values around the limit, and peers with ids so long that two lists of them fill the rest. */
const NARROW: World = { all: ['a', 'b', 'ccccccccccccc', 'd'.repeat(21), 'éé'], bytes: 1_000 };

/** Adds, removes or replaces one voter. */
function nextOf(voters: readonly string[], all: readonly string[], random: Random): readonly string[] {
  const others = all.filter((id) => !voters.includes(id));
  const gone = random.pick(voters);
  const kinds = [...(others.length > 0 ? [0, 1, 1] : []), ...(voters.length > 1 ? [2] : [])];
  const kind = random.pick(kinds);
  return [...(kind === 0 ? voters : voters.filter((id) => id !== gone)), ...(kind === 2 ? [] : [random.pick(others)])];
}

/**
 * A peer that has never stored anything, and learns the same from all members, concludes that nothing was written. Members are therefore
 * changed so slowly that a member with a copy remains until it has moved (docs/locks.md).
 */
function change(world: RegisterWorld, next: readonly string[], first: readonly string[]): void {
  const isWitnessed = next.some((id) => world.hasTrace(id)) || isMajority(first.filter((id) => next.includes(id)).length, first);
  if (isWitnessed && hasRoomForVoters(next, world.messageBytesMax)) world.decide(next);
}

/** The mistake after a run in which everything happens in any order; `null` for none. */
async function run(seed: number, { all, bytes }: World, steps = 250): Promise<string | null> {
  vi.mocked(console.warn).mockClear();
  const random = new Random(seed, 'register');
  const size = random.pick([1, 2, 3, 3, 3]);
  const first = all.slice(0, size);
  const world = new RegisterWorld(random, first, all, bytes);
  const up = (isUp: boolean) => all.filter((id) => Boolean(world.lives.get(id)?.isUp) === isUp);
  await world.step();
  const fewFail = random.chance(0.3);
  for (let i = 0; i < steps; i++) {
    const dice = random.below(100);
    if (dice < 8) world.change(random.pick(up(true)), bytes === undefined ? '' : 'x'.repeat(bytes / 2 + random.below(bytes / 2)));
    else if (dice < 18 && (!world.isHeld || random.chance(0.3))) world.grant(random.chance(0.5));
    else if (dice < 19) world.take();
    else if (dice < 22) change(world, nextOf(world.decided.voters, all, random), first);
    else if (dice < 26) world.learn(random.pick([...world.lives.keys()]), 1 + random.below(world.decided.version));
    else if (dice < 28 && up(true).length > 1 && !fewFail) world.crash(random.pick(up(true)));
    else if (dice < 32 && up(false).length > 0) world.start(random.pick(up(false)));
    else if (dice < 36) world.pass(100);
    else if (dice < 39) world.apart = random.chance(0.3) ? [] : all.filter(() => random.chance(0.5));
    else world.deliver();
    await world.step();
  }
  for (const id of up(false)) world.start(id);
  await world.step();
  for (const id of all) world.learn(id);
  const last = world.changes.length;
  for (const id of world.decided.voters) world.change(id);
  const final = world.changes.slice(last);
  if (!(await world.settle(() => final.every(({ returned }) => returned)))) return 'not all is answered in the end';
  const end = final
    .map(({ returned }) => returned!.value)
    .sort((one, other) => one.length - other.length)
    .at(-1)!;
  return stuck() ?? wrongOf(world.changes, end);
}

/** A value that fitted when it was written fits with all possible members, and can be read. */
const stuck = (): string | null =>
  vi
    .mocked(console.warn)
    .mock.calls.map(String)
    .find((text) => /cannot move .* too long|is too long for a message/.test(text)) ?? null;

async function wrongs(count: number, from = 0, of = LARGE): Promise<string[]> {
  const all: string[] = [];
  for (let seed = from; seed < from + count; seed++) {
    const wrong = await run(seed, of);
    if (wrong !== null) all.push(`seed ${seed}: ${wrong}`);
  }
  return all;
}

test('acknowledged changes are present once and in order, whatever happens', async () => {
  expect(await wrongs(Number(process.env['SEEDS'] ?? 100))).toEqual([]);
}, 300_000);

test('values around the limit are refused before a write, or kept and read by all', async () => {
  expect(await wrongs(Number(process.env['SEEDS'] ?? 100), 0, NARROW)).toEqual([]);
}, 300_000);

describe('the runs detect a missing rule:', () => {
  const real = vi.importActual<typeof Copies>('./register-copies.js');
  const RULES: Record<string, (rules: typeof Copies) => Partial<Rules>> = {
    'kept with the next list without having been kept with both': ({ keepersAfter }) => ({
      keepersAfter: (...args) => keepersAfter(...args).slice(-1),
    }),
    'kept with both once a majority of the new one has it': ({ hasKeepers }) => ({
      hasKeepers: (nodes, { from: _, ...keepers }) => hasKeepers(nodes, keepers),
    }),
  };

  test.each(Object.entries(RULES))(
    '%s',
    async (_, rule) => {
      changed.rules = rule(await real);
      onTestFinished(() => void (changed.rules = {}));
      let found: string[] = [];
      for (let seed = 100; found.length === 0 && seed < 600; seed += 10) found = await wrongs(10, seed);
      expect(found).not.toEqual([]);
    },
    300_000,
  );

  const ROOM: Record<string, [found: RegExp, room: Partial<RegisterRoom>]> = {
    'a value has what its present list leaves': [
      /cannot move .* too long/,
      {
        refused(this: RegisterRoom, value) {
          return this.refusedCopy({ fence: 0, value, keepers: { version: 1, peers: NARROW.all.slice(0, 3) } });
        },
      },
    ],
    'the room of an answer is not checked': [
      /not all is answered|too long for a message/,
      { refused: () => null, refusedCopy: () => null },
    ],
  };

  test.each(Object.entries(ROOM))(
    '%s',
    async (_, [description, room]) => {
      changed.room = room;
      onTestFinished(() => void (changed.room = {}));
      let found: string[] = [];
      for (let seed = 100; found.length === 0 && seed < 200; seed += 10) found = await wrongs(10, seed, NARROW);
      expect(found.join('\n')).toMatch(description);
    },
    300_000,
  );
});
