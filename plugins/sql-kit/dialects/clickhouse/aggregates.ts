/** Lists ClickHouse's aggregate and window functions, and the words that may follow their names. */
const words = (text: string): string[] => text.trim().split(/\s+/);

/** Equal only to the letter. */
const AGGREGATE = `
  anyLastRespectNulls anyRespectNulls anyValueRespectNulls firstValueRespectNulls lastValueRespectNulls lttb median
  medianBFloat16 medianBFloat16Weighted medianDD medianDeterministic medianExact medianExactHigh medianExactLow
  medianExactWeighted medianExactWeightedInterpolated medianGK medianInterpolatedWeighted medianTDigest
  medianTDigestWeighted medianTiming medianTimingWeighted sparkBar any anyHeavy anyLast anyLast_respect_nulls
  any_respect_nulls argAndMax argAndMin argMax argMin avgWeighted boundingRatio categoricalInformationValue
  contingency corrMatrix corrStable covarPop covarPopMatrix covarPopStable covarSamp covarSampMatrix covarSampStable
  cramersV cramersVBiasCorrected cume_dist deltaSum deltaSumTimestamp denseRank distinctDynamicTypes distinctJSONPaths
  distinctJSONPathsAndTypes entropy exponentialMovingAverage exponentialTimeDecayedAvg exponentialTimeDecayedCount
  exponentialTimeDecayedMax exponentialTimeDecayedSum groupArray groupArrayInsertAt groupArrayIntersect groupArrayLast
  groupArrayMovingAvg groupArrayMovingSum groupArraySample groupArraySorted groupBitAnd groupBitOr groupBitXor
  groupBitmap groupBitmapAnd groupBitmapOr groupBitmapXor groupConcat groupUniqArray histogram intervalLengthSum
  kurtPop kurtSamp lagInFrame largestTriangleThreeBuckets leadInFrame mannWhitneyUTest maxIntersections
  maxIntersectionsPosition maxMappedArrays meanZTest minMappedArrays nonNegativeDerivative percentRank quantile
  quantileBFloat16 quantileBFloat16Weighted quantileDD quantileDeterministic quantileExact quantileExactExclusive
  quantileExactHigh quantileExactInclusive quantileExactLow quantileExactWeighted quantileExactWeightedInterpolated
  quantileGK quantileInterpolatedWeighted quantileTDigest quantileTDigestWeighted quantileTiming
  quantileTimingWeighted quantiles quantilesBFloat16 quantilesBFloat16Weighted quantilesDD quantilesDeterministic
  quantilesExact quantilesExactExclusive quantilesExactHigh quantilesExactInclusive quantilesExactLow
  quantilesExactWeighted quantilesExactWeightedInterpolated quantilesGK quantilesInterpolatedWeighted quantilesTDigest
  quantilesTDigestWeighted quantilesTiming quantilesTimingWeighted rankCorr retention sequenceCount sequenceMatch
  sequenceMatchEvents sequenceNextNode simpleLinearRegression singleValueOrNull skewPop skewSamp sparkbar stddevPop
  stddevPopStable stddevSamp stddevSampStable studentTTest studentTTestOneSample sumCount sumKahan sumMapFiltered
  sumMapFilteredWithOverflow sumMapWithOverflow sumMappedArrays sumWithOverflow theilsU topK topKWeighted uniq
  uniqCombined uniqCombined64 uniqExact uniqHLL12 uniqUpTo varPop varPopStable varSamp varSampStable welchTTest
  windowFunnel`;

/** Read in any case. */
const IN_ANY_CASE = `
  BIT_AND BIT_OR BIT_XOR COVAR_POP COVAR_SAMP STD STDDEV STDDEV_POP STDDEV_SAMP VAR_POP VAR_SAMP anova any_value
  any_value_respect_nulls approx_top_count array_agg dense_rank first_value first_value_respect_nulls group_concat
  last_value last_value_respect_nulls max_by min_by percent_rank string_agg analysisOfVariance approx_top_k
  approx_top_sum avg corr count kolmogorovSmirnovTest lag lead max min nth_value ntile rank row_number sum`;

export const aggregatesInAnyCase: readonly string[] = words(IN_ANY_CASE);
export const clickhouseAggregates: ReadonlySet<string> = new Set([...words(AGGREGATE), ...aggregatesInAnyCase]);

/** Words behind the name of an aggregate that change what it works on or gives, such as `If` in `sumIf`. */
export const clickhouseCombinators: readonly string[] = words(
  'If Array Map Tuple Distinct OrDefault OrNull ForEach Resample ArgMin ArgMax SimpleState State Merge',
);
const inAnyCase: ReadonlySet<string> = new Set(aggregatesInAnyCase.map((name) => name.toLowerCase()));

const MOST_LETTERS = 100;

/** Whether it is the name of an aggregate that may be called, with or without combinators. */
export function isClickhouseAggregate(name: string): boolean {
  if (name.length > MOST_LETTERS) return false;
  if (clickhouseAggregates.has(name) || inAnyCase.has(name.toLowerCase())) return true;
  const combinator = clickhouseCombinators.find((word) => name.endsWith(word));
  return combinator !== undefined && isClickhouseAggregate(name.slice(0, -combinator.length));
}
