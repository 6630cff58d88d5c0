/** Finds the candidate closest to `word` by edits, else the only one that begins with it when it has three letters. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const [wanted, names] = [word.toLowerCase(), [...candidates]];
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  const longer = wanted.length < 3 ? [] : names.filter((name) => name.toLowerCase().startsWith(wanted));
  return best ?? (longer.length === 1 ? longer[0] : undefined);
}

/** `; did you mean …?` for the nearest candidate, or an empty text. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const candidate = nearest(word, candidates);
  return candidate === undefined ? '' : `; did you mean \`${candidate}\`?`;
}

/** Optimal string alignment: insertions, deletions, replacements and swaps of neighbours each cost one. */
function editDistance(a: string, b: string): number {
  let [before, above] = [[] as number[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const costs = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = above[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwapped ? before[column - 2]! + 1 : replaced;
      costs.push(Math.min(replaced, swapped, above[column]! + 1, costs[column - 1]! + 1));
    }
    [before, above] = [above, costs];
  }
  return above[b.length]!;
}
