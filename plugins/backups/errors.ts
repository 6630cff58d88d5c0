/** Says in one sentence why a backup failed, without paths, hosts and credentials of others. */
import { AtlasError, messageOf } from '../../kernel/index.ts';
import { withoutCredentials } from '../redaction-kit/index.ts';

const FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk of the backup folder is full.',
  EDQUOT: 'The disk of the backup folder is full.',
  SQLITE_FULL: 'The disk of the backup folder is full.',
  EACCES: 'The backup folder cannot be written.',
  EPERM: 'The backup folder cannot be written.',
  EROFS: 'The backup folder cannot be written.',
  EEXIST: 'The backup folder cannot be made: a file of its name is in the way.',
  ENOTDIR: 'The backup folder cannot be made: a file of its name is in the way.',
  SQLITE_CORRUPT: 'The database or the backup is damaged.',
  SQLITE_NOTADB: 'The database or the backup is damaged.',
};

export function problemOf(error: unknown): string {
  const { code } = error as { code?: string };
  const known = FAULTS[code ?? ''];
  if (known !== undefined) return known;
  const hint = error instanceof AtlasError && error.hint !== undefined ? ` ${error.hint}` : '';
  return `${withoutCredentials(messageOf(error)).replace(/\.?$/, '.')}${hint}`.slice(0, 1_000);
}

const DAMAGED = 'E_BACKUP_DAMAGED';

export const damaged = (message: string) => new AtlasError(message, { reason: DAMAGED });

/** Whether a backup cannot be used; anything else only kept it from being tried. */
export function isDamage(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return (error instanceof AtlasError && error.reason === DAMAGED) || /^SQLITE_(CORRUPT|NOTADB)/.test(code);
}
