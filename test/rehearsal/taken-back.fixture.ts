/** The shipped code without the fix of a known defect: a copy of the build in which one line differs. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { listsUnder } from '../../testing/rehearsal/lists.js';
import { shippedFrom } from '../../testing/rehearsal/locks.js';
import { movingObjectsUnder, OBJECTS, unstoredObjectsUnder, type ShippedObjects } from '../../testing/rehearsal/objects.js';
import type { Main } from './peer.js';
import type { RehearseOptions } from './options.js';

/** In this file of the build, this is replaced by that. */
export type Cut = readonly [file: string, text: string, by: string];

export interface Defect {
  readonly name: string;
  /** Which judge is to find it. */
  readonly judge: readonly string[];
  readonly cuts: readonly Cut[];
  /**
   * The workload.
   *
   * @defaultValue locks
   */
  readonly under?: (shipped: ShippedObjects) => { readonly options: RehearseOptions; readonly main: Main };
  /** Wrong uses that the application adds. */
  readonly options?: Partial<RehearseOptions>;
  readonly knobs?: NonNullable<RehearseOptions['knobs']>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

export async function without({ name, cuts }: Pick<Defect, 'name' | 'cuts'>): Promise<ShippedObjects> {
  // Below node_modules, so that its imports are found.
  const folder = join(root, 'node_modules', '.cache', 'rehearsal', `${name.replaceAll(/\W+/g, '-')}-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const part of ['adapters', 'machines', 'network'])
    cpSync(join(root, 'dist', part), join(folder, part), { recursive: true, filter: (path) => !path.endsWith('.map') });
  for (const [file, text, by] of cuts) {
    const source = readFileSync(join(folder, file), 'utf8');
    if (!source.includes(text))
      throw new Error(`dist/${file} has no ${JSON.stringify(text)} any more; say anew how the cure is taken back`);
    writeFileSync(
      join(folder, file),
      source.replace(text, () => by),
    );
  }
  const shipped = await shippedFrom<ShippedObjects>(
    (path) => import(/* @vite-ignore */ pathToFileURL(join(folder, 'adapters', `${path}.js`)).href),
    OBJECTS,
  );
  rmSync(folder, { recursive: true, force: true });
  return shipped;
}

/** Defects that were known once, or that a rule of machines/locks/SPEC.md keeps away. */
export const DEFECTS: readonly Defect[] = [
  {
    name: 'no lock passes from one epoch to the next (rule 5)',
    judge: ['undisturbed', 'alone'],
    cuts: [['machines/locks/promises.js', 'return kept.sort(', 'return [].sort(']],
  },
  {
    name: 'a peer that starts takes the lock of a holder (rule 6)',
    judge: ['undisturbed', 'alone', 'fences'],
    cuts: [
      [
        'machines/locks/knowledge.js',
        'return c.links.filter((peer) => present.has(peer) &&',
        'return c.links.filter((peer) => false && present.has(peer) &&',
      ],
    ],
  },
  {
    name: 'fences run into those of the next epoch (rule 8)',
    judge: ['fences'],
    options: { limits: ['small'] },
    cuts: [
      ['machines/locks/lock.js', 'isBeyondNumbers: (', 'isBeyondNumbers: () => false, unused: ('],
      ['machines/locks/lock.js', 'isHalfSpent(', '((..._) => false)('],
    ],
  },
  {
    name: 'an epoch without room for another lock does not ask for the next (rule 8)',
    judge: ['settles'],
    options: { limits: ['small'] },
    knobs: { names: [40] },
    cuts: [
      ['machines/locks/epochs.js', 'toLock, reportCrowded]', 'toLock]'],
      ['machines/locks/epochs.js', '[...openIt, reportCrowded]', '[...openIt]'],
      [
        'machines/locks/epochs.js',
        "guard: withEvent('isFindWithoutRoom'), actions: reportCrowded",
        "guard: withEvent('isFindWithoutRoom'), actions: []",
      ],
      ['machines/locks/epochs.js', 'toDirectory, reportCrowded]', 'toDirectory]'],
    ],
  },
  {
    name: 'messages before their epoch are dropped',
    judge: ['settles'],
    cuts: [['machines/locks/epochs.js', 'keepEarly: assign(earlyAfter)', 'keepEarly: assign({})']],
  },
  {
    name: 'a lost connection is not made again',
    judge: ['settles'],
    cuts: [['adapters/transports/reconnecting.js', 'this.tryNext(attempt.place, error)', 'void 0']],
  },
  {
    name: 'a hub believes that a seat is held, and does not ask',
    judge: ['no errors', 'settles'],
    cuts: [['adapters/transports/hub.js', '(await holder.line.answers())', 'true']],
  },
  {
    name: 'peers with another list of peers are let in',
    judge: ['settles', 'alone', 'undisturbed', 'fences'],
    cuts: [
      [
        'machines/locks/membership.js',
        'isOfAnotherCluster = (a, b) =>',
        'isOfAnotherCluster = () => false; export const unused = (a, b) =>',
      ],
    ],
    options: { peers: 5 },
    knobs: { lists: ['differ'] },
  },
  {
    name: 'a peer with another list stops (rule 14)',
    judge: ['the right go on'],
    under: listsUnder,
    cuts: [['machines/locks/guards.js', '    isOutvoted,', '    isOutvoted: isForeign,']],
  },
  {
    name: 'no peer gives way (rule 14)',
    judge: ['settles'],
    under: listsUnder,
    cuts: [
      [
        'machines/locks/guards.js',
        'mayGiveWay: (args, event) => isForeign(args, event)',
        'mayGiveWay: (args, event) => false && isForeign(args, event)',
      ],
    ],
  },
  {
    name: 'forgotten promises count (rule 4)',
    judge: ['fences'],
    cuts: [['machines/locks/promises.js', 'votes.filter(remembers).length', 'votes.length']],
  },
  {
    name: 'a register counts the first list forever',
    judge: ['answered'],
    under: movingObjectsUnder,
    cuts: [
      [
        'adapters/locks/register-copies.js',
        'return { version: membership.version, peers: membership.voters };',
        'return { version: 1, peers: locks.peers };',
      ],
    ],
  },
  {
    name: 'a register counts as many numbers to an epoch as ship',
    judge: ['answered'],
    under: unstoredObjectsUnder,
    cuts: [
      [
        'adapters/locks/register.js',
        'firstFence(epoch, knowledgeAt(this.locks.node).bounds.grants)',
        'firstFence(epoch, 2 ** 13)',
      ],
    ],
  },
  {
    name: 'a change of members does not wait for what they keep',
    judge: ['answered', 'linearizable count', 'unique name', 'within budget'],
    under: movingObjectsUnder,
    cuts: [['adapters/locks/members.js', 'await Promise.all([...this.registers].map((register) => register.moved()));', '']],
  },
];
