/** The playground of the built site as a visitor uses it. Playwright's waits fail after a time; what they wait for is what is expected. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const picture = `${root}docs/images/playground.png`;
const scenarioOf = (name) => readFileSync(`${root}examples/scenarios/${name}.json`, 'utf8');

/** The output of `quiver check --trace`. */
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

/** An editor of the page. The text area behind it holds the same text. */
class TextEditor {
  constructor(page, name) {
    this.page = page;
    this.area = page.locator(`textarea[name=${name}]`);
    this.content = page.locator(`.editor:has(textarea[name=${name}]) .cm-content`);
  }

  inputValue = () => this.area.inputValue();

  async fill(text) {
    await this.content.click();
    await this.page.keyboard.press('Control+a');
    await (text === '' ? this.page.keyboard.press('Delete') : this.page.keyboard.insertText(text));
    await this.holds(text);
  }

  /** Until the editor contains the text. */
  async holds(text) {
    const area = await this.area.elementHandle();
    await this.page.waitForFunction(([{ value }, expected]) => value === expected, [area, text]);
  }

  /** Until the cursor is in a line that begins with the text. */
  goesTo = (text) =>
    this.page.waitForFunction(
      (begin) => getSelection().anchorNode?.parentElement?.closest('.cm-line')?.textContent.startsWith(begin),
      text,
    );
}

/** A browser page with the actions of a visitor. */
class Visitor {
  constructor(page) {
    this.page = page;
    this.scenario = new TextEditor(page, 'scenario');
    this.chart = new TextEditor(page, 'chart');
    this.outcome = page.locator('.outcome');
    this.problem = page.getByRole('alert');
    this.inspector = page.frameLocator('iframe');
  }

  press = (name) => this.page.getByRole('button', { name, exact: true }).click();
  take = (label) => this.page.getByLabel('Begin with').selectOption({ label });
  shows = (text) => this.page.getByRole('status').filter({ hasText: text }).waitFor();
  /** Until the inspector has read its trace. */
  reads = () => this.inspector.locator('.page[data-read="true"]').waitFor();

  async gets(name, verdict) {
    await this.press(name);
    await this.page.locator('.outcome, .problem').first().waitFor();
    const found = (await this.problem.count()) > 0 ? 'a problem' : await this.outcome.getAttribute('data-verdict');
    const description = await this.page.locator('.playground').innerText();
    expectThat(found === verdict, `${name} shows ${found} instead of ${verdict}\n${description}`);
  }

  async isRefused(what, description) {
    await this.press('Simulate');
    await this.problem.waitFor();
    const shown = await this.problem.innerText();
    expectThat(description.test(shown), `${what} is refused with\n${shown}\nand not with ${description}`);
  }
}

/** `look` takes what axe has against the page. */
export async function checkPlayground(page, url, look) {
  const visitor = new Visitor(page);
  const firstRun = await firstRunOf(visitor, url);
  await completes(visitor, look);
  await runs(visitor);
  await showsProducts(visitor, look);
  await findsCounterexample(visitor, look);
  const chart = await takesCharts(visitor);
  await reportsWhatIsWrong(visitor, chart, look);
  await stops(visitor);
  await links(visitor, chart);
  await keepsTexts(visitor);
  await staysInPlace(visitor);
  await sharesFromFrame(visitor);
  await bearsOwnCode(visitor);
  return firstRun;
}

/** Milliseconds from the click of a visitor who has just come until the first result. */
async function firstRunOf(visitor, url) {
  const { page } = visitor;
  await page.goto(url);
  await visitor.scenario.content.waitFor();
  const begun = performance.now();
  await visitor.gets('Simulate', 'valid');
  return Math.round(performance.now() - begun);
}

/** The editor proposes the keys and values of the schema, and writes the chosen one. */
async function completes(visitor, look) {
  const { page, scenario } = visitor;
  await scenario.fill('{ "protocol": "election", "topology": { "kind": "ring", "n": 4 }, "events": [{ "at": 3, "do": "cut", ');
  await page.keyboard.press('Control+Space');
  const proposals = page.locator('.cm-tooltip-autocomplete li');
  await proposals.first().waitFor();
  const texts = await proposals.allInnerTexts();
  expectThat(texts.length === 1 && texts[0].startsWith('"link"'), `after "do": "cut" the editor proposes ${texts}`);
  await look(page, 'playground/, a completion');
  await page.waitForTimeout(100); // CodeMirror ignores a key that comes at once.
  await page.keyboard.press('Enter');
  expectThat((await scenario.inputValue()).endsWith('"cut", "link": []'), 'the chosen key was not written');
  expectThat((await page.locator('.cm-content .tok-keyword').count()) === 0, 'an empty module has keywords');
}

/** Locks, leaders, quotas and machines have samples, and their results are those of the commands. */
async function showsProducts(visitor, look) {
  const { page, outcome } = visitor;
  for (const [sample, result] of [
    ['Locks: the holder crashes', /1 prepare, 1 promise/],
    ['Leaders: one for each part', /11 update/],
    ['Quotas: six permits', /2 reject/],
  ]) {
    await visitor.take(sample);
    await visitor.gets('Simulate', 'valid');
    expectThat(result.test(await outcome.innerText()), `${sample} has another result:\n${await outcome.innerText()}`);
  }
  await visitor.take('Machines: a checkout');
  await page.locator('.cm-content .tok-keyword').first().waitFor(); // The editor colors its text a moment later.
  await visitor.gets('Test', 'invalid');
  expectThat(
    (await outcome.locator('ol li').first().innerText()).includes('PAY'),
    'the path to the mistake does not begin with PAY',
  );
  await visitor.reads();
  await look(page, 'playground/, a tested machine');
  await visitor.chart.fill((await visitor.chart.inputValue()).replace("// onError: 'cart',", "onError: 'cart',"));
  await visitor.gets('Test', 'valid');
}

/** Opens a story in a frame without a server, and performs a gesture on a run. */
async function runs(visitor) {
  const { page, inspector } = visitor;
  await visitor.press('Stories');
  await inspector.locator('.stories a').first().click();
  await inspector.locator('.story[data-found="true"]').waitFor();
  await visitor.take('A token directory');
  await visitor.gets('Simulate', 'valid');
  await visitor.reads();
  await inspector.getByRole('slider').press('ArrowRight');
  await page.keyboard.press('g');
  const card = inspector.getByRole('complementary', { name: 'intervene' });
  await card.getByRole('button', { name: 'crash', exact: true }).first().click();
  await inspector.getByRole('tab', { name: /^by hand/ }).click();
  await inspector.locator('.gestures').getByRole('button', { name: 'take back' }).first().waitFor();
}

/** Shows the violation on the charts; the trace equals that of the command. */
async function findsCounterexample(visitor, look) {
  const { page, inspector } = visitor;
  await visitor.take('A deadlock in print');
  expectThat(
    (await visitor.scenario.inputValue()) === scenarioOf('printed-deadlock'),
    'the sample is not the file of the examples',
  );
  await visitor.gets('Check', 'invalid');
  await visitor.reads();
  const description = await inspector.locator('.verdict').innerText();
  expectThat(description.startsWith('Violated: '), `the inspector shows ${description} instead of the violation`);
  const trace = await page.evaluate("answerInspector('./trace').then((response) => response.text())");
  expectThat(trace === traceOfCommand('printed-deadlock'), 'the trace is not, byte for byte, that of quiver check');
  await look(page, 'playground/, a counterexample');
  if (process.env.UPDATE_SCREENSHOTS || !existsSync(picture)) await keepPicture(page);
}

/** Edits a chart, with a mistake in it, and restores it. */
async function takesCharts(visitor) {
  const { chart, outcome } = visitor;
  await visitor.take('Your own protocol');
  await visitor.gets('Check', 'valid');
  expectThat(/34 states, 56 transitions/.test(await outcome.innerText()), 'the election on a ring has another number of states');
  const right = await chart.inputValue();
  await chart.fill(right.replace('number > context.number', 'number >= context.number'));
  await visitor.gets('Check', 'invalid');
  await visitor.reads();
  await visitor.take('Your own protocol, and messages are lost');
  await visitor.gets('Check', 'invalid');
  expectThat((await outcome.locator('ol li').count()) === 2, 'a lost message breaks the election in another number of steps');
  return right;
}

/** And where. */
async function reportsWhatIsWrong(visitor, right, look) {
  const { page, chart, scenario } = visitor;
  await chart.fill(right.replace('export const ringMachine = ', 'export const ringMachine == '));
  await visitor.isRefused('a slip in the chart', /In the chart, line \d+, column \d+: Unexpected token/);
  await visitor.press('Go there');
  await chart.goesTo('export const ringMachine ==');
  await look(page, 'playground/, a problem');
  await chart.fill(right.replace("from 'xstate';", "from 'lodash';"));
  await visitor.isRefused(
    'a foreign import',
    /In the chart, line \d+, column 1: "lodash" cannot be imported here; there are xstate, /,
  );
  await chart.fill(`${right}\nnull.nothing();\n`);
  await visitor.isRefused(
    'an error at the start of the chart',
    /In the chart, line \d+, column \d+: Cannot read properties of null/,
  );
  await chart.fill('export const nothing = 1;');
  await visitor.isRefused(
    'a module without a protocol',
    /the chart exports no protocol\. Export the result of defineProtocol\(\{ name, charts, network, … \}\), of defineActors\(…\) or, for quiver test, a machine\./,
  );
  await chart.fill('');
  await visitor.isRefused('an unknown protocol', /In the scenario: protocol is "ring", which is unknown. Did you mean/);
  await scenario.fill('{ "protocol": ');
  await visitor.isRefused('half a scenario', /In the scenario: line 1, column 15: the text ends/);
}

/** Long work shows its progress and can be stopped. */
async function stops(visitor) {
  const long = {
    protocol: 'directory',
    topology: { kind: 'complete', n: 7 },
    options: { policy: 'random' },
    workload: { concurrent: 7, requests: 40 },
  };
  await visitor.scenario.fill(JSON.stringify(long));
  await visitor.press('Check');
  await visitor.shows(/[\d,]+ states, /);
  await visitor.press('Stop');
  await visitor.shows('stopped');
  expectThat((await visitor.outcome.count()) === 0, 'what was stopped has an outcome');
}

/** A link holds both texts, and runs nothing. */
async function links(visitor, chart) {
  await visitor.take('Your own protocol, and messages are lost');
  await visitor.press('Link');
  await visitor.shows('address');
  const other = new Visitor(await visitor.page.context().newPage());
  await other.page.goto(visitor.page.url());
  await other.shows('Nothing has been run');
  await other.chart.holds(chart);
  expectThat((await other.outcome.count()) === 0, 'a link runs what it brings');
  await other.page.close();
}

/** Edited texts survive a reload and can be restored, and results of other texts are marked. */
async function keepsTexts(visitor) {
  const { page, scenario } = visitor;
  await visitor.take('A token directory');
  await visitor.gets('Check', 'valid');
  const own = `${scenarioOf('three-requests')}\n\n`;
  await scenario.fill(own);
  await visitor.shows('Not from the texts on this page: the result above');
  await visitor.take('A deadlock in print');
  await visitor.press('Bring back my texts');
  await scenario.holds(own);
  await page.reload(); // The texts that were written later replace those of the address.
  await scenario.holds(own);
  await page.goto('about:blank');
  await page.goBack();
  await scenario.holds(own);
  await page.evaluate("location.hash = '#try=H4sIA'");
  await visitor.shows('The address is damaged');
}

/** Checks that neither the page nor the focus moves by itself, and that the focus is visible. */
async function staysInPlace(visitor) {
  const { page } = visitor;
  await visitor.take('A deadlock in print');
  const size = page.viewportSize();
  await page.setViewportSize({ width: 1000, height: 500 });
  await page.evaluate('scrollTo(0, 0)');
  await page.getByRole('button', { name: 'Check', exact: true }).focus();
  await page.keyboard.press('Enter');
  await visitor.reads();
  await visitor.inspector.locator('.state.is-active').first().waitFor();
  const at = await page.evaluate('scrollY');
  expectThat(at === 0, `the inspector has scrolled the page around it by ${at}`);
  const focused = await page.evaluate('document.activeElement.textContent.trim()');
  expectThat(focused === 'Check', `after Enter on Check the focus is on ${focused.slice(0, 40)}`);
  await page.setViewportSize(size);
  for (const each of [visitor.scenario.content, visitor.chart.content, page.getByLabel('Begin with')]) {
    await page.keyboard.press('Tab');
    await each.focus();
    // The focus is visible. CodeMirror marks it a moment later.
    const isOutlined = (element) => getComputedStyle(element.closest('.cm-editor') ?? element).outlineStyle === 'solid';
    await page.waitForFunction(isOutlined, await each.elementHandle());
  }
}

/** The address of a frame is invisible: a link is copied, or an error is shown. */
async function sharesFromFrame({ page, inspector }) {
  const frame = page.frames().find((one) => one.url().includes('/inspector/'));
  const before = frame.url();
  for (const [clipboard, description] of [
    ['undefined', 'The link could not be copied'],
    ['{ writeText: () => Promise.resolve() }', 'A link to this trace is copied.'],
    ["{ writeText: () => Promise.reject(new Error('denied')) }", 'The link could not be copied'],
  ]) {
    await frame.evaluate(`Object.defineProperty(navigator, 'clipboard', { configurable: true, value: ${clipboard} })`);
    await inspector.getByRole('button', { name: 'Share' }).click();
    await inspector.getByRole('status').filter({ hasText: description }).waitFor();
  }
  expectThat(frame.url() === before, 'to share a trace has changed the address of a frame');
}

const ownProtocol = (leave, more = '') => `import { assign, setup } from 'xstate';
import { defineProtocol } from 'xstate-quiver';
const chart = setup({}).createMachine({ id: 'own', initial: 'in', states: { in: { on: { leave: ${leave} } }, out: {} } });
export const own = defineProtocol({
  name: 'own', charts: { own: chart }, network: { reach: 'links' }, input: () => ({}), messages: {}, commands: { leave: {} },
});
${more}`;

/** Errors of a chart are shown with their place, and an infinite loop does not block the next run. */
async function bearsOwnCode(visitor) {
  const { page, scenario, chart, inspector } = visitor;
  const own = { protocol: 'own', topology: { kind: 'ring', n: 3 } };
  const calls = { ...own, events: [{ at: 0, node: 'n0', do: 'leave' }] };
  await scenario.fill(JSON.stringify(calls));
  await chart.fill(ownProtocol("{ actions: assign(() => { throw new Error('mine'); }) }"));
  await visitor.isRefused('an action that throws', /line 3, column \d+: node n0: its step for "leave" failed: mine/);
  await chart.fill(ownProtocol("'out'", 'throw { a: 1 };'));
  await visitor.isRefused('a module that throws no Error', /In the chart: \{"a":1\} was thrown/);
  await scenario.fill(JSON.stringify(own));
  await chart.fill(ownProtocol("{ guard: () => { while (true); }, target: 'out' }"));
  await visitor.gets('Simulate', 'valid');
  await visitor.reads();
  const reachIn = async () => {
    await inspector.getByRole('slider').press('g');
    return inspector.getByRole('complementary', { name: 'intervene' }).getByRole('button', { name: 'leave', exact: true });
  };
  await (await reachIn()).first().click();
  await chart.fill(ownProtocol("'out'"));
  await visitor.gets('Simulate', 'valid');
  await visitor.reads();
  await (await reachIn()).first().click();
  await inspector.getByRole('tab', { name: /^by hand/ }).waitFor();
  await page.getByRole('button', { name: 'Stories', exact: true }).click();
  await inspector.locator('.stories a').first().waitFor();
}

async function keepPicture(page) {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 1440, height: 1750 });
  await page.screenshot({ path: picture });
  await page.setViewportSize(size);
}
