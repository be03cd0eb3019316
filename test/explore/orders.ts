/** Generates every order of the given items. */
export function* everyOrder<T>(left: readonly T[], taken: readonly T[] = []): Generator<readonly T[]> {
  if (left.length === 0) yield taken;
  for (const next of left)
    yield* everyOrder(
      left.filter((other) => other !== next),
      [...taken, next],
    );
}
