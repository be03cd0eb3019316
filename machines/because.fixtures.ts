/** Builds reasons why mutants of a chart are equivalent: one reason for several edits, by the names of `quiver test PROTOCOL --mutants`. */
export const because = (chart: string, reason: string, ...edits: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(edits.map((edit) => [`${chart}: ${edit}`, reason]));
