/** Finds the known word that is nearest to a mistyped one, for "Did you mean". Returns `undefined` if none is near enough. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  // A third of the letters may be wrong; a short word gets two, so that a swap counts as near.
  let limit = Math.max(2, Math.floor(word.length / 3));
  let best: string | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance > limit || distance >= candidate.length) continue;
    best = candidate;
    limit = distance - 1;
  }
  return best;
}

/** Levenshtein's distance: the fewest insertions, deletions and replacements of letters. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
