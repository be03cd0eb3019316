/** Measures variants in alternating rounds A B A B …, so that a drift of the machine's speed affects all of them. */
export interface MeasuredRow {
  readonly name: string;
  readonly value: string;
  readonly target?: string;
  readonly met?: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

/** Each variant once to warm up, then `rounds` times in turn; the medians. */
export function inTurn<K extends string>(rounds: number, variants: Readonly<Record<K, () => number>>): Record<K, number> {
  const names = Object.keys(variants) as K[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (const name of names) variants[name]();
  for (let round = 0; round < rounds; round++) for (const name of names) samples[name].push(variants[name]());
  return Object.fromEntries(names.map((name) => [name, median(samples[name])])) as Record<K, number>;
}

export const row = (name: string, value: string, target?: string, met?: boolean): MeasuredRow => ({
  name,
  value,
  ...(target === undefined ? {} : { target }),
  ...(met === undefined ? {} : { met }),
});
