/** The page docs/evidence/machines.md: every case is tested again, and its result matches the page. */
import { describe, expect, test } from 'vitest';
import { elsewhere } from './cases-chance.fixtures.js';
import { groups, type Case } from './cases.fixtures.js';
import { reportOnMachine, type MachineReport } from './report.js';
import { MachineTesting } from './testing.js';

/** In a few words: the verdict with what fails, or with what is covered. */
function resultOf({ machine, verdict, failures, coverage }: MachineReport): string {
  const [first] = failures;
  if (first) {
    const rule = first.rule.replace(/ \(.*/s, '');
    return `${verdict}: "${rule}" after ${first.steps.length === 1 ? '1 step' : `${first.steps.length} steps`}`;
  }
  const gaps = coverage.missing.filter(({ isExplained }) => !isExplained).length;
  if (gaps > 0) return `${verdict}: ${gaps} not covered`;
  const { covered, of } = coverage.charts[machine]!.transition;
  return `${verdict}: ${covered} of ${of} ${of === 1 ? 'transition' : 'transitions'}`;
}

const results = new Map<string, string>();

async function judged({ id, machine, tests, result, failure, missing, notes, finding, covers = [] }: Case): Promise<void> {
  const testing = new MachineTesting(machine, tests);
  const report = await reportOnMachine(testing);
  results.set(id, `${resultOf(report)}${finding === undefined ? '' : `; without the property: ${finding}`}`);
  if (finding !== undefined) {
    const { invariants: _invariants, temporal: _temporal, ...bare } = tests ?? {};
    expect((await new MachineTesting(machine, bare).findings()).map(({ name }) => name)).toContain(finding);
  }
  expect(resultOf(report)).toMatch(result);
  if (failure) expect(report.failures.map(({ text }) => text).join('\n')).toMatch(failure);
  if (missing) expect(report.coverage.missing.map(({ reason }) => reason).join('\n')).toMatch(missing);
  if (notes) expect(report.notes.join('\n')).toMatch(notes);
  const counts = (await testing.counts())[machine.id]!;
  expect(covers.filter((item) => !(counts[item as never]! > 0))).toEqual([]);
}

for (const { title, cases } of groups)
  describe(`${title}`, () => {
    test.each(cases.map((one) => [one.id, one.about, one] as const))('%s: %s', (_, __, one) => judged(one));
  });

test('the page contains the present results', async () => {
  // One of the cases, run by its name, makes no page.
  if (results.size < groups.flatMap(({ cases }) => cases).length) return;
  const cell = (text: string) => text.replaceAll('|', String.raw`\|`);
  const tables = groups.map(({ title, cases }) => {
    const rows = cases.map(({ id, about }) => `| ${id} | ${cell(about)} | ${cell(results.get(id)!)} |`);
    return [`## ${title}`, '', '| case | what it is | result |', '|---|---|---|', ...rows, ''].join('\n');
  });
  const more = elsewhere.map((row) => `| ${row.join(' | ')} |`);
  tables.push(['## Tested elsewhere', '', '| case | what it is | result |', '|---|---|---|', ...more, ''].join('\n'));
  await expect([PREFACE, ...tables].join('\n')).toMatchFileSnapshot('../../docs/evidence/machines.md');
});

const PREFACE = `# Evidence: generated tests for machines of many kinds

For readers who want to know what \`quiver test\` and \`describeMachine\` do with a machine like theirs. Each row is a small machine of the kind that its
second column names, written for this table; \`test/machine/cases.test.ts\` tests all of them and compares this page with the results.
\`valid\` means that all was covered and nothing broke. \`invalid\` names what broke and the length of the way there, or how many parts of the
machine no test reached.

How to test your own machine: [Test an XState machine](../testing-machines.md).

The rules behind these results are broken on purpose, one at a time, in \`test/machine/mutants.deep.ts\`: 34 of 34 mutants are noticed by the test named for them.

## Ten machines with a race

[\`examples/machines\`](../../examples/machines/) has ten machines as applications have them, each covered completely. [\`races.ts\`](../../examples/machines/races.ts)
has the same ten with one race each. The same samples and rules find all of them, with the shortest path (\`npx vitest run examples/machines/machines.test.ts\`):

| machine | change | path to the failure |
|---|---|---|
| checkout | the payment is spawned, not invoked | …, PAY, after paymentLimit, charge done |
| media player | the loading is spawned | SELECT a, SELECT b, load a done, PLAY |
| form wizard | the timer of the check is not canceled | NAME ann, NAME (empty), delayed CHECK, checkName done true, NEXT |
| upload | the pause continues while the upload is held | FILE, HOLD, GO_ON, send fails, HOLD, GO_ON, delayed RETRY |
| login | the refresh is spawned | LOG_IN, authenticate done, REFUSED, LOG_OUT, refresh done |
| traffic light | two clocks that should run together | green, yellow, BUTTON, red, approach |
| drag and drop | the timer of the long press is not canceled | DOWN, UP, delayed LONG |
| chat | a new socket is spawned each time | CONNECT, socket.closed, after backoff |
| editor | keys are accepted while the text is saved | KEY, after rest, KEY, save done |
| order | lines are noticed only while the order is open | ADD, stock done, SUBMIT, CHECK_AGAIN |

On live actors, the tests walk 638 to 1,930 paths of five steps a second of processor time for these machines, and 1,461 to 2,553 in mode \`pure\`
([the table](../from-xstate-test.md#limits-of-each)).
`;
