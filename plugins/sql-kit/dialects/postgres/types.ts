/** Prints the types that casts may name. */
import type { TypeName } from 'libpg-query';
import { type Conversion, namesOf } from './conversion.ts';
import { quoteName } from './names.ts';

/** Types whose values are made from nothing but the text given. Types named `reg…` look names up in the catalogs. */
const TYPES: ReadonlySet<string> = new Set(
  `bit bool box bpchar bytea char cidr circle date datemultirange daterange float4 float8 inet int2 int4 int4multirange
  int4range int8 int8multirange int8range interval json jsonb jsonpath line lseg macaddr macaddr8 money name numeric
  nummultirange numrange oid path pg_lsn point polygon text time timestamp timestamptz timetz tsmultirange tsquery tsrange
  tstzmultirange tstzrange tsvector uuid varbit varchar`.split(/\s+/),
);

/** Types of the engine that no cast goes to. */
const ENGINE =
  /^(?:any.*|_.*|reg.*|pg_.*|.*vector|x?id8?|[ct]id|aclitem|cstring|internal|record|refcursor|trigger|unknown|void|xml)$/;

/**
 * A type that the database itself has and that may turn out to be an enumeration: its name, and how it prints. It is for
 * the engine to say whether it is one.
 */
export function enumerationOf(type: TypeName, conversion: Conversion): { name: string; text: string } | undefined {
  const names = namesOf(type.names, conversion);
  const [schema = '', name = ''] = names.length === 2 ? names : ['', ...names];
  const isEngine = TYPES.has(name) || ENGINE.test(name) || /^(?:pg_|information_schema$)/.test(schema);
  if (isEngine || names.length > 2 || type.typmods !== undefined) return undefined;
  const printed = names.map(quoteName).join('.');
  return { name: printed, text: printed + boundsText(type) };
}

/** The type as it prints, out of reach of a type of the same name in another schema. */
export function typeText(type: TypeName, conversion: Conversion): string {
  conversion.known('TypeName', type, type.location);
  const names = namesOf(type.names, conversion);
  const name = names.at(-1) ?? '';
  const schema = names.length > 1 ? names.slice(0, -1).join('.') : undefined;
  const sizes = (type.typmods ?? []).map((node) => size(node, type, conversion));
  const suffix = sizes.length === 0 ? '' : `(${sizes.join(', ')})`;
  return qualified(schema, name, type, conversion) + suffix + boundsText(type);
}

const boundsText = ({ arrayBounds = [] }: TypeName): string =>
  arrayBounds
    .map((bound) => {
      const length = 'Integer' in bound ? (bound.Integer.ival ?? 0) : -1;
      return length < 0 ? '[]' : `[${length}]`;
    })
    .join('');

function qualified(schema: string | undefined, name: string, type: TypeName, conversion: Conversion): string {
  if ((schema === undefined || schema === 'pg_catalog') && TYPES.has(name)) return `pg_catalog.${name}`;
  const written = schema === undefined ? name : `${schema}.${name}`;
  const hint = name.startsWith('reg')
    ? 'Compare names as text; the catalogs cannot be read.'
    : 'Cast to a built-in type such as text, integer, numeric, date or timestamp; compare with a plain text.';
  throw conversion.refuse('function', `A cast to "${written}" is not allowed`, conversion.at(type.location), hint);
}

/** A size is a whole number. */
function size(node: NonNullable<TypeName['typmods']>[number], type: TypeName, conversion: Conversion): string {
  if ('A_Const' in node && node.A_Const.ival !== undefined) return String(node.A_Const.ival.ival ?? 0);
  throw conversion.unknown('a type with a size that is not a number', type.location);
}
