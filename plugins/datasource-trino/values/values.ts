/** Trino's values, which arrive as JSON, by the type of their column as the protocol names it. */
import {
  type Cell,
  Converted,
  decimal,
  fitting,
  json,
  real,
  shortFraction,
  toCell,
  type Value,
  type WallClock,
} from '../../datasource-kit/index.ts';
import { isoDuration, isoInstant, isoMonths, isoTimestamp } from './times.ts';
import { fieldOf, parseType } from './types.ts';

export type Decoder = (value: unknown, maxCellBytes: number) => Value;

/** States of aggregates, which no other program reads. */
const STATES = /^(?:hyperloglog|p4hyperloglog|setdigest|qdigest|tdigest|khyperloglog|thetasketch)$/i;
const STATE_NOTE = 'holds states of aggregate functions, given as base64 text';
/** Types that are longer or nested more deeply are given as JSON has them. */
const MAX_TYPE_LENGTH = 16_000;
const MAX_TYPE_DEPTH = 100;
const NESTED = new Set(['array', 'map', 'row']);

/** The decoders of one result: a statement may make up types without end. */
export class Decoders {
  readonly #clocks = new Map<string, WallClock>();

  of(type: string, depth = 0): Decoder {
    const decode = type.length > MAX_TYPE_LENGTH || depth > MAX_TYPE_DEPTH ? plain : this.#make(type, depth);
    return (value, maxCellBytes) => (value === null || value === undefined ? null : decode(value, maxCellBytes));
  }

  #make(text: string, depth: number): Decoder {
    const { name, args } = parseType(text);
    if (NESTED.has(name)) return this.#nested(name, args, depth);
    if (name === 'real' || name === 'double') return (value) => real(String(value));
    if (name === 'decimal' || name === 'number') return (value) => decimal(String(value));
    if (name === 'varbinary') return (value) => Buffer.from(String(value), 'base64');
    if (name === 'json') return (value, maxCellBytes) => json(String(value), maxCellBytes);
    if (name === 'timestamp') return (value) => isoTimestamp(String(value));
    if (name === 'timestamp with time zone') return (value) => isoInstant(String(value), this.#clocks);
    if (name === 'time' || name === 'time with time zone') return (value) => shortFraction(String(value));
    if (name === 'interval day to second') return (value) => isoDuration(String(value));
    if (name === 'interval year to month') return (value) => isoMonths(String(value));
    if (STATES.test(name)) return (value) => new Converted(String(value), String(value).length, STATE_NOTE);
    return plain;
  }

  #nested(name: string, args: readonly string[], depth: number): Decoder {
    const cellBy = (type: string) => {
      const decode = this.of(type, depth + 1);
      return (value: unknown): Cell => toCell(decode(value, Number.MAX_SAFE_INTEGER));
    };
    const whole = (make: (value: unknown) => Cell): Decoder => {
      return (value, maxCellBytes) => fitting(new Converted(make(value), 0), maxCellBytes);
    };
    if (name === 'array') {
      const item = cellBy(args[0] ?? '');
      return whole((value) => listOf(value).map(item));
    }
    if (name === 'map') {
      const item = cellBy(args[1] ?? '');
      return whole((value) =>
        Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, item(one)])),
      );
    }
    const fields = args.map(fieldOf).map((field) => ({ ...field, read: cellBy(field.type) }));
    const names = new Set(fields.map((field) => field.name));
    // A row with names is an object, unless one name stands for two fields.
    const isNamed = !names.has(undefined) && names.size === fields.length;
    return whole((value) => {
      const cells = listOf(value).map((one, at) => fields[at]?.read(one) ?? null);
      return isNamed ? Object.fromEntries(fields.map((field, at) => [field.name, cells[at] ?? null])) : cells;
    });
  }
}

/** Booleans, integers, texts, dates, addresses and identifiers are what JSON has. */
const plain: Decoder = (value, maxCellBytes) =>
  typeof value === 'object' ? fitting(new Converted(value as Cell, 0), maxCellBytes) : (value as Value);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
