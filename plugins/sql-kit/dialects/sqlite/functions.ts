/**
 * What SQLite's functions may be called. Allowed are those that the engine itself marks innocuous and that read
 * nothing but their arguments; the classification of every function of the engine is a test.
 */
const words = (text: string): string[] => text.trim().split(/\s+/);

/** Scalar, aggregate and window functions that may be called. */
export const sqliteFunctions: ReadonlySet<string> = new Set(
  words(`
    abs acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow power
    radians round sign sin sinh sqrt tan tanh trunc random
    char coalesce concat concat_ws format glob hex if ifnull iif instr length like likelihood likely lower ltrim nullif
    octet_length printf quote replace rtrim soundex substr substring trim typeof unhex unicode unistr unistr_quote
    unlikely upper
    date datetime julianday strftime time timediff unixepoch
    avg count group_concat max median min percentile percentile_cont percentile_disc string_agg sum total
    cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
    json json_array json_array_insert json_array_length json_error_position json_extract json_group_array
    json_group_object json_insert json_object json_patch json_pretty json_quote json_remove json_replace json_set
    json_type json_valid jsonb jsonb_array jsonb_array_insert jsonb_extract jsonb_group_array jsonb_group_object
    jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set
    bm25 highlight match snippet`),
);

/**
 * Functions of the engine that are refused: they load code, write, tell about the engine, the process or the last
 * writer, allocate what their argument says, or belong to an index's internals.
 */
export const sqliteRefusedFunctions: ReadonlySet<string> = new Set(
  words(`
    load_extension fts3_tokenizer optimize
    sqlite_compileoption_get sqlite_compileoption_used sqlite_log sqlite_source_id sqlite_version fts5_source_id subtype
    changes last_insert_rowid total_changes
    randomblob zeroblob
    fts5 fts5_get_locale fts5_insttoken fts5_locale matchinfo offsets rtreecheck rtreedepth rtreenode
    geopoly_area geopoly_bbox geopoly_blob geopoly_ccw geopoly_contains_point geopoly_debug geopoly_group_bbox
    geopoly_json geopoly_overlap geopoly_regular geopoly_svg geopoly_within geopoly_xform`),
);

/** Functions that may stand in FROM: they read their arguments only. */
export const sqliteTableFunctions: ReadonlySet<string> = new Set(words('json_each json_tree jsonb_each jsonb_tree'));

const SUBSTITUTES: Readonly<Record<string, string>> = {
  "strftime('%Y-%m', column)": 'date_trunc date_format to_char format_date monthname dayname datename',
  "CAST(strftime('%Y', column) AS INTEGER), with '%m' for the month and '%d' for the day":
    'extract date_part datepart year month day quarter week hour minute second weekday dayofweek dayofyear',
  'julianday(later) - julianday(earlier)': 'datediff date_diff age timestampdiff months_between',
  "date(column, '+7 days')": 'date_add dateadd date_sub datesub adddate subdate add_months last_day eomonth',
  "datetime('now')": 'now getdate sysdate current_timestamp localtimestamp utc_timestamp',
  "date('now')": 'curdate current_date today',
  'unixepoch(column)': 'unix_timestamp epoch',
  'date(column) or datetime(column)': 'to_date to_timestamp str_to_date from_unixtime make_date parse_date',
  'CAST(column AS type)': 'convert try_cast to_number cast_to int integer float text varchar str',
  'substr(column, start, length)': 'left right mid split_part',
  'length(column)': 'len char_length character_length datalength',
  'instr(column, part)': 'position strpos charindex locate find_in_set',
  'ifnull(column, value)': 'isnull nvl zeroifnull',
  'max(a, b)': 'greatest',
  'min(a, b)': 'least',
  'upper(column) and lower(column)': 'initcap ucase lcase',
  'group_concat(column) or json_group_array(column)': 'array_agg listagg string_agg_distinct collect_list wm_concat',
  'json_object(…) or json_extract(…)': 'to_json json_build_object row_to_json json_value json_query get_json_object',
  'json_each(column) in FROM': 'unnest explode json_array_elements jsonb_array_elements flatten',
  'LIKE or GLOB':
    'regexp regexp_like regexp_matches regexp_replace regexp_substr similar_to ilike contains starts_with',
  'a recursive WITH that ends with a condition': 'generate_series sequence range generate_date_array',
  'avg(x * x) - avg(x) * avg(x), with sqrt(…) around it for the deviation':
    'stddev stddev_pop stddev_samp stdev variance var_pop var_samp',
  'sum(CASE WHEN condition THEN 1 ELSE 0 END)': 'countif count_if sumif sum_if',
  'max(column)': 'any_value bool_or every bool_and mode',
  "printf('%05d', column)": 'lpad rpad to_hex',
};

/** What to write instead of a function that other engines have. */
export const sqliteSubstitutes: ReadonlyMap<string, string> = new Map(
  Object.entries(SUBSTITUTES).flatMap(([instead, names]) =>
    words(names).map((name): [string, string] => [name, `Write ${instead}.`]),
  ),
);
