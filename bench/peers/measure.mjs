// Statistics of samples, and their formats.
export const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

export const whole = (value) => Math.round(value).toLocaleString('en-US');

export const ms = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;

/** Rivals alternate, so that a change in the speed of the machine affects all of them. Returns the samples of each rival under its name. */
export async function samplesInTurn(rounds, rivals) {
  const samples = Object.fromEntries(Object.keys(rivals).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) for (const [name, run] of Object.entries(rivals)) samples[name].push(await run());
  return samples;
}

/** Keeps a number of events in flight for a time. */
export async function load(send, forMs, lanes) {
  const tookMs = [];
  const until = performance.now() + forMs;
  const lane = async () => {
    while (performance.now() < until) {
      const since = performance.now();
      await send();
      tookMs.push(performance.now() - since);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { events: tookMs.length, p50: quantile(tookMs, 0.5), p99: quantile(tookMs, 0.99), longest: quantile(tookMs, 1) };
}
