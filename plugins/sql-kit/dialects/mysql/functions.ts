/**
 * What MySQL's and MariaDB's functions may be called: those that read nothing but their arguments and the clock. The
 * classification of every function that MariaDB lists is a test.
 */
const words = (text: string): string[] => text.trim().split(/\s+/);

/** Functions, aggregates and window functions that may be called; a server that lacks one says so. */
export const mysqlFunctions: ReadonlySet<string> = new Set(
  words(`
    abs acos asin atan atan2 bit_count ceil ceiling conv cos cot crc32 crc32c degrees exp floor ln log log10 log2 mod oct
    pi pow power radians rand round sign sin sqrt tan truncate
    ascii bin bit_length char char_length character_length chr concat concat_ws elt export_set field find_in_set format
    from_base64 hex insert instr lcase left length lengthb locate lower lpad ltrim make_set mid natural_sort_key
    octet_length ord position quote regexp_instr regexp_like regexp_replace regexp_substr repeat replace reverse right
    rpad rtrim soundex space strcmp substr substring substring_index to_base64 to_char to_number trim ucase uncompressed_length unhex
    upper
    adddate addtime add_months convert_tz curdate current_date current_time current_timestamp curtime date date_add
    date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear extract from_days from_unixtime get_format
    hour last_day localtime localtimestamp makedate maketime microsecond minute month monthname now period_add
    period_diff quarter sec_to_time second str_to_date subdate subtime sysdate time time_format time_to_sec timediff
    timestamp timestampadd timestampdiff to_days to_date to_seconds unix_timestamp utc_date utc_time utc_timestamp week weekday
    weekofyear year yearweek
    cast coalesce convert greatest if ifnull interval isnull least nullif nvl nvl2 row
    any_value avg bit_and bit_or bit_xor count group_concat grouping max median min std stddev stddev_pop stddev_samp sum
    var_pop var_samp variance percentile_cont percentile_disc
    cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
    json_array json_array_append json_array_insert json_arrayagg json_compact json_contains json_contains_path
    json_depth json_detailed json_equals json_exists json_extract json_insert json_keys json_length json_loose json_merge
    json_merge_patch json_merge_preserve json_normalize json_object json_objectagg json_overlaps json_pretty json_query
    json_quote json_remove json_replace json_schema_valid json_search json_set json_storage_size json_type json_unquote
    json_valid json_value
    bin_to_uuid charset coercibility collation inet6_aton inet6_ntoa inet_aton inet_ntoa is_ipv4 is_ipv4_compat
    is_ipv4_mapped is_ipv6 is_uuid md5 sha sha1 sha2 uuid uuid_to_bin
    st_area st_asgeojson st_astext st_contains st_distance st_distance_sphere st_geomfromtext st_intersects st_latitude
    st_length st_longitude st_within st_x st_y point
    like regexp`).concat('sounds like'),
);

/**
 * Functions of the servers that are refused: they read files, settings or the session, take locks, sleep or wait, write,
 * encrypt with keys in the text, tell about accounts or replication, or are meant for the servers themselves.
 */
export const mysqlRefusedFunctions: ReadonlySet<string> = new Set(
  words(`
    load_file get_lock is_free_lock is_used_lock release_all_locks release_lock
    benchmark sleep master_gtid_wait master_pos_wait source_pos_wait wait_for_executed_gtid_set
    binlog_gtid_pos wsrep_last_seen_gtid wsrep_last_written_gtid wsrep_sync_wait_upto_gtid
    connection_id current_role current_user database found_rows last_insert_id name_const row_count schema schemas
    session_user system_user user version default values
    nextval lastval setval uuid_short sys_guid random_bytes
    aes_decrypt aes_encrypt compress decode des_decrypt des_encrypt encode encrypt old_password password uncompress
    extractvalue updatexml weight_string
    column_add column_check column_create column_delete column_exists column_get column_json column_list
    decode_histogram sformat
    concat_operator_oracle decode_oracle lpad_oracle ltrim_oracle replace_oracle rpad_oracle rtrim_oracle substr_oracle
    trim_oracle`),
);

const SUBSTITUTES: Readonly<Record<string, string>> = {
  "date_format(column, '%Y-%m-01')": 'date_trunc datetrunc',
  "date_format(column, '%Y-%m')": 'strftime format_date format_datetime',
  'EXTRACT(YEAR FROM column)': 'date_part datepart dow',
  'TIMESTAMPDIFF(DAY, earlier, later)': 'date_diff age months_between julianday',
  'column + INTERVAL 1 DAY': 'dateadd',
  'str_to_date(text, format)': 'parse_date strptime to_timestamp',
  "group_concat(column SEPARATOR ', ')": 'string_agg listagg array_agg',
  'CAST(column AS SIGNED)': 'to_int try_cast int integer',
  'instr(text, part)': 'strpos charindex',
  'substring_index(text, delimiter, n)': 'split_part',
  'sum(condition)': 'countif count_if',
  'char_length(text)': 'len',
  'if(condition, a, b)': 'iif decode_case',
  'now()': 'getdate',
};

/** What to write instead of a function that other engines have. */
export const mysqlSubstitutes: ReadonlyMap<string, string> = new Map(
  Object.entries(SUBSTITUTES).flatMap(([instead, names]) =>
    words(names).map((name): [string, string] => [name, `Write ${instead}.`]),
  ),
);
