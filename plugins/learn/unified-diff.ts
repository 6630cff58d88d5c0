/** Shows the changes of a text file as a unified diff. */

const CONTEXT_LINES = 3;
/** Longer middles are shown as replaced as a whole. */
const MAX_CELLS = 4_000_000;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

const marked = (mark: Line['mark'], lines: readonly string[]): Line[] => lines.map((text) => ({ mark, text }));

/** The longest common subsequence decides which lines stay. */
function changes(before: readonly string[], after: readonly string[]): Line[] {
  if ((before.length + 1) * (after.length + 1) > MAX_CELLS) return [...marked('-', before), ...marked('+', after)];
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const [down, right, both] = [(i + 1) * width + j, i * width + j + 1, (i + 1) * width + j + 1].map(
        (at) => common[at] ?? 0,
      );
      common[i * width + j] = before[i] === after[j] ? (both ?? 0) + 1 : Math.max(down ?? 0, right ?? 0);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ mark: ' ', text: before[i] ?? '' });
      i += 1;
      j += 1;
    } else if (
      j >= after.length ||
      (i < before.length && (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      lines.push({ mark: '-', text: before[i] ?? '' });
      i += 1;
    } else {
      lines.push({ mark: '+', text: after[j] ?? '' });
      j += 1;
    }
  }
  return lines;
}

const linesOf = (text: string) => text.replace(/\n$/, '').split('\n');

/** The changes of the file `path`, for `patch -p1` and `git apply`; both texts end with a line break. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const lines = changes(linesOf(before), linesOf(after));
  const shown = lines.map(() => false);
  for (const [index, { mark }] of lines.entries()) {
    if (mark === ' ') continue;
    for (let at = index - CONTEXT_LINES; at <= index + CONTEXT_LINES; at += 1) if (at in shown) shown[at] = true;
  }
  let text = `--- a/${path}\n+++ b/${path}\n`;
  let [oldLine, newLine] = [1, 1];
  for (let start = 0; start < lines.length; start += 1) {
    if (shown[start]) {
      const stop = shown.indexOf(false, start);
      const hunk = lines.slice(start, stop < 0 ? lines.length : stop);
      const olds = hunk.filter(({ mark }) => mark !== '+').length;
      const news = hunk.filter(({ mark }) => mark !== '-').length;
      text += `@@ -${oldLine},${olds} +${newLine},${news} @@\n`;
      text += hunk.map((line) => `${line.mark}${line.text}\n`).join('');
      oldLine += olds;
      newLine += news;
      start += hunk.length - 1;
    } else {
      oldLine += 1;
      newLine += 1;
    }
  }
  return text;
}
