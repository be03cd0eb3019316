/** `quiver run --stop`: a run that is refuted reports it immediately, and ends the given number of steps later. */
import { describe, expect, test } from 'vitest';
import { called } from '../called.fixture.js';
import { quiver } from '../program.js';

const { inFolder, printed, complained } = called();

const lossy = {
  protocol: 'directory',
  topology: { kind: 'ring', n: 6 },
  options: { policy: 'ivy' },
  network: { loss: 0.02 },
  workload: { concurrent: 3, requests: 60 },
};
const file = inFolder('lossy.json', JSON.stringify(lossy));
const quiet = inFolder('quiet.json', JSON.stringify({ ...lossy, network: {} }));

async function stepsAndStatus(...args: string[]) {
  printed.length = 0;
  const status = await quiver(['run', file, '--json', ...args]);
  const { messages, verdict } = JSON.parse(printed[0]!);
  return { status, verdict, messages: messages.total as number };
}

describe('a run that is refuted', () => {
  test('ends immediately or some steps later, and reports the violation', async () => {
    const whole = await stepsAndStatus();
    const atOnce = await stepsAndStatus('--stop', '0');
    expect(complained).toEqual([expect.stringMatching(/lossy\.json: violated: .+ at time \d+$/)]);
    const later = await stepsAndStatus('--stop', '3');
    for (const { status, verdict } of [whole, atOnce, later])
      expect({ status, verdict }).toEqual({ status: 1, verdict: 'invalid' });
    expect(atOnce.messages).toBeLessThan(whole.messages);
    expect(later.messages).toBeGreaterThanOrEqual(atOnce.messages);
    expect(later.messages).toBeLessThanOrEqual(whole.messages);
  });

  test('one that is not goes on to its end', async () => {
    expect(await quiver(['run', quiet, '--stop', '0'])).toBe(0);
    expect(complained).toEqual([]);
  });
});

test.each([
  [['--stop', '-1'], /--stop is -1. Pass at least 0/],
  [
    ['--stop', '0', '--trace', 'x.ndjson'],
    /--stop and --trace cannot be combined: the trace would end where a replay continues\. Omit one of them\./,
  ],
  [['--stop', '0', '--no-watch'], /--stop waits for a violation/],
])('%j is refused', async (args, complaint) => {
  await expect(quiver(['run', quiet, ...args])).rejects.toThrow(complaint);
});
