/** Draws statements full of what hides where texts, names and comments end. */
import type { SqlDialect } from '../../plugins/sql-kit/index.ts';
import type { Choices } from './choices.ts';
import type { FuzzDialect } from './engine.ts';

/** The table that they read. */
export const NOTES = `CREATE TABLE notes (id integer, body varchar(60));
  INSERT INTO notes VALUES (1, 'it''s'); INSERT INTO notes VALUES (2, '“so”'); INSERT INTO notes VALUES (3, '&lt;');`;

/** What looks like the end or the beginning of something, and what a repair would change. */
const PIECES = [
  'a',
  ' ',
  '“so”',
  '‘x’',
  '&lt;',
  '&#39;',
  '--',
  '/*',
  '*/',
  '$$',
  '$q$',
  '#',
  ';',
  '`',
  '[',
  'é',
  '\\n',
];

export class StatementWriter {
  private readonly choices: Choices;
  private readonly engine: FuzzDialect;
  private readonly dialect: SqlDialect;

  constructor(choices: Choices, engine: FuzzDialect, dialect: SqlDialect) {
    this.choices = choices;
    this.engine = engine;
    this.dialect = dialect;
  }

  /** Valid in the engine, part by part. */
  statement(): string {
    const columns = this.choices.list(1, 3, (at) => `${this.value()} AS ${this.alias(at)}`);
    const words = ['SELECT', `${columns.join(`,${this.space()}`)}`, 'FROM', 'notes'];
    if (this.choices.chance(40)) words.push('WHERE', 'body', '<>', this.text());
    words.push('ORDER', 'BY', 'id');
    let written = '';
    for (const word of words) written += word + this.space();
    return this.choices.chance(20) ? `${written}-- ${this.pieces('')}` : written;
  }

  private value(): string {
    const { choices } = this;
    const kind = choices.below(5);
    if (kind === 1) return this.joined(this.text(), this.text());
    if (kind === 2) return `CASE WHEN ${this.text()} = ${this.text()} THEN 1 ELSE 0 END`;
    if (kind === 3) return `length(${this.text()})`;
    if (kind === 4) return `1 -${this.space()}-1`;
    return this.text();
  }

  private joined(a: string, b: string): string {
    return this.engine.joined?.(a, b) ?? `${a} ||${this.space()}${b}`;
  }

  private text(): string {
    const { texts, escapes, hasDollarQuotes } = this.dialect.notation;
    const kind = this.choices.below(4);
    if (kind === 1 && hasDollarQuotes) {
      const tag = this.choices.pick(['$$', '$q$', '$Tag_1$']);
      return `${tag}${this.pieces('').replaceAll('$', '')}'${tag}`;
    }
    if (kind === 2 && escapes === 'prefixed') {
      return `${this.choices.pick(['E', 'e'])}'${this.pieces("\\'", "''", '\\\\', '\\t', '"')}'`;
    }
    const quote = this.choices.pick([...texts]);
    const other = quote === "'" ? '"' : "'";
    // A backslash before the end would escape it in some engines, and a lone one is left to those without escapes.
    return escapes === 'always'
      ? `${quote}${this.pieces(`\\${quote}`, quote + quote, '\\\\', '\\t', other)}${quote}`
      : `${quote}${this.pieces(quote + quote, '\\', 'C:\\temp', "''", other)}${quote}`;
  }

  private alias(at: number): string {
    const { names } = this.dialect.notation;
    const kind = this.choices.below(3);
    if (kind === 1 && !this.engine.hasPlainNames) return `c${at}_‘${this.choices.pick(['x', 'é'])}’`;
    const open = this.choices.pick([...names]);
    if (kind === 0 || open === '[') return `c${at}`;
    return `${open}c${at} ${this.pieces("'", '“', open + open).replaceAll(/[`"]/g, (sign) => (sign === open ? open + open : sign))}${open}`;
  }

  private space(): string {
    const kind = this.choices.below(12);
    const { hasNestedComments } = this.dialect.notation;
    if (kind === 1) return '\n\t';
    if (kind === 2) return ` -- ${this.pieces("'", '"', '\\')}\n`;
    if (kind === 3 && hasNestedComments) return ` /* ${this.comment()} /* ${this.comment()} */ ${this.comment()} */ `;
    if (kind === 3 || kind === 4) return ` /* ${this.comment()} */ `;
    if (kind === 5 && this.dialect.name === 'mysql') return ` # ${this.pieces("'", '"', '\\')}\n`;
    return ' ';
  }

  private comment(): string {
    return this.pieces("'", '"', '\\').replaceAll(/\/\*|\*\//g, '');
  }

  private pieces(...more: readonly string[]): string {
    return this.choices.list(0, 5, () => this.choices.pick([...PIECES, ...more])).join('');
  }
}
