/** Answers commands over the files of the semantic layer. It gets their text, and never opens a file itself. */
import type { ExploreRequest, VisibleFile } from 'atlas-query/plugins/semantic-layer';
import type { Options } from './options.ts';

/** What the model is told. */
export const USAGE =
  'Commands: `list` names the files, `list entities/` those of a folder, `read entities/orders.yml` shows a file, `find customer churn` shows the lines in which all of these words stand.';

const COMMANDS = 'Write "list", "read <file>" or "find <words>".';
/** Files between two looks at the signal. */
const FILES_A_TURN = 50;

const list = (files: readonly VisibleFile[], prefix: string) => {
  const found = files.filter(({ path }) => path.startsWith(prefix));
  return found.length === 0 ? `No file begins with "${prefix}".` : found.map(({ path }) => path).join('\n');
};

function read(files: readonly VisibleFile[], path: string): string {
  return (
    files.find((file) => file.path === path)?.text ?? `There is no file "${path}". Name one of: ${list(files, '')}`
  );
}

async function find(files: readonly VisibleFile[], words: readonly string[], most: number, signal: AbortSignal) {
  const found: string[] = [];
  for (const [index, { path, text }] of files.entries()) {
    // A request that has ended needs no answer, and others must get their turn.
    if (index % FILES_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    for (const [at, line] of text.split('\n').entries()) {
      const lower = line.toLowerCase();
      if (words.every((word) => lower.includes(word))) found.push(`${path}:${at + 1}: ${line.trim()}`);
      if (found.length === most) return [...found, `… only the first ${most} lines are shown.`].join('\n');
    }
  }
  return found.length === 0 ? 'No line holds all of these words.' : found.join('\n');
}

/** Answers with text in any case: a command that is not understood is told how to be written. */
export async function runCommand(
  { command, files, maxBytes }: ExploreRequest,
  { maxMatches }: Options,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const [name = '', ...rest] = command.trim().split(/\s+/);
  const answer = () => {
    if (name === 'list' && rest.length <= 1) return list(files, rest[0] ?? '');
    if (name === 'read' && rest.length === 1) return read(files, rest[0] ?? '');
    const words = rest.map((word) => word.toLowerCase());
    return name === 'find' && words.length > 0 ? find(files, words, maxMatches, signal) : COMMANDS;
  };
  const text = await answer();
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const note = '\n… cut here; ask for less.';
  // A letter that was cut in two is left out.
  const kept = Buffer.from(text).subarray(0, Math.max(0, maxBytes - Buffer.byteLength(note)));
  return new TextDecoder().decode(kept, { stream: true }) + note;
}
