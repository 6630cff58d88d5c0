/** Installs pnpm for what tries it: the package does not depend on it, and `plugin add` calls it by its name. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Returns the folder of programs to put into `PATH`. `folder`: where it is installed. */
export function installPnpm(folder: string): string {
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, 'pnpm@11.28.11'], { stdio: 'pipe' });
  return join(folder, 'node_modules', '.bin');
}
