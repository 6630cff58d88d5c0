/** Reads the types of columns as the API describes them: `TableFieldSchema`. */

export interface Field {
  readonly name: string;
  /** `INTEGER`, `INT64`, `RECORD` and the like. */
  readonly type: string;
  /** `NULLABLE`, `REQUIRED` or `REPEATED`; missing: `NULLABLE`. */
  readonly mode?: string;
  readonly fields?: readonly Field[];
  readonly precision?: unknown;
  readonly scale?: unknown;
  readonly maxLength?: unknown;
  readonly description?: unknown;
  readonly rangeElementType?: { readonly type?: unknown };
}

const NAMES: Readonly<Record<string, string>> = {
  BIGDECIMAL: 'BIGNUMERIC',
  BOOLEAN: 'BOOL',
  DECIMAL: 'NUMERIC',
  FLOAT: 'FLOAT64',
  INTEGER: 'INT64',
  RECORD: 'STRUCT',
};

/** The type's name in GoogleSQL. */
export const typeName = ({ type }: Pick<Field, 'type'>): string => NAMES[type.toUpperCase()] ?? type.toUpperCase();

/** Types that are nested more deeply, which the engine does not have. */
const MAX_DEPTH = 20;

/** As GoogleSQL writes it: `ARRAY<STRUCT<a INT64, b NUMERIC(10, 2)>>`. */
export function typeOf(field: Field, depth = 0): string {
  const { mode, fields = [], precision, scale, maxLength, rangeElementType } = field;
  let type = typeName(field);
  const sizes = [maxLength ?? precision, scale].filter((size) => /^\d+$/.test(String(size)));
  if (type === 'STRUCT') {
    const parts = depth < MAX_DEPTH ? fields.map((part) => `${part.name} ${typeOf(part, depth + 1)}`) : [];
    type += `<${parts.join(', ')}>`;
  } else if (type === 'RANGE') type += `<${String(rangeElementType?.type ?? 'DATE')}>`;
  else if (sizes.length > 0) type += `(${sizes.join(', ')})`;
  return mode === 'REPEATED' ? `ARRAY<${type}>` : type;
}
