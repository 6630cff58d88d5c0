/** Finds the relations that names of a SELECT mean. */
import type { Expr, SelectCore, SelectSource } from '../../ast/tree.ts';
import { NOTHING, nameOf, orderedShape, type Shape, union } from './column-lists.ts';
import { quoteName } from './names.ts';

export interface Relation {
  readonly name: string;
  readonly shape: Shape;
  /** What stands in the place of a table with new names for its columns. */
  readonly renamed?: SelectSource | undefined;
}

export interface Scope {
  readonly relations: readonly Relation[];
  readonly outer: Scope | undefined;
}

function* relationsOf(start: Scope): Generator<Relation> {
  for (let scope: Scope | undefined = start; scope !== undefined; scope = scope.outer) yield* scope.relations;
}

/** The relation whose row a name without a table is, which is a column of any relation in sight first. */
export function rowNamed(name: string, start: Scope): Relation | undefined {
  let found: Relation | undefined;
  for (let scope: Scope | undefined = start; scope !== undefined; scope = scope.outer) {
    found ??= scope.relations.find((relation) => relation.name === name);
  }
  if (found === undefined) return undefined;
  for (let scope: Scope | undefined = start; scope !== undefined; scope = scope.outer) {
    if (scope.relations.some(({ shape }) => shape.names.has(name))) return undefined;
  }
  return found;
}

/** The relation whose row `t.*` inside an expression is. */
export function starIn(expr: Expr, scope: Scope): Relation | undefined {
  if (expr.kind !== 'form' || expr.parts.length !== 1) return undefined;
  for (const relation of relationsOf(scope)) if (expr.parts[0] === `${quoteName(relation.name)}.*`) return relation;
  return undefined;
}

/** The columns of the nearest relation of that name. */
export function findShape(start: Scope, name: string): Shape | undefined {
  for (let scope: Scope | undefined = start; scope !== undefined; scope = scope.outer) {
    let found: Shape | undefined;
    for (const relation of scope.relations) {
      if (relation.name !== name) continue;
      // Two of one name: the engine refuses it.
      if (found !== undefined) return NOTHING;
      found = relation.shape;
    }
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The columns of a SELECT's result. */
export function outputOf(core: SelectCore, scope: Scope): Shape {
  const [first, another] = core.columns;
  if (first?.kind === 'star' && another === undefined) {
    if (first.table !== undefined) return findShape(scope, first.table) ?? NOTHING;
    if (scope.relations.length === 1) return scope.relations[0]!.shape;
  }
  const named = core.columns.filter((column) => column.kind === 'column');
  if (named.length === core.columns.length) return orderedShape(named.map(nameOf));
  const own = new Set<string>();
  const shapes: Shape[] = [{ names: own, open: undefined }];
  for (const column of core.columns) {
    if (column.kind === 'column') own.add(nameOf(column));
    else if (column.table === undefined) for (const { shape } of scope.relations) shapes.push(shape);
    else shapes.push(findShape(scope, column.table) ?? NOTHING);
  }
  return union(shapes);
}
