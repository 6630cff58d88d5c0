/** What holds for every statement, whatever the server or the login have as their defaults. */
import { AtlasError, didYouMean } from '../../kernel/index.ts';
import { OPEN_SETTINGS } from './open-settings.ts';
import type { ClickhouseConnectionOptions } from './options.ts';

export type Settings = Readonly<Record<string, string | number>>;

/** As standard SQL and the other engines have it. The options of a connection may say otherwise. */
const STANDARD_SQL: Settings = {
  join_use_nulls: 1,
  union_default_mode: 'DISTINCT',
  intersect_default_mode: 'DISTINCT',
  except_default_mode: 'DISTINCT',
  cast_keep_nullable: 1,
};

/** Nothing may take their place. */
const FIXED: Settings = {
  readonly: 2,
  // The second check reads the tree of this analyzer, so it has to be the one that runs the statement.
  enable_analyzer: 1,
  allow_introspection_functions: 0,
  // A server that is left ends the statement by itself.
  cancel_http_readonly_queries_on_client_close: 1,
  timeout_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  sort_overflow_mode: 'throw',
  group_by_overflow_mode: 'throw',
  join_overflow_mode: 'throw',
  distinct_overflow_mode: 'throw',
  set_overflow_mode: 'throw',
  enable_http_compression: 0,
  // Values as `values.ts` reads them: numbers with all their digits, instants in UTC.
  default_format: 'JSONCompactEachRowWithProgress',
  http_write_exception_in_output_format: 1,
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 0,
  output_format_json_quote_denormals: 1,
  output_format_json_named_tuples_as_objects: 1,
  output_format_json_map_as_array_of_tuples: 0,
  output_format_json_escape_forward_slashes: 0,
  output_format_write_statistics: 0,
};

/** What commands are sent with that end statements: a login may be let to end its own, and to change nothing. */
export const COMMAND_SETTINGS: Settings = { default_format: 'JSONCompactEachRowWithProgress' };

/** What only one statement has. */
export interface StatementLimits {
  readonly timeoutMs: number;
  /** Rows after which the server may stop; missing: it gives all of them. */
  readonly maxRows?: number;
}

/** Throws `configuration_error` for a setting that is not one of those that options may have. */
function assertOpen(name: string): void {
  const open: readonly string[] = OPEN_SETTINGS;
  if (open.includes(name)) return;
  // A guess at what was meant ends as a question.
  throw new AtlasError(`The options cannot set "${name}" of ClickHouse${didYouMean(name, open) || '.'}`, {
    code: 'configuration_error',
    reason: 'E_CLICKHOUSE_SETTING',
    hint: 'Leave it out; the README of the plugin lists the settings that widen no access. Others belong to the profile of the login.',
  });
}

/** The settings of a connection. Throws `configuration_error`. */
export function connectionSettings({
  maxMemoryMb,
  timeZone,
  settings = {},
}: Pick<ClickhouseConnectionOptions, 'maxMemoryMb' | 'timeZone' | 'settings'>): Settings {
  const given = Object.entries(settings).map(([name, value]) => {
    assertOpen(name);
    return [name, typeof value === 'boolean' ? Number(value) : value];
  });
  return {
    ...STANDARD_SQL,
    ...Object.fromEntries(given),
    ...(timeZone !== undefined && { session_timezone: timeZone }),
    ...FIXED,
    max_memory_usage: maxMemoryMb * 1024 * 1024,
  };
}

/**
 * The settings of one statement. The server cuts a result after the block in which the limit is reached; one row more
 * than is wanted says that there are more.
 */
export const statementSettings = (ofConnection: Settings, { timeoutMs, maxRows }: StatementLimits): Settings => ({
  ...ofConnection,
  max_execution_time: timeoutMs / 1000,
  ...(maxRows !== undefined && { max_result_rows: maxRows + 1, result_overflow_mode: 'break' }),
});
