/** Prints a checked statement for its caller, and tells what was done to it and which kinds of policies narrow it. */
import type { SqlStatement } from '../../kernel/index.ts';
import { printStatement, redactLiterals, type Select, type SqlDialect } from '../sql-kit/index.ts';
import type { AccessedObjects } from './accessed-objects.ts';
import { type AllowedTable, isPart, listed, type SqlChange } from './allowed-tables.ts';

const PLUGIN = 'sql-guard';
const REWRITTEN: SqlChange = {
  plugin: PLUGIN,
  reason: 'The statement was read, checked and written anew: this text runs, the original never does.',
};

/** `asked`: the statement as it came in; `sql`: as it runs. */
export function shownStatement(
  asked: string,
  sql: string,
  statement: Select,
  { tables, columns }: AccessedObjects,
  dialect: SqlDialect,
): Required<Pick<SqlStatement, 'shown' | 'changes'>> {
  const parts = [...tables].filter(isPart);
  const rows = parts.flatMap((table) => table.rows?.map(({ change }) => change ?? limited(table)) ?? []);
  const masks = parts.flatMap((table) =>
    (table.visible ?? []).flatMap(({ name, mask }) =>
      mask && columns.has(table, name) ? [`${table.name}.${name}`] : [],
    ),
  );
  const isWhole = parts.length === 0;
  const shown = isWhole ? sql : printStatement(statement, dialect, (text) => withoutLiterals(text, dialect)).sql;
  return {
    shown: {
      sql: shown,
      policies: [...(rows.length > 0 ? (['rows'] as const) : []), ...(masks.length > 0 ? (['values'] as const) : [])],
    },
    changes: [...new Set(rows), ...masked(masks), ...(shown === asked ? [] : [REWRITTEN])],
  };
}

const limited = ({ name }: AllowedTable): SqlChange => ({
  plugin: PLUGIN,
  reason: `A condition limits the rows of "${name}".`,
});

function masked(columns: readonly string[]): SqlChange[] {
  return columns.length === 0
    ? []
    : [{ plugin: PLUGIN, reason: `Masks stand in place of the values of ${listed(columns)}.` }];
}

/** The spaces around a text stay, because it is a part of the statement. */
function withoutLiterals(text: string, dialect: SqlDialect): string {
  const [, before, inner, after] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text)!;
  return before + redactLiterals(inner!, dialect.notation) + after;
}
