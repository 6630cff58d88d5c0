/** Reads the names of PostgreSQL's operators. */
import type { Node } from 'libpg-query';
import { Level } from '../../ast/precedence.ts';
import { type Conversion, namesOf } from './conversion.ts';

/** Every operator of the engine's own catalog: all of them are stable and read their operands only. */
export const postgresOperators: ReadonlySet<string> = new Set(
  `!! !~ !~* !~~ !~~* # ## #- #> #>> % & && &< &<| &> * *< *<= *<> *= *> *>= + - -> ->> -|- / < <-> << <<= <<| <= <> <@
  <^ = > >= >> >>= >^ ? ?# ?& ?- ?-| ?| ?|| @ @-@ @> @? @@ @@@ ^ ^@ | |&> |/ |>> || ||/ ~ ~* ~<=~ ~<~ ~= ~>=~ ~>~ ~~
  ~~*`.split(/\s+/),
);

const LEVELS: ReadonlyMap<string, number> = new Map([
  ...['=', '<', '>', '<=', '>=', '<>'].map((operator): [string, number] => [operator, Level.equality]),
  ['+', Level.sum],
  ['-', Level.sum],
  ['*', Level.product],
  ['/', Level.product],
  ['%', Level.product],
  ['^', Level.power],
]);

/** Binding strength of an infix operator. */
export const infixLevel = (operator: string): number => LEVELS.get(operator) ?? Level.bits;

/** The operator's sign; one of another schema, or one that the engine does not have itself, refuses. */
export function operatorOf(
  name: readonly Node[] | undefined,
  location: number | undefined,
  conversion: Conversion,
): string {
  const names = namesOf(name, conversion);
  const operator = names.at(-1) ?? '';
  const isOwn = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
  if (isOwn && postgresOperators.has(operator)) return operator;
  const written = names.length === 1 ? operator : `OPERATOR(${names.join('.')})`;
  throw conversion.refuse(
    'function',
    `Operator ${written} is not allowed`,
    conversion.at(location),
    'Use a built-in operator.',
  );
}
