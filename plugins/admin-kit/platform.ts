/** Keeps what belongs to the whole platform from administrators of one organization. */
import { AtlasError, type Scope } from '../../kernel/index.ts';

/** `why`: a clause, such as "Backups hold the data of all organizations". Throws `forbidden`. */
export function mustBeOfPlatform({ orgId }: Scope, why: string): void {
  if (orgId === null) return;
  throw new AtlasError(`${why}: only administrators of the platform see them.`, {
    code: 'forbidden',
    hint: 'Sign in as an administrator who belongs to no organization.',
  });
}
