/** The playground of the built site as a visitor uses it. Playwright's waits fail after a time; what they wait for is what is expected. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const picture = `${root}docs/images/playground.png`;
const scenarioOf = (name) => readFileSync(`${root}examples/scenarios/${name}.json`, 'utf8');

/** What `quiver check --trace` writes. */
function traceOfCommand(name) {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-playground-'));
  const file = join(folder, 'trace.ndjson');
  try {
    spawnSync(process.execPath, [
      `${root}dist/bin/quiver.js`,
      'check',
      `${root}examples/scenarios/${name}.json`,
      '--trace',
      file,
    ]);
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function expectThat(isSo, what) {
  if (!isSo) throw new Error(`playground: ${what}`);
}

/** `look` takes what axe has against the page. */
export async function checkPlayground(page, url, look) {
  await page.goto(url);
  const scenario = page.getByLabel('Scenario (JSON)');
  const chart = page.getByLabel('Protocol of your own');
  const outcome = page.locator('.outcome');
  const problem = page.getByRole('alert');
  const status = page.getByRole('status');
  const inspector = page.frameLocator('iframe');
  const press = (name) => page.getByRole('button', { name, exact: true }).click();
  const take = (label) => page.getByLabel('Begin with').selectOption({ label });
  const read = () => inspector.locator('.page[data-read="true"]').waitFor();
  const verdict = async (name, expected) => {
    await press(name);
    await page.locator('.outcome, .problem').first().waitFor();
    const found = (await problem.count()) > 0 ? 'a problem' : await outcome.getAttribute('data-verdict');
    const says = await page.locator('.playground').innerText();
    expectThat(found === expected, `${name} says ${found}, and not ${expected}\n${says}`);
  };
  /** A text that is wrong: what is said, and where. */
  const refused = async (text, what) => {
    await press('Simulate');
    await problem.waitFor();
    const said = await problem.innerText();
    expectThat(what.test(said), `${text} is refused with\n${said}\nand not with ${what}`);
  };

  // A story, in a frame that no server answers.
  await inspector.locator('.stories a').first().click();
  await inspector.locator('.story[data-found="true"]').waitFor();

  // A run, and a hand that reaches into it.
  await take('A token directory');
  await verdict('Simulate', 'valid');
  await read();
  await inspector.getByRole('slider').press('ArrowRight');
  await page.keyboard.press('g');
  const hands = inspector.getByRole('complementary', { name: 'reach in' });
  await hands.getByRole('button', { name: 'crash', exact: true }).first().click();
  await inspector.getByRole('tab', { name: /^by hand/ }).click();
  await inspector.locator('.gestures').getByRole('button', { name: 'take back' }).first().waitFor();

  // A counterexample, with its violation on the charts.
  await take('A deadlock in print');
  expectThat((await scenario.inputValue()) === scenarioOf('printed-deadlock'), 'the sample is not the file of the examples');
  await verdict('Check', 'invalid');
  await read();
  expectThat(/^Violated: /.test(await inspector.locator('.verdict').innerText()), 'the inspector does not say what is violated');
  const trace = await page.evaluate("answerInspector('./trace').then((response) => response.text())");
  expectThat(trace === traceOfCommand('printed-deadlock'), 'the trace is not, byte for byte, that of quiver check');
  await look(page, 'playground/, a counterexample');
  if (process.env.UPDATE_SCREENSHOTS || !existsSync(picture)) await keepPicture(page);

  // A chart of one's own, and a mistake in it.
  await take('A chart of one’s own');
  await verdict('Check', 'valid');
  expectThat(/34 states, 56 transitions/.test(await outcome.innerText()), 'the election on a ring has another number of states');
  const right = await chart.inputValue();
  await chart.fill(right.replace('number > context.number', 'number >= context.number'));
  await verdict('Check', 'invalid');
  await read();
  await take('The same, and messages are lost');
  await verdict('Check', 'invalid');
  expectThat((await outcome.locator('ol li').count()) === 2, 'a lost message breaks the election in another number of steps');

  // What is wrong is said with its place.
  await chart.fill(right.replace('export const ringMachine = ', 'export const ringMachine == '));
  await refused('a slip in the chart', /In the chart, line \d+, column \d+: Unexpected token/);
  await press('Go there');
  expectThat(
    (await chart.evaluate((area) => area.value.slice(0, area.selectionStart).split('\n').length)) > 10,
    'Go there goes nowhere',
  );
  await look(page, 'playground/, a problem');
  await chart.fill(right.replace("from 'xstate';", "from 'lodash';"));
  await refused('a foreign import', /In the chart, line \d+, column 1: "lodash" cannot be imported here; there are xstate, /);
  await chart.fill(`${right}\nnull.nothing();\n`);
  await refused('an error at the start of the chart', /In the chart, line \d+, column \d+: Cannot read properties of null/);
  await chart.fill('export const nothing = 1;');
  await refused('a module without a protocol', /the chart exports no protocol/);
  await chart.fill('');
  await refused('a protocol that nobody knows', /In the scenario: protocol is not known: "ring"; did you mean/);
  await scenario.fill('{ "protocol": ');
  await refused('half a scenario', /In the scenario: line 1, column 15: the text ends/);

  // What takes long says how far it is, and can be stopped.
  const long = {
    protocol: 'directory',
    topology: { kind: 'complete', n: 7 },
    options: { policy: 'random' },
    workload: { concurrent: 7, requests: 40 },
  };
  await scenario.fill(JSON.stringify(long));
  await press('Check');
  await status.filter({ hasText: /[\d,]+ states, / }).waitFor();
  await press('Stop');
  await status.filter({ hasText: 'stopped' }).waitFor();
  expectThat((await outcome.count()) === 0, 'what was stopped has an outcome');

  // A link holds both texts, and runs nothing.
  await take('The same, and messages are lost');
  await press('Link');
  await status.filter({ hasText: 'address' }).waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole('status').filter({ hasText: 'Nothing has been run' }).waitFor();
  expectThat((await other.getByLabel('Protocol of your own').inputValue()) === right, 'the link has lost the chart');
  expectThat((await other.locator('.outcome').count()) === 0, 'a link runs what it brings');
  await other.close();
}

async function keepPicture(page) {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 1440, height: 1750 });
  await page.screenshot({ path: picture });
  await page.setViewportSize(size);
}
