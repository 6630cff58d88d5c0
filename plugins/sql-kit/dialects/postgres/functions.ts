/**
 * What Postgres' functions may be called. Allowed are those that the catalog calls immutable or stable and that make
 * their result of their arguments and the time alone; a test compares the list with the catalogs of a real server.
 */
const words = (text: string): string[] => text.trim().split(/\s+/);

/** Scalar, aggregate, window and set-returning functions that may be called, each for all the types it takes. */
export const postgresFunctions: ReadonlySet<string> = new Set(
  words(`
    abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh cbrt ceil ceiling cos cosd cosh cot cotd degrees
    div erf erfc exp factorial floor gamma gcd lcm lgamma ln log log10 min_scale mod pi pow power radians random
    random_normal round scale sign sin sind sinh sqrt tan tand tanh trim_scale trunc width_bucket
    ascii bit_count bit_length btrim casefold char_length character_length chr concat concat_ws convert convert_from
    convert_to crc32 crc32c decode encode format get_bit get_byte initcap is_normalized left length like_escape lower
    lpad ltrim md5 normalize octet_length overlay parse_ident position quote_ident quote_literal quote_nullable
    regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array
    regexp_split_to_table regexp_substr repeat replace reverse right rpad rtrim set_bit set_byte sha224 sha256 sha384
    sha512 similar_to_escape split_part starts_with string_to_array string_to_table strpos substr substring
    to_bin to_hex to_oct translate unicode_assigned unistr upper
    age clock_timestamp date date_add date_bin date_part date_subtract date_trunc extract isfinite justify_days
    justify_hours justify_interval make_date make_interval make_time make_timestamp make_timestamptz now overlaps
    statement_timestamp timeofday timezone to_char to_date to_number to_timestamp transaction_timestamp
    bool bpchar bytea float4 float8 int2 int4 int8 interval money numeric text time timestamp timestamptz timetz
    varchar
    any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp cume_dist dense_rank
    every first_value lag last_value lead max min mode nth_value ntile percent_rank percentile_cont
    percentile_disc range_agg range_intersect_agg rank regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope
    regr_sxx regr_sxy regr_syy row_number stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance
    array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position array_positions
    array_prepend array_remove array_replace array_reverse array_sample array_shuffle array_sort array_to_json
    array_to_string array_to_tsvector array_upper cardinality generate_series generate_subscripts trim_array unnest
    json_agg json_agg_strict json_array_elements json_array_elements_text json_array_length json_build_array
    json_build_object json_each json_each_text json_extract_path json_extract_path_text json_object json_object_agg
    json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict json_object_keys json_strip_nulls
    json_to_record json_to_recordset json_typeof jsonb_agg jsonb_agg_strict jsonb_array_elements
    jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text
    jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_agg jsonb_object_agg_strict
    jsonb_object_agg_unique jsonb_object_agg_unique_strict jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz
    jsonb_path_match jsonb_path_match_tz jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz
    jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz jsonb_pretty jsonb_set jsonb_set_lax
    jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof row_to_json to_json to_jsonb
    datemultirange daterange int4multirange int4range int8multirange int8range isempty lower_inc lower_inf multirange
    nummultirange numrange range_merge tsmultirange tsrange tstzmultirange tstzrange upper_inc upper_inf
    abbrev broadcast family host hostmask inet_merge inet_same_family macaddr8_set7bit masklen netmask network
    set_masklen
    area bound_box box center circle diagonal diameter height isclosed ishorizontal isopen isparallel isperp isvertical
    line lseg npoints path pclose point polygon popen radius slope width
    enum_first enum_last enum_range gen_random_uuid num_nonnulls num_nulls pg_size_bytes pg_size_pretty
    uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7
    numnode phraseto_tsquery plainto_tsquery querytree setweight strip to_tsquery to_tsvector ts_delete ts_filter
    ts_headline ts_rank ts_rank_cd tsquery_phrase tsvector_to_array websearch_to_tsquery`),
);

const SUBSTITUTES: Readonly<Record<string, string>> = {
  "to_char(column, 'YYYY-MM')": 'strftime date_format format_date monthname dayname datename',
  'EXTRACT(YEAR FROM column)': 'year month day quarter week hour minute second weekday dayofweek dayofyear datepart',
  'later::date - earlier::date': 'datediff date_diff timestampdiff julianday months_between',
  "column + INTERVAL '7 days'": 'dateadd date_sub datesub adddate subdate add_months last_day eomonth',
  'now()': 'getdate sysdate datetime utc_timestamp',
  CURRENT_DATE: 'curdate today',
  'EXTRACT(EPOCH FROM column)': 'unix_timestamp unixepoch epoch',
  'to_timestamp(column)': 'from_unixtime str_to_date parse_date',
  'CAST(column AS type)': 'try_cast cast_to toint tostring str int integer float',
  'length(column)': 'len datalength',
  'strpos(column, part)': 'instr charindex locate find_in_set',
  'COALESCE(column, value)': 'ifnull isnull nvl zeroifnull',
  'CASE WHEN condition THEN a ELSE b END': 'if iff iif decode_value',
  'string_agg(column, separator)': 'group_concat listagg wm_concat',
  "column ->> 'key'": 'json_extract json_value get_json_object json_extract_scalar',
  'jsonb_array_elements(column) in FROM': 'explode flatten json_table',
  'column ~ pattern': 'regexp regexp_contains rlike',
  'count(*) FILTER (WHERE condition)': 'countif count_if sumif sum_if',
  'a constant time zone with AT TIME ZONE': 'current_setting set_config',
  'upper(column) and lower(column)': 'ucase lcase',
  'substring(column FROM start FOR length)': 'mid substring_index',
};

/** What to write instead of a function that other engines have. */
export const postgresSubstitutes: ReadonlyMap<string, string> = new Map(
  Object.entries(SUBSTITUTES).flatMap(([instead, names]) =>
    words(names).map((name): [string, string] => [name, `Write ${instead}.`]),
  ),
);
