/**
 * Classifies the words of SQL expressions. A `reserved` word is never a column; a `nonReserved` one is when the model
 * knows such a column.
 */
const RESERVED = `and or not is null true false case when then else end between in like ilike glob regexp rlike similar to
  escape exists any all some distinct from as cast collate select where group by having order limit offset union join
  on using asc desc nulls over partition rows range groups preceding following unbounded filter within interval
  at div mod xor isnull notnull unknown both leading trailing symmetric binary current_date current_time
  current_timestamp localtime localtimestamp current_user array row`;

const NON_RESERVED = `date time timestamp timestamptz datetime zone year quarter month week day hour minute second integer int
  bigint smallint tinyint real double precision numeric decimal float boolean bool text varchar char character varying
  json jsonb uuid blob unsigned signed first last with without current ignore respect separator epoch dow doy
  isodow isoyear`;

export const EXPRESSION_WORDS: ReadonlyMap<string, 'reserved' | 'nonReserved'> = new Map([
  ...NON_RESERVED.split(/\s+/).map((word) => [word, 'nonReserved'] as const),
  ...RESERVED.split(/\s+/).map((word) => [word, 'reserved'] as const),
]);

const UNITS = 'microsecond millisecond second minute hour day week month quarter year epoch dow doy isodow isoyear';
export const TIME_UNITS: ReadonlySet<string> = new Set(UNITS.split(' ').flatMap((unit) => [unit, `${unit}s`]));

/** Functions whose first argument is a unit. */
export const UNIT_FUNCTIONS: ReadonlySet<string> = new Set(
  'extract timestampdiff timestampadd datediff date_diff dateadd date_add datepart'.split(' '),
);

/** Aggregate functions. */
export const AGGREGATE_FUNCTIONS: ReadonlySet<string> = new Set(
  `count sum avg min max total median mode stddev stddev_pop stddev_samp variance var_pop var_samp string_agg
  group_concat array_agg json_agg jsonb_agg list bool_and bool_or every any_value arg_min arg_max percentile_cont
  percentile_disc quantile quantile_cont approx_count_distinct corr covar_pop covar_samp bit_and bit_or first last
  count_if countif product fsum kurtosis skewness`.split(/\s+/),
);

/** Words with which an expression can have a value although its columns are NULL. */
export const NULL_WORDS: ReadonlySet<string> = new Set(
  'is isnull notnull case exists distinct select true current_date current_time current_timestamp'.split(' '),
);

/** Functions that return NULL when their arguments are NULL. */
export const STRICT_FUNCTIONS: ReadonlySet<string> = new Set(
  `lower upper trim ltrim rtrim substr substring left right length abs round floor ceil ceiling replace instr
  strftime datetime julianday date_trunc date_part to_char date_format dayofweek quarter extract`.split(/\s+/),
);
