/** Why edits of a chart are no mistakes: one reason for several of them, by the names of `quiver test PROTOCOL --mutants`. */
export const because = (chart: string, reason: string, ...edits: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(edits.map((edit) => [`${chart}: ${edit}`, reason]));
