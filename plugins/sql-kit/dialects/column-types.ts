/** Says, of a column's declared type, which values can be compared with it without a conversion by the engine. */

/**
 * `any`: the engine compares as it stores. `flexible`: numbers, and texts that do not look like one.
 * `converted`: the engine reads the text and fails when it cannot, as for dates.
 */
export type ColumnType = 'integer' | 'number' | 'boolean' | 'uuid' | 'text' | 'any' | 'flexible' | 'converted';

/** By the names that most engines give their types; `declared` in any case. */
export function standardColumnType(declared: string): ColumnType {
  const type = declared.toLowerCase();
  if (/^bool|^tinyint\(1\)/.test(type)) return 'boolean';
  if (/^u?(tiny|small|medium|big|huge)?int(eger|\d)*\b|^(small|big)?serial/.test(type)) return 'integer';
  if (/^(numeric|decimal|dec|real|float|double)/.test(type)) return 'number';
  if (type.startsWith('uuid')) return 'uuid';
  if (/char|text|string|^name$|^enum/.test(type)) return 'text';
  return 'converted';
}
