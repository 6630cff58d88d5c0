import { describe, expect, test } from 'vitest';
import { redactLiterals } from '../../redact.ts';
import { trino } from './dialect.ts';
import { trinoFunctions, trinoSubstitutes } from './functions.ts';

/** Functions of the published list that are left out. */
const REFUSED = `current_groups current_timezone version
    classify evaluate_classifier_predictions features learn_classifier learn_libsvm_classifier learn_libsvm_regressor
    learn_regressor regress
    st_geomfromkml geometry_from_hadoop_shape bar render random_string
    classifier first last next prev permute match_number
    line_interpolate_points exclude_columns spatial_partitioning spatial_partitions
    collect element fusion intersection set
    json json_array json_exists json_object json_query json_scalar json_serialize json_value
    st_asewkb st_asewkt st_collect st_force2d st_force3d st_geomfromewkt st_linemerge st_makeline st_makepolygon
    st_minimumboundingcircle st_multi st_normalize st_orientedenvelope st_pointonsurface st_polygonize st_reduceprecision
    st_setsrid st_srid st_transform st_voronoipolygons st_z`.split(/\s+/);

describe('the lists', () => {
  test('allow nothing that is refused, and never advise against what is allowed', () => {
    expect(REFUSED.filter((name) => trinoFunctions.has(name))).toEqual([]);
    expect([...trinoSubstitutes.keys()].filter((name) => trinoFunctions.has(name))).toEqual([]);
  });

  test('are in lower case, as names are compared', () => {
    const all = [...trinoFunctions, ...REFUSED, ...trinoSubstitutes.keys()];
    expect(all.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
  });

  test('hold nothing that reads outside its arguments', () => {
    const outside = /^(?:current_|session|version|query|fail$|read_|table|system|node|http|file|env)/;
    expect([...trinoFunctions].filter((name) => outside.test(name))).toEqual([]);
  });
});

test.each([
  ['bigint', 'integer'],
  ['tinyint', 'integer'],
  ['decimal(10,2)', 'number'],
  ['double', 'number'],
  ['boolean', 'boolean'],
  ['uuid', 'uuid'],
  ['varchar(36)', 'text'],
  ['char(2)', 'text'],
  ['date', 'converted'],
  ['timestamp(3) with time zone', 'converted'],
  ['array(varchar)', 'converted'],
  ['map(varchar,varchar)', 'converted'],
  ['row(a varchar)', 'converted'],
  ['varbinary', 'converted'],
])('a column of %s is compared with %s', (declared, type) => {
  expect(trino.columnType(declared)).toBe(type);
});

test('texts, numbers and comments are left out of logs', () => {
  const sql = `SELECT 'it''s \\', "o""k", 1.5 -- 'x'\nFROM t /* 'y' */ WHERE a = U&'\\0041'`;
  expect(redactLiterals(sql, trino.notation)).toBe('SELECT ?, "?", ? FROM t WHERE a = U&?');
});

test('a connection tells its schema and its catalog', () => {
  const own = trino.forConnection?.({ schema: 'sales', maskedUrl: 'trinos://***@db:8443/lake/sales' });
  expect(own).toMatchObject({ name: 'trino', defaultSchema: 'sales', catalog: 'lake' });
});
