/** Runs one command in the just-bash interpreter over copies of the files, and sends what it printed. */
import { parentPort, workerData } from 'node:worker_threads';
import { Bash, type CommandName } from 'just-bash';
import type { ExploreRequest } from '../semantic-layer/index.ts';

const ROOT = '/layer';
/** What looks at text. Without network, archives, databases and further interpreters. */
const COMMANDS: CommandName[] = [
  ...(['ls', 'cat', 'find', 'tree', 'grep', 'egrep', 'fgrep', 'rg', 'head', 'tail', 'wc', 'sort', 'uniq'] as const),
  ...(['sed', 'awk', 'cut', 'tr', 'tac', 'nl', 'comm', 'join', 'paste', 'column', 'diff', 'jq', 'yq'] as const),
  ...(['echo', 'printf', 'pwd', 'basename', 'dirname', 'xargs', 'seq', 'expr', 'true', 'false', 'sleep'] as const),
];
const MIB = 1024 * 1024;
const CUT = '\n… cut here; ask for less.';

const { command, files, maxBytes } = workerData as ExploreRequest;

/** No letter is cut in two. */
function bounded(text: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const kept = Buffer.from(text).subarray(0, Math.max(0, maxBytes - Buffer.byteLength(CUT)));
  return new TextDecoder().decode(kept, { stream: true }) + CUT;
}

const bash = new Bash({
  files: Object.fromEntries(files.map(({ path, text }) => [`${ROOT}/${path}`, text])),
  cwd: ROOT,
  commands: COMMANDS,
  executionLimits: { maxOutputSize: 8 * MIB, maxFileSystemBytes: 256 * MIB, maxStringLength: 16 * MIB },
});
try {
  const { stdout, stderr, exitCode } = await bash.exec(command);
  const printed = [stdout, stderr].filter((text) => text !== '').join('\n');
  const code = exitCode === 0 ? '' : `The command ended with ${exitCode}.`;
  parentPort?.postMessage(
    bounded([printed.trimEnd(), code].filter((text) => text !== '').join('\n') || 'It printed nothing.'),
  );
} catch (error) {
  parentPort?.postMessage(bounded(`The command failed: ${error instanceof Error ? error.message : String(error)}`));
}
