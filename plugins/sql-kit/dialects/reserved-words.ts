/** Lists the words that at least one dialect reserves, in lower case. Quoting a word needlessly does no harm. */
export const reservedWords: ReadonlySet<string> = new Set(
  `accessible add all alter analyse analyze and anti any array as asc asensitive asof asymmetric authorization before
  begin between bigint binary blob both by call cascade case cast change char character check collate collation column
  commit concurrently condition constraint continue convert create cross cube cume_dist current_catalog current_date
  current_role current_schema current_time current_timestamp current_user cursor database databases day_hour
  day_microsecond day_minute day_second dec decimal declare default deferrable delayed delete dense_rank desc describe
  deterministic distinct distinctrow div do double drop dual each else elseif empty enclosed end escape escaped except
  exclusive exists exit explain false fetch filter first_value float float4 float8 following for force foreign freeze
  from full fulltext function generated get glob grant group grouping groups having high_priority hour_microsecond
  hour_minute hour_second if ignore ilike immediate in index indexed infile initially inner inout insensitive insert
  instead int int1 int2 int3 int4 int8 integer intersect interval into io_after_gtids is isnull iterate join json_table
  key keys kill lag lambda last_value lateral lead leading leave left like limit linear lines load localtime
  localtimestamp lock long longblob longtext loop low_priority match maxvalue mediumblob mediumint mediumtext
  middleint minus minute_microsecond minute_second mod modifies natural no not notnull no_write_to_binlog nth_value
  ntile null numeric of offset on only optimize option optionally or order out outer outer_join outfile over overlaps
  partition percent_rank pivot placing positional pragma precision preceding primary procedure purge qualify raise
  range rank read reads real recursive references regexp reindex release rename repeat replace require resignal
  restrict return returning revoke right rlike rollback row row_number rows savepoint schema schemas select semi
  sensitive separator session_user set show signal similar smallint some spatial specific sql sqlexception sqlstate
  sqlwarning ssl starting stored straight_join struct summarize symmetric system system_user table tablesample
  terminated then tinyblob tinyint tinytext to trailing transaction trigger true unbounded undo union unique unlock
  unpivot unsigned update usage use user using utc_date utc_time utc_timestamp values varbinary varchar varcharacter
  variadic varying verbose view virtual when where while window with within without write xor year_month zerofill`.split(
    /\s+/,
  ),
);
