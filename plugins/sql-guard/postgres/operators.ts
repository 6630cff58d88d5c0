import type { Node } from 'libpg-query';
import { Level } from '../precedence.ts';
import { nameOf, type Reading } from './reading.ts';

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
export function operatorOf(name: readonly Node[] | undefined, location: number | undefined, reading: Reading): string {
  const [first, second, ...more] = (name ?? []).map((part) => nameOf(part, reading));
  const operator = second ?? first ?? '';
  const isOwn = more.length === 0 && (second === undefined || first === 'pg_catalog');
  if (isOwn && postgresOperators.has(operator)) return operator;
  const written = second === undefined ? operator : `OPERATOR(${first}.${operator})`;
  throw reading.refuse(
    'function',
    `Operator ${written} is not allowed`,
    reading.at(location),
    'Use a built-in operator.',
  );
}
