/**
 * What GoogleSQL's functions may be called: of the page "All functions" of BigQuery's documentation those that read nothing
 * but their arguments. Left out are those that tell about the session or the person who asks, hold keys, call models, other
 * services or other databases, search with indexes, or read tables and their changes.
 */
const words = (text: string): string[] => text.trim().split(/\s+/);

const SCALAR = `
  abs acos acosh acot acoth acsc acsch asec asech asin asinh atan atan2 atanh cbrt ceil ceiling cos cosh cosine_distance cot
  coth csc csch div euclidean_distance exp floor greatest ieee_divide is_inf is_nan least ln log log10 mod pow power rand
  range_bucket round safe_add safe_divide safe_multiply safe_negate safe_subtract sec sech sign sin sinh sqrt tan tanh trunc
  bit_count
  ascii byte_length char_length character_length chr code_points_to_bytes code_points_to_string collate concat contains_substr
  edit_distance ends_with format from_base32 from_base64 from_hex initcap instr left length lower lpad ltrim normalize
  normalize_and_casefold octet_length regexp_contains regexp_extract regexp_extract_all regexp_instr regexp_replace
  regexp_substr repeat replace reverse right rpad rtrim safe_convert_bytes_to_string soundex split starts_with strpos substr
  substring to_base32 to_base64 to_code_points to_hex translate trim unicode upper
  farm_fingerprint md5 sha1 sha256 sha512 generate_uuid
  array_concat array_first array_last array_length array_reverse array_slice array_to_string generate_array
  generate_date_array generate_timestamp_array
  offset ordinal safe_offset safe_ordinal
  current_date current_datetime current_time current_timestamp date date_add date_bucket date_diff date_from_unix_date
  date_sub date_trunc datetime datetime_add datetime_bucket datetime_diff datetime_sub datetime_trunc format_date
  format_datetime format_time format_timestamp last_day parse_date parse_datetime parse_time parse_timestamp string time
  time_add time_diff time_sub time_trunc timestamp timestamp_add timestamp_bucket timestamp_diff timestamp_micros
  timestamp_millis timestamp_seconds timestamp_sub timestamp_trunc unix_date unix_micros unix_millis unix_seconds
  justify_days justify_hours justify_interval make_interval
  parse_bignumeric parse_numeric
  bool bool_array double float64 float64_array int64 int64_array json_array json_array_append json_array_insert json_extract
  json_extract_array json_extract_scalar json_extract_string_array json_flatten json_keys json_object json_query
  json_query_array json_remove json_set json_strip_nulls json_type json_value json_value_array lax_bool lax_bool_array
  lax_double lax_float64 lax_float64_array lax_int64 lax_int64_array lax_string lax_string_array parse_json string_array
  to_json to_json_string
  range range_contains range_end range_intersect range_overlaps range_start generate_range_array
  coalesce if ifnull nullif nullifzero zeroifnull typeof like unnest
  net.host net.ip_from_string net.ip_net_mask net.ip_to_string net.ip_trunc net.ipv4_from_int64 net.ipv4_to_int64
  net.public_suffix net.reg_domain net.safe_ip_from_string
  hll_count.extract kll_quantiles.extract_float64 kll_quantiles.extract_int64 kll_quantiles.extract_point_float64
  kll_quantiles.extract_point_int64`;

const GEOGRAPHY = `
  s2_cellidfrompoint s2_coveringcellids st_angle st_area st_asbinary st_asgeojson st_astext st_azimuth st_boundary
  st_boundingbox st_buffer st_bufferwithtolerance st_centroid st_closestpoint st_clusterdbscan st_contains st_convexhull
  st_coveredby st_covers st_difference st_dimension st_disjoint st_distance st_dump st_dwithin st_endpoint st_equals st_extent
  st_exteriorring st_geogfrom st_geogfromgeojson st_geogfromtext st_geogfromwkb st_geogpoint st_geogpointfromgeohash st_geohash
  st_geometrytype st_hausdorffdistance st_hausdorffdwithin st_interiorrings st_intersection st_intersects st_intersectsbox
  st_isclosed st_iscollection st_isempty st_isring st_length st_lineinterpolatepoint st_linelocatepoint st_linesubstring
  st_makeline st_makepolygon st_makepolygonoriented st_maxdistance st_npoints st_numgeometries st_numpoints st_perimeter
  st_pointn st_simplify st_snaptogrid st_startpoint st_touches st_union st_union_agg st_within st_x st_y
  st_centroid_agg`;

const AGGREGATE = `
  any_value approx_count_distinct approx_quantiles approx_top_count approx_top_sum array_agg array_concat_agg avg bit_and bit_or
  bit_xor corr count countif covar_pop covar_samp grouping logical_and logical_or max max_by min min_by percentile_cont
  percentile_disc stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance
  hll_count.init hll_count.merge hll_count.merge_partial kll_quantiles.init_float64 kll_quantiles.init_int64
  kll_quantiles.merge_float64 kll_quantiles.merge_int64 kll_quantiles.merge_partial kll_quantiles.merge_point_float64
  kll_quantiles.merge_point_int64
  cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number`;

/** Scalar, aggregate and window functions that may be called. */
export const bigqueryFunctions: ReadonlySet<string> = new Set([
  ...words(SCALAR),
  ...words(GEOGRAPHY),
  ...words(AGGREGATE),
]);

/** Before the dot of a function's name. */
export const FUNCTION_GROUPS: ReadonlySet<string> = new Set(['hll_count', 'kll_quantiles', 'net']);

const SUBSTITUTES: Readonly<Record<string, string>> = {
  "FORMAT_DATE('%Y-%m', column), or FORMAT_TIMESTAMP": 'date_format strftime formatdatetime to_char to_varchar',
  "PARSE_DATE('%Y-%m-%d', text)": 'strptime str_to_date to_date date_parse',
  'DATE_DIFF(later, earlier, DAY)': 'datediff timestampdiff age months_between',
  'DATE_ADD(column, INTERVAL 1 MONTH)': 'dateadd adddate add_months timestampadd',
  'EXTRACT(YEAR FROM column)': 'year month day quarter hour date_part datepart',
  'CURRENT_TIMESTAMP()': 'now getdate sysdate',
  'CURRENT_DATE()': 'curdate today',
  'STRPOS(text, part)': 'charindex locate position find_in_set',
  'COALESCE(a, b)': 'nvl isnull',
  "STRING_AGG(column, ', ')": 'group_concat listagg collect_list collect_set',
  'CAST(column AS type), or SAFE_CAST': 'convert to_number try_cast',
  'APPROX_QUANTILES(column, 100)[OFFSET(50)]': 'median percentile quantile approx_percentile',
  'APPROX_COUNT_DISTINCT(column)': 'approx_distinct uniq',
  'COUNTIF(condition)': 'count_if sumif',
  "JSON_VALUE(column, '$.path')": 'get_json_object json_array_get json_extract_path_text',
  'REGEXP_CONTAINS(text, pattern)': 'regexp_like regexp_matches rlike',
  'ARRAY_LENGTH(array)': 'cardinality array_size len',
  'UNNEST(array) in FROM': 'explode flatten generate_series',
  'SUBSTR(text, start, length)': 'mid',
  'value IN UNNEST(array)': 'array_contains contains',
};

/** What to write instead of a function that other engines have. */
export const bigquerySubstitutes: ReadonlyMap<string, string> = new Map(
  Object.entries(SUBSTITUTES).flatMap(([instead, names]) =>
    words(names).map((name): [string, string] => [name, `Write ${instead}.`]),
  ),
);
