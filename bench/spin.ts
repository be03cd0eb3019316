/**
 * Compares the checker with Spin, where `spin` and a C compiler are installed. The model is the token directory with Ivy's policy, in which
 * every node requests forever. Our Promela model (`bench/spin/ivy.pml`) has the same states and transitions.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { directory } from '../machines/directory/index.js';
import { completeGraph, names } from '../test/explore/fixtures.js';
import { explore, type ExploreOptions } from '../test/explore/explore.js';
import { inTurn, row, type MeasuredRow } from './measure.js';
import { hasCommand } from '../testing/servers.js';

const TOOLS = ['spin', 'cc'];
const MODEL = join(dirname(createRequire(import.meta.url).resolve('xstate-quiver/package.json')), 'bench/spin/ivy.pml');

/** The tools to install; `null` if none is missing. */
export function missingTools(): string | null {
  const missing = TOOLS.filter((tool) => !hasCommand(tool));
  const cure = 'apt-get install -y --no-install-recommends spin gcc libc6-dev';
  return missing.length === 0 ? null : `no ${missing.join(', and no ')} here: install with ${cure}`;
}

export interface Searched {
  readonly states: number;
  readonly transitions: number;
  /** Seconds of one core. */
  readonly seconds: number;
}

function ran(folder: string, command: string): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

function numberIn(report: string, pattern: RegExp): number {
  const [, found] = pattern.exec(report) ?? [];
  if (found === undefined) throw new Error(`Spin's report does not contain ${pattern.source}: ${report}`);
  return Number(found);
}

/** The program that Spin makes of the model, compiled. */
export class SpinSearch {
  private readonly folder = mkdtempSync(join(tmpdir(), 'quiver-spin-'));

  /** `watched`: with its assertions. */
  constructor(nodes: number, watched: boolean) {
    // By default, Spin leaves variables out of a state that are not read later, and counts fewer states.
    ran(this.folder, `spin -o2 -DN=${nodes} ${watched ? '-DWATCHED' : ''} -a '${MODEL}'`);
    ran(this.folder, 'cc -w -O3 -DSAFETY -DNOREDUCE -o pan pan.c');
  }

  run(): Searched {
    // The shell prints the times of its children on its last line: user and system time.
    const report = ran(this.folder, './pan -m200000 -w20 && times');
    const errors = numberIn(report, /errors: (\d+)/);
    if (errors > 0) throw new Error(`Spin found ${errors} errors: ${report}`);
    const times = [...report.matchAll(/(\d+)m([\d.]+)s/g)].slice(-2);
    return {
      states: numberIn(report, /(\d+) states, stored/),
      // Spin also counts the transitions to the first state.
      transitions: numberIn(report, /(\d+) transitions/) - 1,
      seconds: times.reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0),
    };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** The assertions of the Spin model, with the names of the properties of the directory. */
const ASSERTED = ['spanning tree', 'one token', 'one trace of a request'];

/** The properties to check: none, those that the Spin model asserts, or all of the directory. */
type Watched = 'nothing' | 'asserted' | 'all';

const isWatched: Record<Watched, (name: string) => boolean> = {
  nothing: () => false,
  asserted: (name) => ASSERTED.includes(name),
  all: () => true,
};

/** The same system, searched by the checker. */
export function checkerSearch(nodes: number, watched: Watched): Searched {
  const parents = Object.fromEntries(names(nodes).map((node) => [node, names(nodes)[0]!]));
  const question: ExploreOptions = {
    topology: completeGraph(nodes),
    options: { policy: 'ivy', hold: 1, parents, root: names(nodes)[0]! },
    commands: { unlimited: ['request'] },
  };
  const properties: typeof directory.properties = (instance) =>
    directory.properties(instance).filter(({ name }) => isWatched[watched](name));
  const begin = process.cpuUsage();
  const { states, transitions, verdict } = explore({ ...directory, properties }, question);
  const { user, system } = process.cpuUsage(begin);
  if (verdict !== 'valid') throw new Error(`The verdict of the directory is ${verdict}. Expected valid.`);
  return { states, transitions, seconds: (user + system) / 1e6 };
}

const NODES = 5;
const ROUNDS = 5;
const SEARCHES = {
  bare: { watched: 'nothing', spin: '', checker: '' },
  'with assertions': { watched: 'asserted', spin: ' with three assertions', checker: ' with the same three invariants' },
  'with all properties': {
    watched: 'all',
    spin: ' with three assertions',
    checker: ' with seven invariants and the promise on endless runs',
  },
} as const satisfies Record<string, { readonly watched: Watched; readonly spin: string; readonly checker: string }>;

export function spinRows(): MeasuredRow[] {
  const missing = missingTools();
  if (missing !== null) return [row('Spin next to the checker', `left out: ${missing}`)];
  return Object.entries(SEARCHES).flatMap(([name, search]) => {
    const spin = new SpinSearch(NODES, search.watched !== 'nothing');
    try {
      return compared(name, spin, search);
    } finally {
      spin.remove();
    }
  });
}

function compared(
  name: string,
  spin: SpinSearch,
  { watched, ...judged }: (typeof SEARCHES)[keyof typeof SEARCHES],
): MeasuredRow[] {
  const [theirs, ours] = [spin.run(), checkerSearch(NODES, watched)];
  const isSame = theirs.states === ours.states && theirs.transitions === ours.transitions;
  const rates: Record<'spin' | 'checker', number[]> = { spin: [], checker: [] };
  const rateOf = (who: 'spin' | 'checker', { transitions, seconds }: Searched) => {
    rates[who].push(transitions / seconds);
    return rates[who].at(-1)!;
  };
  const median = inTurn(ROUNDS, {
    spin: () => rateOf('spin', spin.run()),
    checker: () => rateOf('checker', checkerSearch(NODES, watched)),
  });
  const cells = (who: 'spin' | 'checker') => {
    // The first is to warm up.
    const [least, most] = [Math.min(...rates[who].slice(1)), Math.max(...rates[who].slice(1))];
    const thousands = (rate: number) => Math.round(rate / 1e3).toLocaleString('en-US');
    return `${thousands(median[who])} (${thousands(least)} to ${thousands(most)})`;
  };
  const ratio = median.checker / median.spin;
  const counts = ({ states, transitions }: Searched) =>
    `${states.toLocaleString('en-US')} states, ${transitions.toLocaleString('en-US')} transitions`;
  return [
    row(`${name}: Spin's counts`, counts(theirs), counts(ours), isSame),
    row(`${name}: thousand transitions/s, Spin${judged.spin}`, cells('spin')),
    row(`${name}: thousand transitions/s, checker${judged.checker}`, cells('checker')),
    row(`${name}: checker / Spin`, ratio.toFixed(2), '1 or more', ratio >= 1),
  ];
}
