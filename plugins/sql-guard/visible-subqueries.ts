/** Makes what stands in the place of a statement's tables, once for references that are alike. */
import type { TableSource } from '../sql-kit/index.ts';
import { type AllowedTable, type AllowedTables, isMasked, type VisiblePart } from './allowed-tables.ts';
import { visiblePart } from './visible-columns.ts';

export class VisibleParts {
  readonly #text: string;
  readonly #tables: AllowedTables;
  /** What the engine says of the whole text, for tables with and without masks. */
  readonly #separates = new Map<boolean, boolean>();

  constructor(text: string, tables: AllowedTables) {
    this.#text = text;
    this.#tables = tables;
  }

  /** Throws when a condition on the table's rows cannot be used. */
  of(source: TableSource, table: AllowedTable): VisiblePart {
    const { dialect, parts } = this.#tables;
    const isSeparate = this.#isSeparate(isMasked(table));
    const isOwn = isSeparate || (dialect.mixesNamesakes && source.alias !== undefined);
    const { schema, only, sample, indexHints } = source;
    const isPlain = schema === table.schema && !only && sample === undefined && indexHints === undefined && !isOwn;
    const known = isPlain ? parts.get(table) : undefined;
    if (known !== undefined) return known;
    const part = visiblePart(source, table, dialect, isSeparate);
    if (isPlain) parts.set(table, part);
    return part;
  }

  #isSeparate(withMasks: boolean): boolean {
    let answer = this.#separates.get(withMasks);
    if (answer === undefined) {
      answer = this.#tables.dialect.separatesParts?.(this.#text, withMasks) ?? false;
      this.#separates.set(withMasks, answer);
    }
    return answer;
  }
}
