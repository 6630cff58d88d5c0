/**
 * What Trino's functions may be called: of the page "List of functions and operators" of its documentation those that read
 * nothing but their arguments. Left out are those that tell about the session or the server, train models over many rows, read
 * XML, draw bars of any width, or belong to row patterns and to parts of the engine's inside.
 */
const words = (text: string): string[] => text.trim().split(/\s+/);

const SCALAR = `
  abs acos asin atan atan2 beta_cdf cbrt ceil ceiling cos cosh cosine_distance cosine_similarity degrees e exp floor from_base
  infinity inverse_beta_cdf inverse_normal_cdf is_finite is_infinite is_nan ln log log10 log2 mod nan normal_cdf pi pow power
  radians rand random round sign sin sinh sqrt tan tanh to_base truncate width_bucket wilson_interval_lower
  wilson_interval_upper greatest least
  bit_count bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_right_shift_arithmetic
  bitwise_xor
  char2hexint chr codepoint concat concat_ws ends_with format format_number from_utf8 hamming_distance index length
  levenshtein_distance lower lpad ltrim luhn_check ngrams normalize replace reverse rpad rtrim soundex split split_part
  split_to_map split_to_multimap starts_with strpos substr substring title_case to_utf8 translate trim upper word_stem
  regexp_count regexp_extract regexp_extract_all regexp_like regexp_position regexp_replace regexp_split
  url_decode url_encode url_extract_fragment url_extract_host url_extract_parameter url_extract_path url_extract_port
  url_extract_protocol url_extract_query
  crc32 from_base32 from_base64 from_base64url from_big_endian_32 from_big_endian_64 from_hex from_ieee754_32
  from_ieee754_64 hmac_md5 hmac_sha1 hmac_sha256 hmac_sha512 md5 murmur3 sha1 sha256 sha512 spooky_hash_v2_32
  spooky_hash_v2_64 to_base32 to_base64 to_base64url to_big_endian_32 to_big_endian_64 to_hex to_ieee754_32 to_ieee754_64
  xxhash64
  at_timezone date date_add date_diff date_format date_parse date_trunc day day_of_month day_of_week day_of_year dow doy
  format_datetime from_iso8601_date from_iso8601_timestamp from_iso8601_timestamp_nanos from_unixtime from_unixtime_nanos
  hour human_readable_seconds last_day_of_month millisecond minute month now parse_data_size parse_datetime parse_duration
  quarter second timezone timezone_hour timezone_minute to_char to_date to_iso8601 to_milliseconds to_timestamp to_unixtime
  week week_of_year with_timezone year year_of_week yow
  all_match any_match array_distinct array_except array_first array_histogram array_intersect array_join array_last array_max
  array_min array_position array_remove array_sort array_union arrays_overlap cardinality combinations contains
  contains_sequence element_at filter flatten map map_concat map_entries map_filter map_from_entries map_keys map_values
  map_zip_with multimap_from_entries none_match reduce repeat sequence shuffle slice transform transform_keys
  transform_values trim_array zip zip_with
  is_json_scalar json_array_contains json_array_get json_array_length json_extract json_extract_scalar json_format json_parse
  json_size
  hash_counts intersection_cardinality jaccard_index make_set_digest theta_sketch_cardinality value_at_quantile
  values_at_quantiles empty_approx_set
  color objectid objectid_timestamp rgb timestamp_objectid typeof uuid
  coalesce if nullif try like unnest`;

const GEOSPATIAL = `
  bing_tile bing_tile_at bing_tile_coordinates bing_tile_polygon bing_tile_quadkey bing_tile_zoom_level bing_tiles_around
  from_encoded_polyline from_geojson_geometry geometry_invalid_reason geometry_nearest_points geometry_to_bing_tiles
  geometry_union great_circle_distance line_interpolate_point line_locate_point simplify_geometry
  st_area st_asbinary st_astext st_boundary st_buffer st_centroid st_contains st_convexhull st_coorddim st_crosses
  st_difference st_dimension st_disjoint st_distance st_endpoint st_envelope st_envelopeaspts st_equals st_exteriorring
  st_geometries st_geometryfromtext st_geometryn st_geometrytype st_geomfrombinary st_interiorringn st_interiorrings
  st_intersection st_intersects st_isclosed st_isempty st_isring st_issimple st_isvalid st_length st_linefromtext
  st_linestring st_multipoint st_numgeometries st_numinteriorring st_numpoints st_overlaps st_point st_pointn st_points
  st_polygon st_relate st_startpoint st_symdifference st_touches st_union st_within st_x st_xmax st_xmin st_y st_ymax
  st_ymin to_encoded_polyline to_geojson_geometry to_geometry to_spherical_geography`;

const AGGREGATE = `
  any_value approx_distinct approx_most_frequent approx_percentile approx_set arbitrary array_agg avg bitwise_and_agg
  bitwise_or_agg bool_and bool_or checksum corr count count_if covar_pop covar_samp every geometric_mean grouping histogram
  kurtosis listagg map_agg map_union max max_by merge merge_set_digest min min_by multimap_agg numeric_histogram qdigest_agg
  reduce_agg regr_intercept regr_slope skewness stddev stddev_pop stddev_samp sum tdigest_agg theta_sketch_union var_pop
  var_samp variance convex_hull_agg geometry_collect_agg geometry_union_agg
  cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number`;

/** Scalar, aggregate and window functions that may be called. */
export const trinoFunctions: ReadonlySet<string> = new Set([
  ...words(SCALAR),
  ...words(GEOSPATIAL),
  ...words(AGGREGATE),
]);

const SUBSTITUTES: Readonly<Record<string, string>> = {
  "date_format(column, '%Y-%m')": 'strftime formatdatetime to_varchar',
  "date_parse(text, '%Y-%m-%d')": 'strptime str_to_date parse_date',
  "date_diff('day', earlier, later)": 'datediff timestampdiff age months_between',
  "date_add('month', 1, column), or column + INTERVAL '1' MONTH": 'dateadd adddate add_months date_sub timestampadd',
  'year(column), month(column) or extract(YEAR FROM column)': 'date_part datepart',
  current_date: 'curdate getdate sysdate today',
  'strpos(text, part)': 'instr charindex locate position find_in_set',
  'coalesce(a, b)': 'nvl ifnull isnull zeroifnull',
  "array_agg(column) or listagg(column, ', ') WITHIN GROUP (ORDER BY column)":
    'string_agg group_concat collect_list collect_set array_concat_agg',
  'CAST(column AS type), or TRY_CAST': 'convert to_number safe_cast',
  'approx_percentile(column, 0.5)': 'median percentile percentile_cont percentile_disc quantile',
  'approx_distinct(column)': 'approx_count_distinct uniq',
  'count_if(condition)': 'countif sumif',
  "json_extract_scalar(column, '$.path')": 'json_value json_query json_object json_array json_exists get_json_object',
  'regexp_like(text, pattern)': 'regexp_matches regexp_contains rlike',
  'substr(text, start, length)': 'left right mid',
  'cardinality(array)': 'array_length array_size len',
  'UNNEST(array) in FROM': 'explode json_each generate_series',
  'contains(array, value)': 'array_contains',
};

/** What to write instead of a function that other engines have. */
export const trinoSubstitutes: ReadonlyMap<string, string> = new Map(
  Object.entries(SUBSTITUTES).flatMap(([instead, names]) =>
    words(names).map((name): [string, string] => [name, `Write ${instead}.`]),
  ),
);
