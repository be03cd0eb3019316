/**
 * Registers whose members change, over schedules from seeds: what was acknowledged is there once, in order, whoever has heard of which list, and
 * whoever holds the lock still without knowing that others have it. Each rule that is left out is found.
 */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { isMajority } from '../../machines/locks/epoch.js';
import { Random } from '../../network/random.js';
import type * as Copies from './register-copies.js';
import { RegisterWorld, wrongOf } from './register-model.fixture.js';

type Rules = Pick<typeof Copies, 'keepersAfter' | 'hasKeepers'>;

/** What is otherwise than it ships. */
const changed = vi.hoisted(() => ({ rules: {} as Partial<Rules> }));

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

const ALL = ['a', 'b', 'c', 'd', 'e'];

/** One voter is added, removed or replaced. */
function nextOf(voters: readonly string[], random: Random): readonly string[] {
  const others = ALL.filter((id) => !voters.includes(id));
  const gone = random.pick(voters);
  const kinds = [...(others.length > 0 ? [0, 1, 1] : []), ...(voters.length > 1 ? [2] : [])];
  const kind = random.pick(kinds);
  return [...(kind === 0 ? voters : voters.filter((id) => id !== gone)), ...(kind === 2 ? [] : [random.pick(others)])];
}

/**
 * Who has never stored anything, and hears from all members that they have not either, believes that there is nothing. So members are not changed so
 * fast that nobody who has is left before it has moved (docs/locks.md).
 */
function change(world: RegisterWorld, next: readonly string[], first: readonly string[]): void {
  const isWitnessed = next.some((id) => world.hasTrace(id)) || isMajority(first.filter((id) => next.includes(id)).length, first);
  if (isWitnessed) world.decide(next);
}

/** What is wrong after a run in which everything happens in any order; `null` for nothing. */
async function run(seed: number, steps = 250): Promise<string | null> {
  const random = new Random(seed, 'register');
  const size = random.pick([1, 2, 3, 3, 3]);
  const world = new RegisterWorld(random, ALL.slice(0, size), ALL);
  const up = (isUp: boolean) => ALL.filter((id) => Boolean(world.lives.get(id)?.isUp) === isUp);
  await world.step();
  const fewFail = random.chance(0.3);
  for (let i = 0; i < steps; i++) {
    const dice = random.below(100);
    if (dice < 8) world.change(random.pick(up(true)));
    else if (dice < 18 && (!world.isHeld || random.chance(0.3))) world.grant(random.chance(0.5));
    else if (dice < 19) world.take();
    else if (dice < 22) change(world, nextOf(world.decided.voters, random), ALL.slice(0, size));
    else if (dice < 26) world.learn(random.pick([...world.lives.keys()]), 1 + random.below(world.decided.version));
    else if (dice < 28 && up(true).length > 1 && !fewFail) world.crash(random.pick(up(true)));
    else if (dice < 32 && up(false).length > 0) world.start(random.pick(up(false)));
    else if (dice < 36) world.pass(100);
    else if (dice < 39) world.apart = random.chance(0.3) ? [] : ALL.filter(() => random.chance(0.5));
    else world.deliver();
    await world.step();
  }
  for (const id of up(false)) world.start(id);
  await world.step();
  for (const id of ALL) world.learn(id);
  const last = world.changes.length;
  for (const id of world.decided.voters) world.change(id);
  const all = world.changes.slice(last);
  if (!(await world.settle(() => all.every(({ returned }) => returned)))) return 'not all is answered in the end';
  const end = all
    .map(({ returned }) => returned!.value)
    .sort((one, other) => one.length - other.length)
    .at(-1)!;
  return wrongOf(world.changes, end);
}

async function wrongs(count: number, from = 0): Promise<string[]> {
  const all: string[] = [];
  for (let seed = from; seed < from + count; seed++) {
    const wrong = await run(seed);
    if (wrong !== null) all.push(`seed ${seed}: ${wrong}`);
  }
  return all;
}

test('what was acknowledged is there once and in order, whatever happens', async () => {
  expect(await wrongs(Number(process.env['SEEDS'] ?? 100))).toEqual([]);
}, 300_000);

describe('without a rule the runs show it:', () => {
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
});
