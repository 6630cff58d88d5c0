/** Words of SQL expressions. `hard` ones are never bare columns; `soft` ones are, where the model knows such a column. */
const hard = `and or not is null true false case when then else end between in like ilike glob regexp rlike similar to
  escape exists any all some distinct from as cast collate select where group by having order limit offset union join
  on using asc desc nulls over partition rows range groups preceding following unbounded filter within interval
  at div mod xor isnull notnull unknown both leading trailing symmetric binary current_date current_time
  current_timestamp localtime localtimestamp current_user array row`;

const soft = `date time timestamp timestamptz datetime zone year quarter month week day hour minute second integer int
  bigint smallint tinyint real double precision numeric decimal float boolean bool text varchar char character varying
  json jsonb uuid blob unsigned signed first last with without current ignore respect separator epoch dow doy
  isodow isoyear`;

export const expressionWords: ReadonlyMap<string, 'hard' | 'soft'> = new Map([
  ...soft.split(/\s+/).map((word) => [word, 'soft'] as const),
  ...hard.split(/\s+/).map((word) => [word, 'hard'] as const),
]);

const units = 'microsecond millisecond second minute hour day week month quarter year epoch dow doy isodow isoyear';
export const timeUnits: ReadonlySet<string> = new Set(units.split(' ').flatMap((unit) => [unit, `${unit}s`]));

/** Functions whose first argument is a unit. */
export const unitFunctions: ReadonlySet<string> = new Set(
  'extract timestampdiff timestampadd datediff date_diff dateadd date_add datepart'.split(' '),
);

/** Functions that make one value of many rows. */
export const aggregateFunctions: ReadonlySet<string> = new Set(
  `count sum avg min max total median mode stddev stddev_pop stddev_samp variance var_pop var_samp string_agg
  group_concat array_agg json_agg jsonb_agg list bool_and bool_or every any_value arg_min arg_max percentile_cont
  percentile_disc quantile quantile_cont approx_count_distinct corr covar_pop covar_samp bit_and bit_or first last
  count_if countif product fsum kurtosis skewness`.split(/\s+/),
);

/** Words that can make a value of NULL. */
export const nullWords: ReadonlySet<string> = new Set(
  'is isnull notnull case exists distinct select true current_date current_time current_timestamp'.split(' '),
);

/** Functions that are NULL where their arguments are. */
export const strictFunctions: ReadonlySet<string> = new Set(
  `lower upper trim ltrim rtrim substr substring left right length abs round floor ceil ceiling replace instr
  strftime datetime julianday date_trunc date_part to_char date_format dayofweek quarter extract`.split(/\s+/),
);
