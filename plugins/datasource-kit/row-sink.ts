/** Hands the rows of one statement on while they are read, where a result would hold them all. */
import { AtlasError, type SqlLimits, type SqlResult, scopeValue } from '../../kernel/index.ts';
import type { Cell } from './cell.ts';

/**
 * What a column's values are, besides null. Where the engine leaves it open: `decimal` are decimals of any digits,
 * `number` integers and reals, unless there is something else among them, and `any` is anything.
 */
export type SinkType =
  | 'boolean'
  | 'integer'
  | 'double'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'binary'
  | 'json'
  | 'text'
  | 'decimal'
  | 'number'
  | 'any'
  | { readonly precision: number; readonly scale: number };

/** Takes the rows of a statement whose scope has it in `rowSinks`. */
export interface RowSink {
  /** In place of the limits of a result. A statement that exceeds them fails, and so does one with a longer value. */
  readonly limits: SqlLimits;
  /** Once, before the first row. */
  begin(columns: readonly string[], types: readonly SinkType[]): void;
  /** Takes some rows; a promise resolves when it can take more. What it throws ends the statement. */
  write(rows: readonly Cell[][]): Promise<void> | undefined;
}

/** The sink of the statement that is run with exactly this scope. Its reply says how many rows there were, and has none. */
export const rowSinks = scopeValue<RowSink>();

/** Decimals that Parquet and most databases hold have no more digits. */
const MAX_DIGITS = 38;

export const decimalType = (precision: number, scale: number): SinkType =>
  precision > 0 && precision <= MAX_DIGITS && scale >= 0 && scale <= precision ? { precision, scale } : 'decimal';

const handedOn = new WeakSet<object>();

/** In place of rows that a sink took: their number. Whatever reads one of them, such as a mask, fails. */
function rowsHandedOn(count: number): SqlResult['rows'] {
  const rows = new Proxy<SqlResult['rows'][number][]>([], {
    get(_, key) {
      if (key === 'length') return count;
      throw new AtlasError(
        'The rows of this statement cannot be looked at, as they are handed on while they are read.',
        {
          code: 'sql_refused',
          reason: 'E_ROWS_HANDED_ON',
          hint: 'Ask for them without an export, or leave out the plugin that changes rows.',
        },
      );
    },
  });
  handedOn.add(rows);
  return rows;
}

/** Whether all rows of the result went to the sink of its scope, and no tap has put others in their place. */
export const wereHandedOn = ({ rows }: Pick<SqlResult, 'rows'>): boolean => handedOn.has(rows);

/** For rows and values that are too many, or too long, to be handed on. */
export const exceedsSink = (message: string) =>
  new AtlasError(message, {
    code: 'sql_failed',
    reason: 'E_ROWS_EXCEED_LIMIT',
    hint: 'Select fewer rows or columns, or shorter values.',
  });

const noSink = () =>
  new AtlasError('The driver of this connection cannot hand rows on while they are read.', {
    code: 'not_available',
    reason: 'E_ROWS_NOT_HANDED_ON',
    hint: 'Ask for fewer rows, which come as an answer.',
  });

/** Counts what a sink takes of one statement, for the statement's result. */
export class CountedSink implements RowSink {
  readonly limits: SqlLimits;
  readonly #sink: RowSink;
  #hasBegun = false;
  #count = 0;

  constructor(sink: RowSink) {
    this.limits = sink.limits;
    this.#sink = sink;
  }

  begin(columns: readonly string[], types: readonly SinkType[]): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#sink.begin(columns, types);
  }

  write(rows: readonly Cell[][]): Promise<void> | undefined {
    if (!this.#hasBegun) throw noSink();
    this.#count += rows.length;
    return this.#sink.write(rows);
  }

  /** Throws `not_available` where the driver has handed nothing on. */
  result({ columns, notes }: Pick<SqlResult, 'columns' | 'notes'>): SqlResult {
    if (!this.#hasBegun) throw noSink();
    return { columns, rows: rowsHandedOn(this.#count), truncated: false, notes };
  }
}
