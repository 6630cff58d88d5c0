/** Runs a program of the package manager and takes what it prints. */
import { spawn } from 'node:child_process';

export interface RunOptions {
  readonly cwd?: string;
  readonly signal: AbortSignal;
}

const MAX_OUTPUT = 1024 * 1024;

/** The line of its output that says what went wrong. */
function reason(text: string, program: string, code: number | null): string {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/^(?:npm (?:error|ERR!)|\s*ERR_PNPM_\w+|error)\s*/i, '').trim());
  const said = lines.find((line) => line !== '' && !/^(?:code|npm warn|A complete log)/i.test(line));
  return `${program} ended with ${code}${said === undefined ? '' : `: ${said}`}`;
}

/** Resolves to standard output. Rejects with one line when the program fails, is missing, or is stopped. */
export function output(program: string, args: readonly string[], { cwd, signal }: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    // Their programs are scripts on Windows, which only a shell can start.
    const child = spawn(program, args, {
      cwd,
      signal,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (stdout.length < MAX_OUTPUT) stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < MAX_OUTPUT) stderr += text;
    });
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new Error(`${program} is not installed`) : error),
    );
    child.on('close', (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(reason(stderr || stdout, program, code)));
    });
  });
}
