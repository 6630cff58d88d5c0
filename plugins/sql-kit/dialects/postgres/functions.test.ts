import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres } from '../../../../test/harness/postgres.ts';
import { postgresFunctions, postgresSubstitutes } from './functions.ts';
import { postgresOperators } from './operators.ts';

/** What a name of the engine's catalog stands for, all functions of that name together. */
interface CatalogFunction {
  readonly name: string;
  /** None of them is volatile. */
  readonly stable: boolean;
  /** One takes or gives what only the server makes or looks up: `internal`, `cstring`, `regclass`, … */
  readonly plumbing: boolean;
  readonly purpose: string;
}

const CATALOG = `
  WITH plumbing AS MATERIALIZED (
    SELECT array_agg(oid) AS ids FROM pg_type
    WHERE typname ~ '^_?(internal|cstring|reg|pg_|trigger|event_trigger|void|aclitem|refcursor|gtsvector|oidvector|int2vector|xid|cid$|tid|xml)|_handler$'
  )
  SELECT p.proname AS name,
         bool_and(p.provolatile <> 'v') AS stable,
         bool_or(plumbing.ids && (p.proargtypes::oid[] || coalesce(p.proallargtypes, '{}') || p.prorettype)) AS plumbing,
         string_agg(DISTINCT coalesce(d.description, ''), '; ') AS purpose
  FROM plumbing, pg_proc p
  LEFT JOIN pg_description d ON d.objoid = p.oid AND d.classoid = 'pg_proc'::regclass
  WHERE p.pronamespace = 'pg_catalog'::regnamespace
  GROUP BY p.proname
  ORDER BY p.proname`;

/** What stands behind operators, indexes, aggregates and types, and what tells about the server and its objects. */
const BEHIND =
  /implementation of|aggregate|hash|less-equal-greater|larger of|smaller of|\bI\/O\b|selectivity|statistic|btree|GiST|GIN|support|RANGE|equal image|increment|decrement|typmod|privilege|visible|\(internal\)|canonical|float8 difference/;

/** Volatile, and yet they do nothing but draw lots and look at the clock. */
const DRAWN = 'array_sample array_shuffle clock_timestamp gen_random_uuid random random_normal timeofday uuidv4 uuidv7';

/** They have a form that takes or gives such a type besides those that matter; no cast makes a value of it here. */
const MIXED =
  'age max min phraseto_tsquery plainto_tsquery text to_tsquery to_tsvector ts_headline websearch_to_tsquery';

/** Left out: session, server, catalogs, transactions; rows of a named type; doubles of others; XML. */
const LEFT_OUT = `
  cash_words char cidr col_description current_database current_schema current_schemas current_setting current_user dexp
  dlog1 dlog10 dround dtrunc getdatabaseencoding getpgusername icu_unicode_version inet_client_addr inet_client_port
  inet_server_addr inet_server_port json_populate_record json_populate_recordset jsonb_populate_record
  jsonb_populate_record_valid jsonb_populate_recordset like macaddr macaddr8 name nameconcatoid notlike numeric_div_trunc
  numeric_exp numeric_ln numeric_log numeric_sqrt obj_description oid row_security_active session_user shobj_description
  similar_escape system_user textlen to_ascii to_regtypemod ts_parse ts_token_type txid_current txid_current_if_assigned
  txid_current_snapshot txid_snapshot_xip txid_snapshot_xmax txid_snapshot_xmin unicode_version version xml_is_well_formed
  xml_is_well_formed_content xml_is_well_formed_document`;

const words = (text: string) => text.trim().split(/\s+/);

let client: Client;
let stop: () => Promise<void>;
let engine: readonly CatalogFunction[];
beforeAll(async () => {
  const server = await startPostgres();
  stop = server.stop;
  client = new Client(server.url);
  await client.connect();
  engine = (await client.query<CatalogFunction>(CATALOG)).rows;
}, 60_000);
afterAll(async () => {
  await client.end();
  await stop();
});

const allowed = () => engine.filter(({ name }) => postgresFunctions.has(name));

test('every allowed function exists', () => {
  const names = new Set(engine.map(({ name }) => name));
  expect([...postgresFunctions].filter((name) => !names.has(name))).toEqual([]);
});

test('every allowed function is immutable or stable, or named here', () => {
  expect(
    allowed()
      .filter(({ stable }) => !stable)
      .map(({ name }) => name),
  ).toEqual(words(DRAWN));
});

test('no allowed function takes or gives what names an object of the database, but for those named here', () => {
  expect(
    allowed()
      .filter(({ plumbing }) => plumbing)
      .map(({ name }) => name),
  ).toEqual(words(MIXED));
});

test('every function of the engine is allowed, behind the scenes, or left out by name', () => {
  const others = engine.filter(({ name, stable, plumbing, purpose }) => {
    const isBehind = BEHIND.test(purpose) || name.startsWith('pg_');
    return stable && !plumbing && !isBehind && !postgresFunctions.has(name);
  });
  expect(others.map(({ name }) => name)).toEqual(words(LEFT_OUT));
});

test.each(
  words(`query_to_xml table_to_xml cursor_to_xml ts_stat ts_rewrite current_setting set_config pg_sleep pg_read_file
    pg_ls_dir pg_advisory_lock pg_try_advisory_lock lo_import lo_export lo_get dblink nextval setval pg_notify
    pg_terminate_backend satisfies_hash_partition setseed pg_typeof pg_get_viewdef has_table_privilege to_regclass
    pg_stat_get_activity pg_export_snapshot pg_logical_emit_message row_security_active txid_current`),
)('%s is not allowed', (name) => {
  expect(postgresFunctions.has(name)).toBe(false);
});

test('the operators are those of the engine, and none of them is volatile', async () => {
  const { rows } = await client.query<{ name: string; stable: boolean }>(
    `SELECT oprname AS name, bool_and(provolatile <> 'v') AS stable FROM pg_operator JOIN pg_proc p ON p.oid = oprcode
     WHERE oprnamespace = 'pg_catalog'::regnamespace GROUP BY oprname`,
  );
  expect(rows.map(({ name }) => name).sort()).toEqual([...postgresOperators].sort());
  expect(rows.filter(({ stable }) => !stable)).toEqual([]);
});

test('a hint never advises against an allowed function', () => {
  expect([...postgresSubstitutes.keys()].filter((name) => postgresFunctions.has(name))).toEqual([]);
});
