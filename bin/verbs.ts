/**
 * What the command line knows: its verbs, what each takes, and its options. Help, completion and the types of what a verb is given all
 * come from this table.
 */
/** Of an option with a value: how help calls the value. Without, it is a flag. */
export interface OptionSpec {
  readonly value?: string;
  readonly description: string;
}

interface VerbSpec {
  readonly summary: string;
  /** What it takes, as usage shows it. */
  readonly takes: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly examples: readonly string[];
}

const json = { description: 'print one JSON object a line in place of text' };
const seed = { value: 'N', description: 'the seed of chance, in place of the one in the scenario' };
const port = { value: 'N', description: 'the port to listen on; any free one unless told' };

export const verbs = {
  run: {
    summary: 'run scenarios; "-" reads one a line from standard input',
    takes: 'FILE…',
    options: {
      json,
      trace: {
        value: 'FILE',
        description: 'write the trace, for explore, replay and verify; as a page of its own to a FILE.html',
      },
      seed,
      host: { value: 'KIND', description: 'what carries the charts: actors (unless told) or snapshots, which are faster' },
      stop: { value: 'STEPS', description: 'end a run so many steps after its first violation, and say at once what it is' },
      'no-watch': { description: 'do not look at the properties: faster, and the verdict is unknown' },
    },
    examples: ['quiver run ring.json --trace ring.ndjson', 'quiver run *.json --json'],
  },
  check: {
    summary:
      "explore every interleaving of small scenarios, or of a protocol's own small systems: does what is promised hold in all orders? Which parts of a chart the tests reach is for quiver test",
    takes: 'FILE… | --protocol FILE',
    options: {
      json,
      trace: { value: 'FILE', description: 'write the shortest counterexample as a trace; as a page of its own to a FILE.html' },
      graphs: { value: 'N', description: 'on every connected network of N nodes in place of the one that the scenario names' },
      safety: { description: 'leave out liveness: faster, and needs less memory' },
      search: { value: 'ORDER', description: 'breadth (unless told; finds shortest counterexamples) or depth' },
      reduce: { value: 'WAY', description: 'symmetry: states that differ only in which node is which count as one' },
      compact: {
        description: 'keep a hash of each state, for searches larger than memory: one may be missed, and how likely is said',
      },
      cores: { value: 'N', description: 'how many cores search together; 1 unless told' },
      states: { value: 'N', description: 'stop after so many states, with the verdict unknown' },
      depth: { value: 'N', description: 'stop at so many steps from the start' },
      seconds: { value: 'N', description: 'stop after so long' },
      megabytes: { value: 'N', description: 'stop at so much memory' },
    },
    examples: ['quiver check deadlock.json --trace failure.ndjson', 'quiver check ring.json --graphs 4'],
  },
  test: {
    summary:
      "walk a protocol's charts and systems, or an XState machine of yours: paths, coverage, mutants. Is every part of each chart reached, and does it do there what is expected? Whether a promise holds in all orders of messages is for quiver check",
    takes: 'PROTOCOL | FILE[#NAME]',
    options: {
      json,
      reporter: { value: 'NAME', description: 'text (unless told), json, or junit for the reports of a CI' },
      watch: { description: 'test again whenever the module, or one that it imports, changes' },
      mutants: { description: 'make small mistakes in the charts, each of which the tests must notice' },
      seed: { value: 'N', description: 'the seed of walks and swarm; 1 unless told' },
      emit: { value: 'FILE', description: 'write the generated paths as tests to read and keep' },
      trace: {
        value: 'FILE',
        description: 'write the tours, or the way to a failure, for explore; as a page of its own to a FILE.html',
      },
      reasons: { value: 'MODULE', description: 'of a protocol: why parts cannot be reached and mutants are no mistakes' },
      swarm: { value: 'N', description: 'of a protocol: run so many random scenarios with faults' },
      save: { value: 'FOLDER', description: 'of a protocol: keep the scenario in which the swarm has found a failure' },
      with: { value: 'MODULE', description: 'of a machine: its samples, services and what must hold' },
      mode: { value: 'MODE', description: 'of a machine: "pure" for its chart alone, "live", unless told, for its actors' },
      pairs: { description: 'of a machine: also every pair of transitions in a row' },
      lcov: { value: 'FOLDER', description: 'of a machine: write coverage for tools that read LCOV' },
      counts: { value: 'FILE', description: 'of a machine: add the counts of earlier runs, and write the sum' },
      replay: { value: 'STEPS', description: 'of a machine: take the steps of a failure again, as the report prints them' },
    },
    examples: [
      'quiver test directory --swarm 1000',
      'quiver test checkout.js --with checkout.tests.js',
      'quiver test my.ts#machine',
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
      contacts: { value: 'FILE', description: 'for the story "districts": a list of contacts of your own' },
      live: { description: 'wait for programs that report' },
      save: {
        value: 'FILE',
        description: 'write it in place of serving it, by the ending: .html, .svg, .shiviz.log',
      },
    },
    examples: [
      'quiver explore failure.ndjson --save failure.html',
      'quiver explore',
      'quiver explore failure.ndjson',
      'quiver explore --story deadlock',
    ],
  },
  replay: {
    summary: 'run a trace again and compare it byte for byte',
    takes: 'TRACE',
    options: {},
    examples: ['quiver replay failure.ndjson'],
  },
  verify: {
    summary: 'check a trace against charts and properties',
    takes: 'TRACE',
    options: { json },
    examples: ['quiver verify ring.ndjson'],
  },
  paper: {
    summary: 'reproduce the tables of papers: arvy, queue, election, exclusion, controller, or all',
    takes: 'NAME…',
    options: {
      json,
      html: { value: 'FILE', description: 'write one page of all tables and figures beside the expected figures' },
      svg: { value: 'FOLDER', description: 'write the plots and figures as SVG' },
    },
    examples: ['quiver paper arvy', 'quiver paper all --html papers.html'],
  },
  spawn: {
    summary: 'one node of a scenario as a process of its own, on WebSockets',
    takes: 'FILE NODE',
    options: {
      url: { value: 'URL', description: 'the hub to connect to' },
      hub: { value: 'PORT', description: 'be the hub as well, on this port' },
      trace: { value: 'FILE', description: 'write what the node does as it does it' },
      inspect: { description: 'serve the inspector for this node' },
    },
    examples: ['quiver spawn locks.json n0 --hub 8080', 'quiver spawn locks.json n1 --url ws://127.0.0.1:8080'],
  },
  rehearse: {
    summary: 'an application of yours, or a failure of it again, under faults in virtual time',
    takes: 'FILE[#NAME] [FAILURE]',
    options: {
      json,
      runs: { value: 'N', description: 'how many schedules; what the module says, or 100, unless told' },
      seed: { value: 'N', description: 'the seed of the first one; the next has the next' },
      save: { value: 'FILE', description: 'keep the failure that is found, made short' },
    },
    examples: [
      'quiver rehearse invoices.js --save failure.json',
      'quiver rehearse invoices.js failure.json',
      'quiver rehearse invoices.js --runs 20000',
    ],
  },
  init: {
    summary: 'write a protocol, a scenario, a test and a script into an empty folder',
    takes: '[FOLDER]',
    options: {},
    examples: ['quiver init', 'quiver init my-protocol'],
  },
  completion: {
    summary: 'print the completion of this command for a shell: bash, zsh or fish',
    takes: 'SHELL',
    options: {},
    examples: ['source <(quiver completion bash)', 'quiver completion fish > ~/.config/fish/completions/quiver.fish'],
  },
} as const satisfies Readonly<Record<string, VerbSpec>>;

export type Verb = keyof typeof verbs;

export const verbNames = Object.keys(verbs) as readonly Verb[];

/** Options of every verb. */
export const sharedOptions: Readonly<Record<string, OptionSpec>> = {
  protocol: { value: 'FILE', description: 'a module that exports a protocol of your own; may be given several times' },
  'no-color': { description: 'no colors; the variable NO_COLOR does the same' },
  help: { description: 'what this is for, and its options' },
};

/** The options that were given, by name. */
export type ValuesOf<V extends Verb> = {
  readonly [K in keyof (typeof verbs)[V]['options']]?: (typeof verbs)[V]['options'][K] extends { readonly value: string }
    ? string
    : boolean;
};

/** What does the work of a verb: options and other words in, exit status out. Bad usage is thrown as a `UsageError`. */
export type VerbWork<V extends Verb> = (values: ValuesOf<V>, words: readonly string[]) => Promise<number>;
