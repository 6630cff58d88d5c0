import type {
  Core,
  From,
  NamedColumn,
  PrintedSelect,
  RowsSource,
  Select,
  SelectSource,
  Source,
  Star,
  StarName,
  TableSource,
} from '../ast/tree.ts';
import type { SqlDialect } from '../dialects/sql-dialect.ts';
import { ExpressionPrinter, separated } from './expression.ts';

/** Column names matter to whoever reads the rows, not inside EXISTS, IN or a scalar subquery. */
type Naming = 'named' | 'unnamed';

/** The statement as canonical SQL on one line: no comments, names quoted where needed. */
export function printSelect(select: Select, dialect: SqlDialect): string {
  return printStatement(select, dialect).sql;
}

/** The same with the values that have to be bound, in the order of their `?`. */
export function printStatement(select: Select, dialect: SqlDialect) {
  return new Printer(dialect).statement(select);
}

/** The SELECT in pieces, for those who print it more than once. */
export function printInPieces(select: Select, dialect: SqlDialect): PrintedSelect {
  const { printParam: _, ...unnumbered } = dialect;
  return new Printer(unnumbered).pieces(select);
}

class Printer extends ExpressionPrinter {
  /** How many tables were printed as what may be seen of them. */
  private replaced = 0;

  statement(select: Select) {
    return this.withParams(this.select(select, 'named'));
  }

  pieces(select: Select): PrintedSelect {
    return this.split(this.select(select, 'named'));
  }

  select(select: Select, naming: Naming = 'unnamed'): string {
    let text = select.with === undefined ? '' : `${this.with(select.with)} `;
    text += this.core(select.first, naming);
    for (const { operator, core } of select.rest)
      text += ` ${operator} ${this.core(core, operator.endsWith('BY NAME') ? naming : 'unnamed')}`;
    if (select.orderBy.length > 0) text += ` ${this.orderBy(select.orderBy)}`;
    if (select.limit !== undefined && !select.withTies) text += ` LIMIT ${this.expr(select.limit)}`;
    if (select.offset !== undefined) text += ` OFFSET ${this.expr(select.offset)}`;
    if (select.limit !== undefined && select.withTies)
      text += ` FETCH FIRST (${this.expr(select.limit)}) ROWS WITH TIES`;
    return text;
  }

  private with(clause: NonNullable<Select['with']>): string {
    const tables = separated(clause.tables, (table) => {
      const columns = table.columns.length === 0 ? '' : ` (${this.names(table.columns)})`;
      const hint = table.materialized === undefined ? '' : table.materialized ? 'MATERIALIZED ' : 'NOT MATERIALIZED ';
      const naming = table.columns.length === 0 ? 'named' : 'unnamed';
      return `${this.name(table.name)}${columns} AS ${hint}(${this.select(table.select, naming)})${table.suffix === undefined ? '' : this.form(table.suffix)}`;
    });
    return `WITH ${clause.recursive ? 'RECURSIVE ' : ''}${tables}`;
  }

  private core(core: Core, naming: Naming): string {
    if (core.kind === 'values')
      return `VALUES ${separated(core.rows, (row) => `${core.rowWord ? 'ROW' : ''}(${this.list(row)})`)}`;
    if (core.kind === 'nested') return `(${this.select(core.select, naming)})`;
    let text = core.distinct ? 'SELECT DISTINCT ' : 'SELECT ';
    if (core.distinctOn !== undefined) text += `ON (${this.list(core.distinctOn)}) `;
    text += separated(core.columns, (column) =>
      column.kind === 'column' ? this.column(column, naming) : this.star(column),
    );
    if (core.from !== undefined) text += ` FROM ${this.from(core.from)}`;
    if (core.where !== undefined) text += ` WHERE ${this.expr(core.where)}`;
    if (core.groupBy.length > 0) text += ` GROUP BY ${core.groupDistinct ? 'DISTINCT ' : ''}${this.list(core.groupBy)}`;
    if (core.withRollup) text += ' WITH ROLLUP';
    if (core.having !== undefined) text += ` HAVING ${this.expr(core.having)}`;
    if (core.windows.length > 0) {
      text += ` WINDOW ${separated(core.windows, ({ name, window }) => `${this.name(name)} AS ${this.window(window)}`)}`;
    }
    if (core.qualify !== undefined) text += ` QUALIFY ${this.expr(core.qualify)}`;
    if (core.sample !== undefined) text += ` ${core.sample}`;
    return text;
  }

  private star({ table, exclude, replace, rename }: Star): string {
    let text = table === undefined ? '*' : `${this.name(table)}.*`;
    if (exclude !== undefined) text += ` EXCLUDE (${exclude.map((of) => this.starName(of)).join(', ')})`;
    if (replace !== undefined) {
      text += ` REPLACE (${replace.map(({ expr, name }) => `${this.expr(expr)} AS ${this.name(name)}`).join(', ')})`;
    }
    if (rename === undefined) return text;
    return `${text} RENAME (${rename.map(({ from, to }) => `${this.starName(from)} AS ${this.name(to)}`).join(', ')})`;
  }

  private starName({ table, name }: StarName): string {
    return table === undefined ? this.name(name) : `${this.name(table)}.${this.name(name)}`;
  }

  private column(column: NamedColumn, naming: Naming): string {
    const before = this.replaced;
    const text = this.expr(column.expr);
    if (column.alias !== undefined) return `${text} AS ${this.name(column.alias)}`;
    // The engine names such a column after its text, so a text that changes in print becomes the name.
    const written = column.text;
    if (naming === 'named' && this.replaced > before && column.label !== undefined) {
      return `${text} AS ${this.name(column.label)}`;
    }
    if (naming === 'unnamed' || written === undefined || written === text || hasComment(written)) return text;
    return `${text} AS ${this.name(written)}`;
  }

  private from(from: From): string {
    let text = this.source(from.first);
    for (const join of from.joins) {
      text += join.kind === ',' ? ', ' : ` ${join.natural ? 'NATURAL ' : ''}${join.asof ? 'ASOF ' : ''}${join.kind} `;
      text += this.source(join.source);
      if (join.on !== undefined) text += ` ON ${this.expr(join.on)}`;
      if (join.using.length > 0) text += ` USING (${this.names(join.using)})`;
      if (join.usingAlias !== undefined) text += ` AS ${this.name(join.usingAlias)}`;
    }
    return text;
  }

  protected source(source: Source): string {
    const alias = this.alias(source);
    switch (source.kind) {
      case 'table':
        return `${source.only ? 'ONLY ' : ''}${this.qualified(source)}${alias}${this.index(source)}${source.sample === undefined ? '' : ` ${source.sample}`}`;
      case 'rows':
        return `${this.rows(source)}${alias}`;
      case 'function':
        return `${this.qualified(source)}(${this.list(source.args)})${alias}`;
      case 'subquery':
        if (source.isPart) this.replaced += 1;
        return `${source.lateral ? 'LATERAL ' : ''}(${this.subselect(source)})${alias}`;
      case 'join':
        return `(${this.from(source.from)})${alias}`;
    }
  }

  private subselect({ select, printed }: SelectSource): string {
    if (printed === undefined) return this.select(select, 'named');
    let text = printed.texts[0]!;
    for (let index = 0; index < printed.params.length; index += 1) {
      text += this.param(printed.params[index]!) + printed.texts[index + 1]!;
    }
    return text;
  }

  /** ` AS name (columns)`. */
  private alias(source: Source): string {
    const definition = source.kind === 'rows' ? source.definition : undefined;
    if (source.alias === undefined) return definition === undefined ? '' : ` AS (${definition})`;
    if (definition !== undefined) return ` AS ${this.name(source.alias)} (${definition})`;
    const columns = 'columns' in source && source.columns.length > 0 ? ` (${this.names(source.columns)})` : '';
    return ` AS ${this.name(source.alias)}${columns}`;
  }

  private rows(source: RowsSource): string {
    const calls = source.calls
      .map(({ call, definition }) => `${this.call(call)}${definition === undefined ? '' : ` AS (${definition})`}`)
      .join(', ');
    const text = `${source.lateral ? 'LATERAL ' : ''}${source.isList ? `ROWS FROM (${calls})` : calls}`;
    return source.ordinality ? `${text} WITH ORDINALITY` : text;
  }

  private index(source: TableSource): string {
    if (source.indexHints !== undefined) {
      return source.indexHints.map(({ words, names }) => ` ${words} (${this.names(names)})`).join('');
    }
    if (source.index === undefined) return '';
    return source.index === null ? ' NOT INDEXED' : ` INDEXED BY ${this.name(source.index)}`;
  }

  private qualified(source: { readonly schema: string | undefined; readonly name: string }): string {
    const name = this.name(source.name);
    return source.schema === undefined ? name : `${this.name(source.schema)}.${name}`;
  }
}

const hasComment = (text: string) => text.includes('--') || text.includes('/*');
