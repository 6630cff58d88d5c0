import { describe, expect, it } from 'vitest';
import { kitDialects } from '../sql-kit/index.ts';
import { isVolatile } from './volatile.ts';

const dialects = await kitDialects();

/** Of all functions that a dialect allows, those that read a clock, draw lots or make identifiers. */
const VOLATILE: Readonly<Record<string, string>> = {
  postgres:
    'random random_normal age clock_timestamp now timeofday array_sample array_shuffle gen_random_uuid uuidv4 uuidv7',
  mysql:
    'rand curdate current_date current_time current_timestamp curtime localtime localtimestamp now sysdate unix_timestamp utc_date utc_time utc_timestamp uuid',
  sqlite: 'random',
  duckdb:
    'random age current_date current_localtime current_localtimestamp get_current_time get_current_timestamp now today gen_random_uuid uuid uuidv4 uuidv7',
  clickhouse:
    'rand rand32 rand64 randbernoulli randbinomial randcanonical randchisquared randconstant randexponential randfisherf randlognormal randnegativebinomial randnormal randpoisson randstudentt randuniform generatesnowflakeid generateuuidv4 generateuuidv7 utc_timestamp utctimestamp curdate current_date current_timestamp localtimestamp now now64 today yesterday arrayshuffle arraypartialshuffle arrayrandomsample grouparraysample age',
  trino: 'rand random now shuffle uuid objectid',
  bigquery: 'rand generate_uuid current_date current_datetime current_time current_timestamp',
  snowflake: 'RANDOM RANDSTR UUID_STRING SEQ1 SEQ8 GETDATE SYSDATE SYSTIMESTAMP',
};
/** A function with such a name that is allowed later must be looked at. */
const SUSPICIOUS =
  /rand(?!omHad)|shuffle|clock|yesterday|timeofday|^now|^current|sysdate|getdate|systimestamp|uuid|^seq\d|^cur(?:date|time)|^gen/i;

describe.each([...dialects])('on %s', (name, dialect) => {
  const isCalledVolatile = (one: string) => isVolatile(`SELECT ${one}(a) FROM t`, dialect.notation);

  it('functions that bring another value each time are known, and hardly any other', () => {
    expect((VOLATILE[name] ?? '').split(' ').filter((one) => !isCalledVolatile(one))).toEqual([]);
    const functions = [...dialect.functions];
    expect(functions.filter((one) => SUSPICIOUS.test(one) && !isCalledVolatile(one))).toEqual([]);
    expect(functions.filter(isCalledVolatile).length).toBeLessThan(functions.length / 10);
  });
});

it.each([
  ['sqlite', "SELECT date('now')", true],
  ['sqlite', "SELECT date( 'NOW' , '-1 day')", true],
  ['sqlite', 'SELECT date()', true],
  ['sqlite', "SELECT strftime('%Y')", true],
  ['sqlite', "SELECT unixepoch('subsec')", true],
  ['sqlite', "SELECT strftime('%Y', ordered_at), date(ordered_at) FROM orders", false],
  ['sqlite', 'SELECT CURRENT_TIMESTAMP', true],
  ['sqlite', "SELECT 'it is now' FROM orders -- now()", false],
  ['sqlite', 'SELECT count(*) FROM orders WHERE ordered_at >= ?', false],
  ['postgres', "SELECT 'today'::date", true],
  ['postgres', "SELECT E'now'::timestamptz", true],
  ['postgres', 'SELECT "now"()', true],
  ['postgres', 'SELECT LOCALTIMESTAMP', true],
  ['postgres', 'SELECT * FROM orders TABLESAMPLE SYSTEM (1)', true],
  ['postgres', 'SELECT current_user', true],
  ['postgres', "SELECT date_trunc('month', ordered_at) FROM orders", false],
  ['mysql', 'SELECT UTC_TIMESTAMP', true],
  ['mysql', 'SELECT `name` FROM customers', false],
  ['duckdb', 'SELECT * FROM orders USING SAMPLE 10', true],
  ['duckdb', 'SELECT current_localtimestamp()', true],
  ['clickhouse', 'SELECT toStartOfMonth(now64())', true],
  ['clickhouse', 'SELECT toStartOfMonth(ordered_at) FROM orders', false],
  ['trino', 'SELECT current_date', true],
  ['bigquery', 'SELECT CURRENT_DATE', true],
  ['snowflake', 'SELECT GETDATE()', true],
  ['snowflake', 'SELECT CURRENT_TIMESTAMP', true],
  ['snowflake', "SELECT DATE_TRUNC('month', ORDERED_AT) FROM ORDERS", false],
])('on %s, %s brings another result each time: %s', (name, sql, expected) => {
  const { notation } = dialects.get(name)!;
  expect(isVolatile(sql, notation)).toBe(expected);
});
