import { describe, expect, test } from 'vitest';
import { redactLiterals } from '../../redact.ts';
import { bigquery } from './dialect.ts';
import { bigqueryFunctions, bigquerySubstitutes } from './functions.ts';

/** Functions of the published list that are left out. */
const REFUSED =
  `aead.decrypt_bytes aead.decrypt_string aead.encrypt deterministic_decrypt_bytes deterministic_decrypt_string
    deterministic_encrypt dlp_deterministic_decrypt dlp_deterministic_encrypt dlp_key_chain keys.add_key_from_raw_bytes
    keys.keyset_chain keys.keyset_from_json keys.keyset_to_json keys.new_keyset keys.new_wrapped_keyset keys.rotate_keyset
    appends changes gap_fill range_sessionize external_query external_object_transform session_user current_user error
    search vector_search bag_of_words text_analyze tf_idf st_regionstats obj.fetch_metadata obj.get_access_url obj.make_ref
    ai.generate ai.generate_bool ai.generate_double ai.generate_int ai.embed ai.if ai.score ai.classify ai.similarity
    ai.forecast ml.predict ml.generate_text group_rows`.split(/\s+/);

describe('the lists', () => {
  test('allow nothing that is refused, and never advise against what is allowed', () => {
    expect(REFUSED.filter((name) => bigqueryFunctions.has(name))).toEqual([]);
    expect([...bigquerySubstitutes.keys()].filter((name) => bigqueryFunctions.has(name))).toEqual([]);
  });

  test('are in lower case, as names are compared', () => {
    const all = [...bigqueryFunctions, ...REFUSED, ...bigquerySubstitutes.keys()];
    expect(all.filter((name) => !/^(?:[a-z_]+\.)?[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
  });

  test('hold nothing that reads outside its arguments', () => {
    const outside =
      /^(?:session|current_user|external|keys|aead|ml\.|ai\.|obj\.|dlp|error$|search|vector|appends|changes)/;
    expect([...bigqueryFunctions].filter((name) => outside.test(name))).toEqual([]);
  });
});

test.each([
  ['INT64', 'integer'],
  ['NUMERIC(10, 2)', 'number'],
  ['BIGNUMERIC', 'number'],
  ['FLOAT64', 'number'],
  ['BOOL', 'boolean'],
  ['STRING(36)', 'text'],
  ['DATE', 'converted'],
  ['TIMESTAMP', 'converted'],
  ['INTERVAL', 'converted'],
  ['ARRAY<STRING>', 'converted'],
  ['STRUCT<a STRING>', 'converted'],
  ['RANGE<DATE>', 'converted'],
  ['BYTES', 'converted'],
  ['GEOGRAPHY', 'converted'],
])('a column of %s is compared with %s', (declared, type) => {
  expect(bigquery.columnType(declared)).toBe(type);
});

test.each([
  ["SELECT 'it\\'s', \"o'k\", `a b`, 1.5 -- 'x'\nFROM t # y", 'SELECT ?, ?, `a b`, ? FROM t'],
  [`SELECT '''it's "so" \\''' x''', r"\\"", b'\\x41' /* 'z' */ FROM t`, 'SELECT ?, r?, b? FROM t'],
  [`SELECT """a"b""c""", '' FROM t`, 'SELECT ?, ? FROM t'],
  [`SELECT '''hunter2`, 'SELECT ?'],
])('texts, numbers and comments are left out of logs: %s', (sql, redacted) => {
  expect(redactLiterals(sql, bigquery.notation)).toBe(redacted);
});

test('a connection tells its dataset and its project', () => {
  const own = bigquery.forConnection?.({ schema: 'sales', maskedUrl: 'bigquery://my-project-1/sales' });
  expect(own).toMatchObject({ name: 'bigquery', defaultSchema: 'sales', catalog: 'my-project-1' });
});

test.each([
  ['contains', "50%_'\\", "LOWER(x) LIKE LOWER('%50\\\\%\\\\_\\'\\\\\\\\%')"],
  ['starts_with', 'Ab', "LOWER(x) LIKE LOWER('Ab%')"],
] as const)('a match that %s is taken literally', (kind, wanted, sql) => {
  expect(bigquery.rendering.matches('x', kind, wanted)).toBe(sql);
});

test('periods of dates and moments are texts', () => {
  expect(bigquery.rendering.bucket('week', 'd')).toBe("FORMAT_DATE('%Y-%m-%d', DATE_TRUNC(CAST(d AS DATE), ISOWEEK))");
  expect(bigquery.rendering.bucket('quarter', 'd')).toBe("FORMAT_DATE('%Y-Q%Q', CAST(d AS DATE))");
});
