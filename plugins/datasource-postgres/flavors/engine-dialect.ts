/** Makes the dialects of engines whose SQL is nearly PostgreSQL's. */
import {
  type InfallibleExpressions,
  positionAt,
  postgres,
  type Rendering,
  type SqlDialect,
  SqlRefusal,
  wordSet,
} from '../../sql-kit/index.ts';

/** Names of the engine's own, whole and in lower case, which no statement reads even where the semantic layer has them. */
interface SystemNames {
  readonly schemas: RegExp;
  readonly tables?: RegExp;
}

/** For engines that reserve more words than PostgreSQL. */
export const quoteEveryName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const systemColumns = (...own: readonly string[]): ReadonlySet<string> =>
  new Set([...(postgres.systemColumns ?? []), ...own]);

/** Without samples of tables. */
const { sample: _, ...rendering } = postgres.rendering;
export const unsampled: Rendering = rendering;

/** Dates and times of different types may not convert. */
const COMPARED = new Set(['integer', 'text', 'boolean', 'uuid']);

/** What cannot fail with another planner either. */
export const cautious: InfallibleExpressions = {
  ...postgres.infallible,
  functions: wordSet('lower upper'),
  valueTypes: {
    ofColumn(declared) {
      const type = postgres.infallible.valueTypes?.ofColumn(declared);
      return type !== undefined && COMPARED.has(type) ? type : undefined;
    },
    casts: new Map(),
  },
};

const INFORMATION_SCHEMA = 'information_schema';

/** PostgreSQL's dialect with what is different in `own`. */
export function engineDialect(
  own: Partial<SqlDialect> & Pick<SqlDialect, 'name' | 'label'>,
  { schemas, tables }: SystemNames,
): SqlDialect {
  return {
    ...postgres,
    ...own,
    isSystemName: (name) => postgres.isSystemName(name) || tables?.test(name) === true,
    secure(statement, readable, text, read) {
      for (const { schema = readable.dialect.defaultSchema, name } of read) {
        const folded = schema.toLowerCase();
        if (folded !== INFORMATION_SCHEMA && !folded.startsWith('pg_') && !schemas.test(folded)) continue;
        const at = positionAt(text, Math.max(0, text.indexOf(name)));
        throw new SqlRefusal('table', `Schema "${schema}" belongs to ${own.label} itself`, at, 'Read your own tables.');
      }
      postgres.secure?.(statement, readable, text, read);
    },
  };
}
