import { describe, expect, test } from 'vitest';
import { redactLiterals } from '../../redact.ts';
import { snowflake } from './dialect.ts';
import { ROW_FUNCTIONS } from './from.ts';
import { snowflakeFunctions, snowflakeSubstitutes } from './functions.ts';

/** Functions of the published list that are left out. */
const REFUSED =
  `ALL_USER_NAMES CURRENT_ACCOUNT CURRENT_ACCOUNT_NAME CURRENT_AVAILABLE_ROLES CURRENT_CLIENT CURRENT_DATABASE
    CURRENT_IP_ADDRESS CURRENT_ORGANIZATION_NAME CURRENT_REGION CURRENT_ROLE CURRENT_ROLE_TYPE CURRENT_SCHEMA CURRENT_SCHEMAS
    CURRENT_SECONDARY_ROLES CURRENT_SESSION CURRENT_STATEMENT CURRENT_TRANSACTION CURRENT_USER CURRENT_VERSION CURRENT_WAREHOUSE
    INVOKER_ROLE INVOKER_SHARE IS_DATABASE_ROLE_IN_SESSION IS_GRANTED_TO_INVOKER_ROLE IS_ROLE_IN_SESSION LAST_QUERY_ID
    LAST_TRANSACTION IDENTIFIER GETVARIABLE GET_DDL GET_OBJECT_REFERENCES GET_CONDITION_QUERY_UUID POLICY_CONTEXT EXPLAIN_JSON
    GET_ABSOLUTE_PATH GET_PRESIGNED_URL GET_RELATIVE_PATH GET_STAGE_LOCATION BUILD_SCOPED_FILE_URL BUILD_STAGE_FILE_URL
    FL_GET_SIZE FL_IS_IMAGE TO_FILE TRY_TO_FILE DIRECTORY
    AI_AGG AI_CLASSIFY AI_COMPLETE AI_EMBED AI_EXTRACT AI_FILTER AI_SENTIMENT AI_TRANSCRIBE COMPLETE EXTRACT_ANSWER SENTIMENT
    SUMMARIZE EXTRACT_SEMANTIC_CATEGORIES
    ENCRYPT ENCRYPT_RAW DECRYPT DECRYPT_RAW TRY_DECRYPT TRY_DECRYPT_RAW
    PARSE_XML TRY_PARSE_XML CHECK_XML TO_XML XMLGET TO_QUERY AGG
    HLL_ACCUMULATE HLL_COMBINE HLL_ESTIMATE HLL_EXPORT HLL_IMPORT APPROX_PERCENTILE_ACCUMULATE APPROX_PERCENTILE_COMBINE
    APPROX_PERCENTILE_ESTIMATE APPROX_TOP_K_ACCUMULATE APPROX_TOP_K_COMBINE APPROX_TOP_K_ESTIMATE MINHASH_COMBINE
    GENERATOR RESULT_SCAN GETNEXTVAL VALIDATE INFER_SCHEMA NEXTVAL`.split(/\s+/);

describe('the lists', () => {
  test('allow nothing that is refused, and never advise against what is allowed', () => {
    expect(REFUSED.filter((name) => snowflakeFunctions.has(name))).toEqual([]);
    expect([...snowflakeSubstitutes.keys()].filter((name) => snowflakeFunctions.has(name))).toEqual([]);
    expect(ROW_FUNCTIONS.filter((name) => !snowflakeFunctions.has(name))).toEqual([]);
  });

  test('are in capital letters, as names are compared', () => {
    const all = [...snowflakeFunctions, ...REFUSED, ...snowflakeSubstitutes.keys()];
    expect(all.filter((name) => !/^[A-Z][A-Z0-9_]*$/.test(name))).toEqual([]);
  });

  test('hold nothing that reads outside its arguments', () => {
    const outside =
      /^(?:CURRENT_|SESSION|INVOKER|SYSTEM|AI_|GET_(?!PATH|IGNORE)|BUILD_|FL_|LAST_(?!DAY|VALUE)|HTTP|FILE)/;
    expect([...snowflakeFunctions].filter((name) => outside.test(name))).toEqual([]);
  });
});

test.each([
  ['NUMBER(38,0)', 'integer'],
  ['NUMBER(10,2)', 'number'],
  ['FLOAT', 'number'],
  ['BOOLEAN', 'boolean'],
  ['TEXT', 'text'],
  ['DATE', 'converted'],
  ['TIMESTAMP_TZ', 'converted'],
  ['VARIANT', 'converted'],
  ['ARRAY', 'converted'],
  ['BINARY', 'converted'],
])('a column of %s is compared with %s', (declared, type) => {
  expect(snowflake.columnType(declared)).toBe(type);
});

test('texts, numbers and comments are left out of logs', () => {
  const sql = `SELECT 'it''s \\' x', "o""k", 1.5 -- 'x'\nFROM t // 'y'\n/* 'z' */ WHERE a = $$it's$$ AND b:c = 'd'`;
  expect(redactLiterals(sql, snowflake.notation)).toBe('SELECT ?, "?", ? FROM t WHERE a = ? AND b:c = ?');
});

test('a connection tells its schema and its database', () => {
  const own = snowflake.forConnection?.({ schema: 'SALES', maskedUrl: 'snowflake://***@acme-shop/LAKE/SALES' });
  expect(own).toMatchObject({ name: 'snowflake', defaultSchema: 'SALES', catalog: 'LAKE' });
});

test('parts of dates, weeks and orders are written as the engine reads them', () => {
  const { rendering } = snowflake;
  expect(rendering.bucket('week', 'D')).toBe("TO_CHAR(DATEADD('day', 1 - DAYOFWEEKISO(D), D), 'YYYY-MM-DD')");
  expect(rendering.identifier('revenue')).toBe('"revenue"');
  expect(rendering.identifier('REVENUE')).toBe('REVENUE');
  expect(rendering.text("it's \\")).toBe("'it''s \\\\'");
  expect(rendering.matches('NAME', 'contains', '5%')).toBe("NAME ILIKE '%5!%%' ESCAPE '!'");
  expect(rendering.point?.('2024-01-31')).toBe("DATE '2024-01-31'");
  expect(rendering.order('N', 'N', 'desc', true)).toBe('N DESC NULLS LAST');
});
