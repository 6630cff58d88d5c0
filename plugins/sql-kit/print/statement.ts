/** Prints statements as canonical SQL, with the values to bind. */
import type {
  Core,
  Expr,
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
import { ExpressionPrinter, type PrintRules, separated } from './expression.ts';

/** Column names matter in the result, not inside EXISTS, IN or a scalar subquery. */
type Naming = 'named' | 'unnamed';

/** The statement as canonical SQL on one line: no comments, names quoted where needed. */
export function printSelect(select: Select, rules: PrintRules): string {
  return printStatement(select, rules).sql;
}

/**
 * The same with the values that have to be bound, in the order of their `?`. `showPart` changes each text of a subquery
 * that stands in a table's place.
 */
export function printStatement(select: Select, rules: PrintRules, showPart?: ShowPart) {
  return new Printer(rules, showPart).statement(select);
}

/** One expression as canonical SQL. */
export function printExpression(expr: Expr, rules: PrintRules): string {
  return new Printer(rules).expression(expr);
}

type ShowPart = (text: string) => string;

/** The SELECT in pieces, to print it more than once. */
export function printInPieces(select: Select, rules: PrintRules): PrintedSelect {
  const { printParam: _, ...unnumbered } = rules;
  return new Printer(unnumbered).pieces(select);
}

class Printer {
  readonly #expressions: ExpressionPrinter;
  /** How many tables were printed as what may be seen of them. */
  #replaced = 0;
  readonly #showPart: ShowPart;

  constructor(rules: PrintRules, showPart: ShowPart = (text) => text) {
    this.#expressions = new ExpressionPrinter(rules, this);
    this.#showPart = showPart;
  }

  statement(select: Select) {
    return this.#expressions.withParams(this.select(select, 'named'));
  }

  expression(expr: Expr): string {
    return this.#expressions.expr(expr);
  }

  pieces(select: Select): PrintedSelect {
    return this.#expressions.split(this.select(select, 'named'));
  }

  select(select: Select, naming: Naming = 'unnamed'): string {
    let text = select.with === undefined ? '' : `${this.#with(select.with)} `;
    text += this.#core(select.first, naming);
    for (const { operator, core } of select.rest)
      text += ` ${this.#expressions.setOperator(operator)} ${this.#core(core, operator.endsWith('BY NAME') ? naming : 'unnamed')}`;
    if (select.orderBy.length > 0) text += ` ${this.#expressions.orderBy(select.orderBy)}`;
    return text + this.#expressions.limit(select);
  }

  #with(clause: NonNullable<Select['with']>): string {
    const tables = separated(clause.tables, (table) => {
      const columns = table.columns.length === 0 ? '' : ` (${this.#expressions.names(table.columns)})`;
      const hint = table.materialized === undefined ? '' : table.materialized ? 'MATERIALIZED ' : 'NOT MATERIALIZED ';
      const naming = table.columns.length === 0 ? 'named' : 'unnamed';
      return `${this.#expressions.name(table.name)}${columns} AS ${hint}(${this.select(table.select, naming)})${table.suffix === undefined ? '' : this.#expressions.form(table.suffix)}`;
    });
    return `WITH ${clause.recursive ? 'RECURSIVE ' : ''}${tables}`;
  }

  #core(core: Core, naming: Naming): string {
    if (core.kind === 'values')
      return `VALUES ${separated(core.rows, (row) => `${core.rowWord ? 'ROW' : ''}(${this.#expressions.list(row)})`)}`;
    if (core.kind === 'nested') return `(${this.select(core.select, naming)})`;
    let text = core.distinct ? 'SELECT DISTINCT ' : 'SELECT ';
    if (core.distinctOn !== undefined) text += `ON (${this.#expressions.list(core.distinctOn)}) `;
    text += separated(core.columns, (column) =>
      column.kind === 'column' ? this.#column(column, naming) : this.#star(column),
    );
    if (core.from !== undefined) text += ` FROM ${this.#from(core.from)}`;
    if (core.where !== undefined) text += ` WHERE ${this.#expressions.expr(core.where)}`;
    if (core.groupBy.length > 0)
      text += ` GROUP BY ${core.groupDistinct ? 'DISTINCT ' : ''}${this.#expressions.list(core.groupBy)}`;
    if (core.withRollup) text += ' WITH ROLLUP';
    if (core.having !== undefined) text += ` HAVING ${this.#expressions.expr(core.having)}`;
    if (core.windows.length > 0) {
      text += ` WINDOW ${separated(core.windows, ({ name, window }) => `${this.#expressions.name(name)} AS ${this.#expressions.window(window)}`)}`;
    }
    if (core.qualify !== undefined) text += ` QUALIFY ${this.#expressions.expr(core.qualify)}`;
    if (core.sample !== undefined) text += ` ${core.sample}`;
    return text;
  }

  #star({ table, exclude, replace, rename }: Star): string {
    let text = table === undefined ? '*' : `${this.#expressions.name(table)}.*`;
    if (exclude !== undefined)
      text += ` ${this.#expressions.excludeWord} (${exclude.map((of) => this.#starName(of)).join(', ')})`;
    if (replace !== undefined) {
      text += ` REPLACE (${replace.map(({ expr, name }) => `${this.#expressions.expr(expr)} AS ${this.#expressions.name(name)}`).join(', ')})`;
    }
    if (rename === undefined) return text;
    return `${text} RENAME (${rename.map(({ from, to }) => `${this.#starName(from)} AS ${this.#expressions.name(to)}`).join(', ')})`;
  }

  #starName({ table, name }: StarName): string {
    return table === undefined
      ? this.#expressions.name(name)
      : `${this.#expressions.name(table)}.${this.#expressions.name(name)}`;
  }

  #column(column: NamedColumn, naming: Naming): string {
    const before = this.#replaced;
    const text = this.#expressions.expr(column.expr);
    if (column.alias !== undefined) return `${text} AS ${this.#expressions.name(column.alias)}`;
    // The engine names such a column after its text, so a text that changes in print becomes the name.
    const written = column.text;
    const isReplaced = this.#expressions.namesByText && this.#replaced > before;
    if (naming === 'named' && isReplaced && column.label !== undefined) {
      return `${text} AS ${this.#expressions.name(column.label)}`;
    }
    if (naming === 'unnamed' || written === undefined || written === text || hasComment(written)) return text;
    return `${text} AS ${this.#expressions.name(written)}`;
  }

  #from(from: From): string {
    let text = this.source(from.first);
    for (const join of from.joins) {
      const words = `${join.natural ? 'NATURAL ' : ''}${join.asof ? 'ASOF ' : ''}${join.words ? `${join.words} ` : ''}`;
      text += join.kind === ',' ? ', ' : ` ${words}${join.kind} `;
      text += this.source(join.source);
      if (join.on !== undefined) text += ` ON ${this.#expressions.expr(join.on)}`;
      if (join.using.length > 0) text += ` USING (${this.#expressions.names(join.using)})`;
      if (join.usingAlias !== undefined) text += ` AS ${this.#expressions.name(join.usingAlias)}`;
    }
    return text;
  }

  source(source: Source): string {
    const alias = this.#alias(source);
    switch (source.kind) {
      case 'table':
        return `${source.only ? 'ONLY ' : ''}${this.#qualified(source)}${alias}${this.#index(source)}${source.sample === undefined ? '' : ` ${source.sample}`}`;
      case 'rows':
        return `${this.#rows(source)}${alias}${source.suffix ?? ''}`;
      case 'function':
        return `${this.#qualified(source)}(${this.#expressions.list(source.args)})${alias}`;
      case 'subquery':
        if (source.isPart) this.#replaced += 1;
        return `${source.lateral ? 'LATERAL ' : ''}(${this.#subselect(source)})${alias}`;
      case 'join':
        return `(${this.#from(source.from)})${alias}`;
      case 'arrays':
        return separated(source.arrays, (column) => this.#column(column, 'unnamed'));
    }
  }

  #subselect({ select, printed }: SelectSource): string {
    if (printed === undefined) return this.select(select, 'named');
    let text = this.#showPart(printed.texts[0]!);
    for (let index = 0; index < printed.params.length; index += 1) {
      text += this.#expressions.param(printed.params[index]!) + this.#showPart(printed.texts[index + 1]!);
    }
    return text;
  }

  /** ` AS name (columns)`. */
  #alias(source: Source): string {
    const definition = source.kind === 'rows' ? source.definition : undefined;
    if (source.alias === undefined) return definition === undefined ? '' : ` AS (${definition})`;
    if (definition !== undefined) return ` AS ${this.#expressions.name(source.alias)} (${definition})`;
    const columns =
      'columns' in source && source.columns.length > 0 ? ` (${this.#expressions.names(source.columns)})` : '';
    return ` AS ${this.#expressions.name(source.alias)}${columns}`;
  }

  #rows(source: RowsSource): string {
    const calls = source.calls
      .map(
        ({ call, definition }) =>
          `${this.#expressions.call(call)}${definition === undefined ? '' : ` AS (${definition})`}`,
      )
      .join(', ');
    const text = `${source.lateral ? 'LATERAL ' : ''}${source.isList ? `ROWS FROM (${calls})` : calls}`;
    return source.ordinality ? `${text} WITH ORDINALITY` : text;
  }

  #index(source: TableSource): string {
    if (source.indexHints !== undefined) {
      return source.indexHints.map(({ words, names }) => ` ${words} (${this.#expressions.names(names)})`).join('');
    }
    if (source.index === undefined) return '';
    return source.index === null ? ' NOT INDEXED' : ` INDEXED BY ${this.#expressions.name(source.index)}`;
  }

  #qualified(source: { readonly schema: string | undefined; readonly name: string }): string {
    const name = this.#expressions.name(source.name);
    return source.schema === undefined ? name : `${this.#expressions.schema(source.schema)}.${name}`;
  }
}

const hasComment = (text: string) => text.includes('--') || text.includes('/*');
