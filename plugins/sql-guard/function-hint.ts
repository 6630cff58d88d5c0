/** Suggests what to call instead of a function that may not be called. */
import { nearest } from '../../kernel/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';

/** What to write instead of a function that may not be called. */
export function functionHint(name: string, dialect: SqlDialect): string | undefined {
  const substitute = dialect.substitutes.get(name);
  if (substitute !== undefined) return substitute;
  const meant = nearest(name, dialect.functions);
  return meant === undefined ? undefined : `Did you mean "${meant}"?`;
}
