/**
 * The verbs of the command line, with their arguments and options. Help, completion and the types of the options come from this
 * table.
 */
import { keysOf } from '../machines/checks.js';

/** A command-line option. With `value` it takes a value; otherwise it is a flag. */
export interface OptionSpec {
  readonly value?: string;
  readonly description: string;
}

interface VerbSpec {
  readonly summary: string;
  /** The arguments, as shown in the usage line. */
  readonly takes: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly examples: readonly string[];
}

const json = { description: 'print one JSON object a line instead of text' };
const seed = { value: 'N', description: 'the random seed (default: the seed of the scenario)' };
const port = { value: 'N', description: 'the port to listen on (default: any free port)' };

export const verbs = {
  run: {
    summary: 'run scenarios; "-" reads one a line from standard input',
    takes: 'FILE…',
    options: {
      json,
      trace: { value: 'FILE', description: 'write the trace for explore, replay and verify; FILE.html is a self-contained page' },
      seed,
      host: { value: 'KIND', description: 'what runs the charts: actors (default) or snapshots, which are faster' },
      stop: { value: 'STEPS', description: 'report the first violation at once and end the run that many steps later' },
      'no-watch': { description: 'do not check the properties: faster, and the verdict is unknown' },
    },
    examples: ['npx quiver run ring.json --trace ring.ndjson', 'npx quiver run *.json --json'],
  },
  check: {
    summary:
      "explore every interleaving of small scenarios, or of a protocol's own small systems: does each promise hold in all orders?",
    takes: 'FILE… | --protocol FILE',
    options: {
      json,
      trace: { value: 'FILE', description: 'write the shortest counterexample as a trace; FILE.html is a self-contained page' },
      graphs: { value: 'N', description: 'check every connected network of N nodes instead of the topology of the scenario' },
      safety: { description: 'skip liveness: faster, and needs less memory' },
      search: { value: 'ORDER', description: 'breadth (default; finds the shortest counterexamples) or depth' },
      reduce: { value: 'WAY', description: 'symmetry: treat states as equal that differ only by a permutation of the nodes' },
      compact: {
        description:
          'store only a hash of each state, for searches larger than memory; a state may be missed, and the probability is reported',
      },
      cores: { value: 'N', description: 'how many cores search in parallel (default: 1)' },
      states: { value: 'N', description: 'stop after N states, with the verdict unknown' },
      depth: { value: 'N', description: 'limit the search to N steps from the start' },
      seconds: { value: 'N', description: 'stop after N seconds' },
      megabytes: { value: 'N', description: 'stop when the search uses N MB of memory' },
    },
    examples: ['npx quiver check deadlock.json --trace failure.ndjson', 'npx quiver check ring.json --graphs 4'],
  },
  test: {
    summary:
      "walk a protocol's charts and systems, or your XState machine: is every part of each chart reached, and does it do what is expected?",
    takes: 'PROTOCOL | FILE[#NAME]',
    options: {
      json,
      reporter: { value: 'NAME', description: 'text (default), json, or junit for CI reports' },
      watch: { description: 'repeat the tests when the module or one of its imports changes' },
      mutants: { description: 'make small mistakes in the charts: the tests must detect each of them' },
      seed: { value: 'N', description: 'the seed of walks and swarm (default: 1)' },
      emit: { value: 'FILE', description: 'write the generated paths as readable tests' },
      trace: {
        value: 'FILE',
        description: 'write the tours, or the path to a failure, for explore; FILE.html is a self-contained page',
      },
      reasons: { value: 'MODULE', description: 'protocols only: why parts are unreachable and mutants are equivalent' },
      swarm: { value: 'N', description: 'protocols only: run N random scenarios with faults' },
      save: { value: 'FOLDER', description: 'protocols only: save the scenario in which the swarm found a failure' },
      with: { value: 'MODULE', description: 'machines only: samples, services and expectations' },
      mode: { value: 'MODE', description: 'machines only: "pure" tests the chart, "live" (default) also runs its actors' },
      pairs: { description: 'machines only: also cover every pair of consecutive transitions' },
      lcov: { value: 'FOLDER', description: 'machines only: write coverage for tools that read LCOV' },
      counts: { value: 'FILE', description: 'machines only: add the counts of earlier runs, and write the sum' },
      replay: { value: 'STEPS', description: 'machines only: repeat the steps of a failure, as printed in the report' },
    },
    examples: [
      'npx quiver test directory --swarm 1000',
      'npx quiver test checkout.js --with checkout.tests.js',
      'npx quiver test my.ts#machine',
    ],
  },
  explore: {
    summary:
      'watch a run, a trace, a failed rehearsal, a story or live actors in the browser; without a file, the list of stories',
    takes: '[FILE]',
    options: {
      port,
      seed,
      story: { value: 'NAME', description: 'open this story' },
      contacts: { value: 'FILE', description: 'your own list of contacts for the story "districts"' },
      live: { description: 'wait for programs that report to the inspector' },
      save: {
        value: 'FILE',
        description: 'write a file instead of serving a page; the ending selects the format: .html, .svg, .shiviz.log',
      },
    },
    examples: [
      'npx quiver explore failure.ndjson --save failure.html',
      'npx quiver explore',
      'npx quiver explore failure.ndjson',
      'npx quiver explore --story deadlock',
    ],
  },
  replay: {
    summary: 'run a trace again and compare it byte for byte',
    takes: 'TRACE',
    options: {},
    examples: ['npx quiver replay failure.ndjson'],
  },
  verify: {
    summary: 'check a trace against charts and properties',
    takes: 'TRACE',
    options: { json },
    examples: ['npx quiver verify ring.ndjson'],
  },
  paper: {
    summary: 'in a checkout, reproduce the tables of papers: arvy, queue, election, exclusion, controller, or all',
    takes: 'NAME…',
    options: {
      json,
      html: { value: 'FILE', description: 'write one page of all tables and figures next to the expected figures' },
      svg: { value: 'FOLDER', description: 'write the plots and figures as SVG' },
    },
    examples: ['npx quiver paper arvy', 'npx quiver paper all --html papers.html'],
  },
  spawn: {
    summary: 'one node of a scenario as its own process, over WebSockets',
    takes: 'FILE NODE',
    options: {
      url: { value: 'URL', description: 'the hub to connect to' },
      hub: { value: 'PORT', description: 'also host the hub, on this port' },
      trace: { value: 'FILE', description: 'write a live trace of the node' },
      inspect: { description: 'serve the inspector for this node' },
    },
    examples: ['npx quiver spawn locks.json n0 --hub 8080', 'npx quiver spawn locks.json n1 --url ws://127.0.0.1:8080'],
  },
  rehearse: {
    summary: 'your application, or a recorded failure of it, under faults in virtual time',
    takes: 'FILE[#NAME] [FAILURE]',
    options: {
      json,
      runs: { value: 'N', description: 'how many schedules to run (default: the number in the module, or 100)' },
      seed: { value: 'N', description: 'the seed of the first schedule; each next schedule uses the next seed' },
      save: { value: 'FILE', description: 'save the failure, shrunk' },
    },
    examples: [
      'npx quiver rehearse invoices.js --save failure.json',
      'npx quiver rehearse invoices.js failure.json',
      'npx quiver rehearse invoices.js --runs 20000',
    ],
  },
  cluster: {
    summary:
      'show a running cluster of locks, or change its voters: status, add ID, remove ID, replace OLD NEW, withdraw, or recover FOLDER; the variable QUIVER_TOKEN contains its token',
    takes: 'ACTION',
    options: {
      json,
      url: { value: 'URL', description: 'the address at which a peer serves operatorListener' },
      force: { description: 'recover only: make the voter of the folder the only one, although state may be lost' },
      seconds: { value: 'N', description: 'how long to wait for answers (default: 1) or for a change (default: 10)' },
    },
    examples: [
      'npx quiver cluster status --url http://127.0.0.1:7070/',
      'npx quiver cluster replace c d --url http://127.0.0.1:7070/',
    ],
  },
  init: {
    summary: 'write a program with a test and a README into an empty folder',
    takes: '[FOLDER]',
    options: {
      template: { value: 'NAME', description: 'protocol (default), backend, tabs, xstate or testing' },
      typescript: { description: 'write TypeScript instead of JavaScript' },
    },
    examples: [
      'npx -p xstate-quiver quiver init my-protocol',
      'npx -p xstate-quiver quiver init my-service --template backend --typescript',
    ],
  },
  completion: {
    summary: 'print the completion of this command for a shell: bash, zsh or fish',
    takes: 'SHELL',
    options: {},
    examples: ['source <(npx quiver completion bash)', 'npx quiver completion fish > ~/.config/fish/completions/quiver.fish'],
  },
} as const satisfies Readonly<Record<string, VerbSpec>>;

export type Verb = keyof typeof verbs;

export const verbNames: readonly Verb[] = keysOf(verbs);

/** The options that every command accepts. */
export const sharedOptions: Readonly<Record<string, OptionSpec>> = {
  protocol: { value: 'FILE', description: 'a module that exports your own protocol; may be repeated' },
  'no-color': { description: 'print without colors, as does the variable NO_COLOR' },
  help: { description: 'show the purpose and the options of a command' },
};

/** The values of a command's options. Each key is the name of an option. */
export type ValuesOf<V extends Verb> = {
  readonly [K in keyof (typeof verbs)[V]['options']]?: (typeof verbs)[V]['options'][K] extends { readonly value: string }
    ? string
    : boolean;
};

/** The implementation of a verb: takes options and other words, returns the exit status. Invalid usage throws a `UsageError`. */
export type VerbWork<V extends Verb> = (values: ValuesOf<V>, words: readonly string[]) => Promise<number>;
