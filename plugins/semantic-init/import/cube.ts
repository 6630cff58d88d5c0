/** Reads data models of Cube: cubes with dimensions, measures, joins and segments. */
import type { DimensionType, Measure, MeasureType, Segment } from '../../semantic-layer/index.ts';
import { aggregateOf, columnBehind, columnOf, filtered, tableOf, tableOfQuery } from './expressions.ts';
import {
  CannotTake,
  findings,
  type ImportedDimension,
  type ImportedEntity,
  type ImportedJoin,
  type ImportedProject,
  isRecord,
  present,
  recordsOf,
  synonymsOf,
  textOf,
} from './project.ts';

type Json = Readonly<Record<string, unknown>>;

const DIMENSION_TYPES: Readonly<Record<string, DimensionType>> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  time: 'timestamp',
};
const MEASURE_TYPES: Readonly<Record<string, MeasureType>> = {
  count: 'count',
  count_distinct: 'count_distinct',
  count_distinct_approx: 'count_distinct',
  countDistinct: 'count_distinct',
  countDistinctApprox: 'count_distinct',
  sum: 'sum',
  avg: 'avg',
  min: 'min',
  max: 'max',
};
const RELATIONSHIPS: Readonly<Record<string, ImportedJoin['relationship']>> = {
  many_to_one: 'many_to_one',
  belongs_to: 'many_to_one',
  belongsTo: 'many_to_one',
  one_to_many: 'one_to_many',
  has_many: 'one_to_many',
  hasMany: 'one_to_many',
  one_to_one: 'one_to_one',
  has_one: 'one_to_one',
  hasOne: 'one_to_one',
};
const KNOWN = new Set([
  ...['name', 'sql', 'sql_table', 'sql_alias', 'title', 'description', 'dimensions', 'measures', 'joins', 'segments'],
  ...['data_source', 'public', 'shown', 'refresh_key', 'meta'],
]);

/** `{CUBE}.id`, `{orders.total}`, `{total}`, with `$` before the brace as in JavaScript. */
const REFERENCE = /\$?\{\s*([\w.]+)\s*\}(?:\s*\.\s*("[^"]+"|\w+))?/g;

/** The expression over the entity's own columns, with dimensions as `{name}`. */
function expressionOf(sql: string, cube: Json, replace: (name: string) => string = (name) => `{${name}}`): string {
  return sql.trim().replace(REFERENCE, (_, path: string, column: string | undefined) => {
    const [first = '', member, ...more] = path.split('.');
    const isOwn = first === 'CUBE' || first === cube.name;
    if (column !== undefined && member === undefined && isOwn) return column;
    if (column === undefined && isOwn && member !== undefined && more.length === 0) return replace(member);
    if (column === undefined && !isOwn && member === undefined) return replace(first);
    throw new CannotTake(`it refers to ${path}, which is not of this cube`);
  });
}

const isHidden = ({ public: isPublic, shown }: Json) => isPublic === false || shown === false;

function dimensionOf(given: Json, cube: Json): ImportedDimension {
  const name = String(given.name);
  const type = DIMENSION_TYPES[String(given.type ?? 'string')];
  if (type === undefined) throw new CannotTake(`a layer has no type ${String(given.type)}`);
  const sql = textOf(given.sql);
  if (sql === undefined) throw new CannotTake('it has no sql');
  if (given.sub_query === true) throw new CannotTake('it is a subquery');
  const expression = expressionOf(sql, cube);
  return present({
    name,
    sql: expression === name ? undefined : expression,
    type: columnOf(expression) === undefined ? type : undefined,
    description: textOf(given.description),
    synonyms: synonymsOf(name, given.title),
    primary_key: given.primary_key === true ? true : undefined,
    hidden: isHidden(given) && given.primary_key !== true ? true : undefined,
  });
}

function measureOf(given: Json, cube: Json, open: ReadonlySet<string> = new Set()): Measure {
  const name = String(given.name);
  if (open.has(name)) throw new CannotTake('it refers to itself');
  if (given.rolling_window !== undefined || given.multi_stage === true || given.time_shift !== undefined) {
    throw new CannotTake('it runs over a window of time');
  }
  const common = present({
    name,
    description: textOf(given.description),
    synonyms: synonymsOf(name, given.title),
    format: textOf(given.format),
  });
  const sql = textOf(given.sql);
  if (given.type === 'number') {
    if (sql === undefined) throw new CannotTake('it has no sql');
    const measures = recordsOf(cube.measures);
    const expression = expressionOf(sql, cube, (member) => {
      const other = measures.find((measure) => measure.name === member);
      return other === undefined ? `{${member}}` : aggregateOf(measureOf(other, cube, new Set([...open, name])));
    });
    return { ...common, type: 'ratio', sql: expression };
  }
  const type = MEASURE_TYPES[String(given.type)];
  if (type === undefined) throw new CannotTake(`a layer has no measure of the type ${String(given.type)}`);
  if (type !== 'count' && sql === undefined) throw new CannotTake('it has no sql');
  const conditions = recordsOf(given.filters).map((filter) => expressionOf(String(filter.sql), cube));
  const base: Measure = { ...common, type, ...(sql !== undefined && { sql: expressionOf(sql, cube) }) };
  return filtered(base, conditions);
}

function joinOf(given: Json, cube: Json): ImportedJoin {
  const target = String(given.name);
  const relationship = RELATIONSHIPS[String(given.relationship)];
  if (relationship === undefined) throw new CannotTake(`the relationship ${String(given.relationship)} is unknown`);
  const sides = String(given.sql)
    .split(/\band\b/i)
    .map((condition) => condition.split('='));
  const on = sides.map(([left = '', right = '', ...more]) => {
    const [one, other] = [sideOf(left, cube), sideOf(right, cube)];
    if (more.length > 0 || one === undefined || other === undefined || one.cube === other.cube) {
      throw new CannotTake('its condition is not an equality of columns');
    }
    const [own, theirs] = one.cube === cube.name ? [one, other] : [other, one];
    if (own.cube !== cube.name || theirs.cube !== target) throw new CannotTake('its condition is about other cubes');
    return { from: own.member, to: theirs.member };
  });
  return { target, relationship, on };
}

/** `{CUBE}.id`, `{CUBE.id}`, `{orders.id}` or `{orders}.id`. */
function sideOf(text: string, cube: Json): { readonly cube: string; readonly member: string } | undefined {
  const [, path = '', column] = /^\s*\(*\s*\$?\{\s*([\w.]+)\s*\}(?:\s*\.\s*"?(\w+)"?)?\s*\)*\s*$/.exec(text) ?? [];
  const [first = '', member = column] = path.split('.');
  return member === undefined ? undefined : { cube: first === 'CUBE' ? String(cube.name) : first, member };
}

/** Columns of joins may be named by the dimensions that stand for them. */
function columnsOfJoins(entities: readonly ImportedEntity[]): ImportedEntity[] {
  return entities.map((entity) => ({
    ...entity,
    joins: entity.joins.map((join) => {
      const target = entities.find(({ name }) => name === join.target);
      return {
        ...join,
        on: join.on.map(({ from, to }) => ({ from: columnBehind(entity, from), to: columnBehind(target, to) })),
      };
    }),
  }));
}

/** `content`: parsed YAML, or the same shape out of a script. */
export function readCube(contents: readonly Json[]): ImportedProject {
  const { notTaken, report, taken } = findings();
  const entities: ImportedEntity[] = [];
  for (const content of contents) {
    for (const view of recordsOf(content.views)) report(`view ${String(view.name)}`, 'a layer has no views over cubes');
    for (const cube of recordsOf(content.cubes)) {
      const name = String(cube.name);
      for (const key of Object.keys(cube))
        if (!KNOWN.has(key)) report(`cube ${name}.${key}`, 'a layer has nothing like it');
      const [table, query] = [textOf(cube.sql_table), textOf(cube.sql)];
      const place = table !== undefined ? tableOf(table) : query !== undefined ? tableOfQuery(query) : undefined;
      if (place === undefined) {
        report(`cube ${name}`, 'it is a query, not a table; make it a view of the database');
        continue;
      }
      const all = <T>(list: string, take: (given: Json, cube: Json) => T): T[] =>
        recordsOf(cube[list]).flatMap((given) => taken(`cube ${name}.${String(given.name)}`, () => take(given, cube)));
      const dimensions = all('dimensions', dimensionOf);
      entities.push({
        ...present({ name, ...place, description: textOf(cube.description), synonyms: synonymsOf(name, cube.title) }),
        dimensions,
        measures: all('measures', measureOf),
        joins: all('joins', joinOf),
        segments: all(
          'segments',
          (given): Segment =>
            present({
              name: String(given.name),
              sql: expressionOf(String(given.sql), cube),
              description: textOf(given.description),
            }),
        ),
      });
    }
  }
  return { entities: columnsOfJoins(entities), metrics: [], notTaken };
}

export const isCubeModel = (value: unknown): value is Json =>
  isRecord(value) && (Array.isArray(value.cubes) || Array.isArray(value.views));
