/** An endless turn: the program ends, and reports the process and the place. This needs the build. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const index = new URL('../../dist/entries/rehearsal.js', import.meta.url).href;

test.each([
  ['a loop', ', at spinning \\(.*\\)', 'function spinning() { for (;;) {} } setTimeout(spinning, 50);'],
  // Between two of its steps, the stack contains no frame of the application.
  ['a loop of promises', '.*', 'async function spinning() { for (;;) await null; } setTimeout(() => void spinning(), 50);'],
])('%s', async (_, place, body) => {
  const program = `import { rehearse } from '${index}';
    await rehearse({ peers: 2, runs: 3, seed: 7, faults: [], turnSeconds: 1 }, ({ id }) => { if (id === 'p1') { ${body} } });
    console.log('it ended');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  const reported = text(child.stderr);
  const [, signal] = (await once(child, 'exit')) as [unknown, string];
  expect(signal).toBe('SIGKILL');
  expect(await reported).toMatch(
    new RegExp(`^rehearsal: a turn of "p1" \\(seed 7\\) has not ended for 1 s${place}\\. Await a timer in the loop\\.$`, 'm'),
  );
});

test('a slow turn that ends is not killed', async () => {
  const program = `import { rehearse } from '${index}';
    const slow = () => { for (let i = 0; i < 3e8; i++); };
    const { runs } = await rehearse({ peers: 1, runs: 1, faults: [], turnSeconds: 20 }, slow);
    console.log(runs);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  expect(await text(child.stdout)).toBe('1\n');
});
