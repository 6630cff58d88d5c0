import type { Core, From, NamedColumn, Select, Source, TableSource } from './ast.ts';
import type { SqlDialect } from './dialect.ts';
import { ExpressionPrinter } from './print-expression.ts';

/** Column names matter to whoever reads the rows, not inside EXISTS, IN or a scalar subquery. */
type Naming = 'named' | 'unnamed';

/** The statement as canonical SQL on one line: no comments, names quoted where needed. */
export function printSelect(select: Select, dialect: SqlDialect): string {
  return new Printer(dialect).select(select, 'named');
}

class Printer extends ExpressionPrinter {
  select(select: Select, naming: Naming = 'unnamed'): string {
    let text = select.with === undefined ? '' : `${this.with(select.with)} `;
    text += this.core(select.first, naming);
    for (const { operator, core } of select.rest) text += ` ${operator} ${this.core(core, 'unnamed')}`;
    if (select.orderBy.length > 0) text += ` ${this.orderBy(select.orderBy)}`;
    if (select.limit !== undefined) text += ` LIMIT ${this.expr(select.limit)}`;
    if (select.offset !== undefined) text += ` OFFSET ${this.expr(select.offset)}`;
    return text;
  }

  private with(clause: NonNullable<Select['with']>): string {
    const tables = clause.tables.map((table) => {
      const columns = table.columns.length === 0 ? '' : ` (${this.names(table.columns)})`;
      const hint = table.materialized === undefined ? '' : table.materialized ? 'MATERIALIZED ' : 'NOT MATERIALIZED ';
      const naming = table.columns.length === 0 ? 'named' : 'unnamed';
      return `${this.name(table.name)}${columns} AS ${hint}(${this.select(table.select, naming)})`;
    });
    return `WITH ${clause.recursive ? 'RECURSIVE ' : ''}${tables.join(', ')}`;
  }

  private core(core: Core, naming: Naming): string {
    if (core.kind === 'values') return `VALUES ${core.rows.map((row) => `(${this.list(row)})`).join(', ')}`;
    let text = core.distinct ? 'SELECT DISTINCT ' : 'SELECT ';
    text += core.columns
      .map((column) => {
        if (column.kind === 'column') return this.column(column, naming);
        return column.table === undefined ? '*' : `${this.name(column.table)}.*`;
      })
      .join(', ');
    if (core.from !== undefined) text += ` FROM ${this.from(core.from)}`;
    if (core.where !== undefined) text += ` WHERE ${this.expr(core.where)}`;
    if (core.groupBy.length > 0) text += ` GROUP BY ${this.list(core.groupBy)}`;
    if (core.having !== undefined) text += ` HAVING ${this.expr(core.having)}`;
    if (core.windows.length > 0) {
      const windows = core.windows.map(({ name, window }) => `${this.name(name)} AS ${this.window(window)}`);
      text += ` WINDOW ${windows.join(', ')}`;
    }
    return text;
  }

  private column(column: NamedColumn, naming: Naming): string {
    const text = this.expr(column.expr);
    if (column.alias !== undefined) return `${text} AS ${this.name(column.alias)}`;
    // The engine names such a column after its text, so a text that changes in print becomes the name.
    const written = column.text;
    if (naming === 'unnamed' || written === undefined || written === text || hasComment(written)) return text;
    return `${text} AS ${this.name(written)}`;
  }

  private from(from: From): string {
    let text = this.source(from.first);
    for (const join of from.joins) {
      text += join.kind === ',' ? ', ' : ` ${join.natural ? 'NATURAL ' : ''}${join.kind} `;
      text += this.source(join.source);
      if (join.on !== undefined) text += ` ON ${this.expr(join.on)}`;
      if (join.using.length > 0) text += ` USING (${this.names(join.using)})`;
    }
    return text;
  }

  protected source(source: Source): string {
    const alias = source.alias === undefined ? '' : ` AS ${this.name(source.alias)}`;
    switch (source.kind) {
      case 'table':
        return `${this.qualified(source)}${alias}${this.index(source)}`;
      case 'function':
        return `${this.qualified(source)}(${this.list(source.args)})${alias}`;
      case 'subquery':
        return `(${this.select(source.select, 'named')})${alias}`;
      case 'join':
        return `(${this.from(source.from)})${alias}`;
    }
  }

  private index(source: TableSource): string {
    if (source.index === undefined) return '';
    return source.index === null ? ' NOT INDEXED' : ` INDEXED BY ${this.name(source.index)}`;
  }

  private qualified(source: { readonly schema: string | undefined; readonly name: string }): string {
    const name = this.name(source.name);
    return source.schema === undefined ? name : `${this.name(source.schema)}.${name}`;
  }
}

const hasComment = (text: string) => text.includes('--') || text.includes('/*');
