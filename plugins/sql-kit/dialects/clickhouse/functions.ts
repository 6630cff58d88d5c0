/**
 * What ClickHouse's functions may be called: those that read nothing but their arguments. Names are equal only to the
 * letter, but for those that the engine itself reads in any case. The classification of every function is a test.
 */
import { aggregatesInAnyCase, clickhouseAggregates, isClickhouseAggregate } from './aggregates.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);
const each = (texts: string, make: (word: string) => string[]): string[] => words(texts).flatMap(make);

const NUMBERS = 'Int8 Int16 Int32 Int64 Int128 Int256 UInt8 UInt16 UInt32 UInt64 UInt128 UInt256 Float32 Float64';
const TYPES = `${NUMBERS} Date Date32 DateTime DateTime64 Decimal32 Decimal64 Decimal128 Decimal256 UUID IPv4 IPv6`;
const UNITS = 'Nanosecond Microsecond Millisecond Second Minute Hour Day Week Month Quarter Year';

/** Conversions and steps of dates, of which there is one for each type or unit. */
const FAMILIES = [
  ...each(TYPES, (type) => ['', 'OrNull', 'OrZero', 'OrDefault'].map((otherwise) => `to${type}${otherwise}`)),
  ...each(`${NUMBERS} Date DateTime String UUID`, (type) => [`reinterpretAs${type}`]),
  ...each(UNITS, (unit) => [`add${unit}s`, `subtract${unit}s`, `toInterval${unit}`, `toStartOf${unit}`]),
];

/** Equal only to the letter. */
const SCALAR = `
  DATE_DIFF MAP_FROM_ARRAYS ST_LineFromWKB ST_MLineFromWKB ST_MPolyFromWKB ST_PointFromWKB ST_PolyFromWKB SVG
  TIMESTAMP_DIFF WKB WKT arrayAUC arrayPRAUC caseWithoutExpr caseWithoutExpression date_diff extractAllGroups
  hasAllToken hasAnyToken isASCII jsonMergePatch levenshteinDistance levenshteinDistanceUTF8 ltrim mapContains
  mapFromString matchPhrase minSampleSizeContinous mismatches rand32 readWkb readWkt removeAccentsUTF8 rtrim
  splitByAlpha sqid timeZoneOf timeZoneOffset timestampDiff timestamp_diff toStartOfFiveMinute toTimeZone trim
  visitParamExtractBool visitParamExtractFloat visitParamExtractInt visitParamExtractRaw visitParamExtractString
  visitParamExtractUInt visitParamHas yandexConsistentHash divide divideDecimal divideOrNull gcd ifNotFinite intDiv
  intDivOrNull intDivOrZero isFinite isInfinite isNaN lcm minus modulo moduloLegacy moduloOrNull moduloOrZero multiply
  multiplyDecimal negate plus array arrayAUCPR arrayAll arrayAutocorrelation arrayAvg arrayBottomK arrayCompact
  arrayConcat arrayCount arrayCumSum arrayCumSumNonNegative arrayDifference arrayDistinct arrayDotProduct arrayElement
  arrayElementOrNull arrayEnumerate arrayEnumerateDense arrayEnumerateDenseRanked arrayEnumerateUniq
  arrayEnumerateUniqRanked arrayExcept arrayExists arrayFill arrayFilter arrayFirst arrayFirstIndex arrayFirstOrNull
  arrayFlatten arrayFold arrayIntersect arrayJaccardIndex arrayJoin arrayLast arrayLastIndex arrayLastOrNull
  arrayLevenshteinDistance arrayLevenshteinDistanceWeighted arrayMap arrayMax arrayMin arrayNormalizedGini
  arrayPartialReverseSort arrayPartialSort arrayPopBack arrayPopFront arrayProduct arrayPushBack arrayPushFront
  arrayROCAUC arrayRandomSample arrayReduce arrayReduceInRanges arrayRemove arrayResize arrayReverse arrayReverseFill
  arrayReverseSort arrayReverseSplit arrayRotateLeft arrayRotateRight arrayShiftLeft arrayShiftRight arrayShingles
  arraySimilarity arraySlice arraySort arraySplit arraySum arraySymmetricDifference arrayTopK arrayTranspose
  arrayUnion arrayUniq arrayWithConstant arrayZip arrayZipUnaligned countEqual empty emptyArrayDate emptyArrayDateTime
  emptyArrayFloat32 emptyArrayFloat64 emptyArrayInt16 emptyArrayInt32 emptyArrayInt64 emptyArrayInt8 emptyArrayString
  emptyArrayToSingle emptyArrayUInt16 emptyArrayUInt32 emptyArrayUInt64 emptyArrayUInt8 has hasAll hasAny hasSubstr
  indexOf indexOfAssumeSorted notEmpty randomHadamardTransform range replicate bitAnd bitCount bitHammingDistance
  bitNot bitOr bitRotateLeft bitRotateRight bitShiftLeft bitShiftRight bitSlice bitTest bitTestAll bitTestAny bitXor
  bitmapAnd bitmapAndCardinality bitmapAndnot bitmapAndnotCardinality bitmapBuild bitmapCardinality bitmapContains
  bitmapHasAll bitmapHasAny bitmapMax bitmapMin bitmapOr bitmapOrCardinality bitmapSubsetInRange bitmapSubsetLimit
  bitmapToArray bitmapTransform bitmapXor bitmapXorCardinality subBitmap equals greater greaterOrEquals isDistinctFrom
  isNotDistinctFrom less lessOrEquals notEquals clamp multiIf YYYYMMDDhhmmssToDateTime64 addInterval
  addTupleOfIntervals changeDay changeHour changeMinute changeMonth changeSecond changeYear dateTrunc formatDateTime
  formatDateTimeInJodaSyntax fromDaysSinceYearZero fromDaysSinceYearZero32 fromModifiedJulianDay
  fromModifiedJulianDayOrNull fromUTCTimestamp fromUnixTimestamp fromUnixTimestampInJodaSyntax subtractInterval
  subtractTupleOfIntervals timeSlot timeSlots timezoneOf timezoneOffset toDayOfMonth toDayOfWeek toDayOfYear
  toDaysInMonth toDaysSinceYearZero toHour toISOWeek toISOYear toLastDayOfMonth toLastDayOfWeek toMicrosecond
  toMillisecond toMinute toModifiedJulianDay toModifiedJulianDayOrNull toMonday toMonth toMonthNumSinceEpoch
  toNanosecond toQuarter toRelativeDayNum toRelativeHourNum toRelativeMinuteNum toRelativeMonthNum
  toRelativeQuarterNum toRelativeSecondNum toRelativeWeekNum toRelativeYearNum toSecond toStartOfFifteenMinutes
  toStartOfFiveMinutes toStartOfISOYear toStartOfInterval toStartOfTenMinutes toTimeWithFixedDate toTimezone
  toUTCTimestamp toUnixTimestamp toWeek toYYYYMM toYYYYMMDD toYYYYMMDDhhmmss toYear toYearNumSinceEpoch toYearWeek
  yesterday L1Distance L1Norm L1Normalize L2Distance L2Norm L2Normalize L2SquaredDistance L2SquaredNorm LinfDistance
  LinfNorm LinfNormalize LpDistance LpNorm LpNormalize cosineDistance bitPositionsToArray bitmaskToArray bitmaskToList
  hilbertDecode hilbertEncode mortonDecode mortonEncode sqidDecode sqidEncode financialInternalRateOfReturn
  financialInternalRateOfReturnExtended financialNetPresentValue financialNetPresentValueExtended MGRSToGeo UTMToGeo
  areaCartesian areaSpherical geoDistance geoToH3 geoToMGRS geoToUTM geohashDecode geohashEncode geohashesInBox
  geometryIntersectCartesian geometryIntersectSpherical greatCircleAngle greatCircleDistance h3CellAreaM2
  h3CellAreaRads2 h3Distance h3EdgeAngle h3EdgeLengthKm h3EdgeLengthM h3ExactEdgeLengthKm h3ExactEdgeLengthM
  h3ExactEdgeLengthRads h3GetBaseCell h3GetDestinationIndexFromUnidirectionalEdge h3GetFaces
  h3GetIndexesFromUnidirectionalEdge h3GetOriginIndexFromUnidirectionalEdge h3GetPentagonIndexes h3GetRes0Indexes
  h3GetResolution h3GetUnidirectionalEdge h3GetUnidirectionalEdgeBoundary h3GetUnidirectionalEdgesFromHexagon
  h3HexAreaKm2 h3HexAreaM2 h3HexRing h3IndexesAreNeighbors h3IsPentagon h3IsResClassIII h3IsValid h3Line h3NumHexagons
  h3PointDistKm h3PointDistM h3PointDistRads h3PolygonToCells h3PolygonToCellsWithContainment h3ToCenterChild
  h3ToChildren h3ToGeo h3ToGeoBoundary h3ToParent h3ToString h3UnidirectionalEdgeIsValid h3kRing perimeterCartesian
  perimeterSpherical pointInEllipses pointInPolygon polygonsIntersectCartesian polygonsIntersectSpherical readWKB
  readWKT stringToH3 svg wkb wkt polygonAreaCartesian polygonAreaSpherical polygonConvexHullCartesian
  polygonPerimeterCartesian polygonPerimeterSpherical polygonsDistanceCartesian polygonsDistanceSpherical
  polygonsEqualsCartesian polygonsIntersectionCartesian polygonsIntersectionSpherical polygonsSymDifferenceCartesian
  polygonsSymDifferenceSpherical polygonsUnionCartesian polygonsUnionSpherical polygonsWithinCartesian
  polygonsWithinSpherical readWKBLineString readWKBMultiLineString readWKBMultiPolygon readWKBPoint readWKBPolygon
  readWKTLineString readWKTMultiLineString readWKTMultiPolygon readWKTPoint readWKTPolygon readWKTRing MD4 MD5
  RIPEMD160 SHA1 SHA224 SHA256 SHA384 SHA512 SHA512_256 URLHash cityHash64 farmFingerprint64 farmHash64 gccMurmurHash
  halfMD5 hiveHash intHash32 intHash64 javaHash javaHashUTF16LE jumpConsistentHash kafkaMurmurHash keccak256
  kostikConsistentHash metroHash64 murmurHash2_32 murmurHash2_64 murmurHash3_128 murmurHash3_32 murmurHash3_64
  ngramMinHash ngramMinHashArg ngramMinHashArgCaseInsensitive ngramMinHashArgCaseInsensitiveUTF8 ngramMinHashArgUTF8
  ngramMinHashCaseInsensitive ngramMinHashCaseInsensitiveUTF8 ngramMinHashUTF8 ngramSimHash
  ngramSimHashCaseInsensitive ngramSimHashCaseInsensitiveUTF8 ngramSimHashUTF8 sipHash128 sipHash128Keyed
  sipHash128Reference sipHash128ReferenceKeyed sipHash64 sipHash64Keyed wordShingleMinHash wordShingleMinHashArg
  wordShingleMinHashArgCaseInsensitive wordShingleMinHashArgCaseInsensitiveUTF8 wordShingleMinHashArgUTF8
  wordShingleMinHashCaseInsensitive wordShingleMinHashCaseInsensitiveUTF8 wordShingleMinHashUTF8 wordShingleSimHash
  wordShingleSimHashCaseInsensitive wordShingleSimHashCaseInsensitiveUTF8 wordShingleSimHashUTF8 wyHash64 xxHash32
  xxHash64 xxHash64Spark xxh3 xxh3_128 IPv4CIDRToRange IPv4NumToString IPv4NumToStringClassC IPv4StringToNum
  IPv4StringToNumOrDefault IPv4StringToNumOrNull IPv4ToIPv6 IPv6CIDRToRange IPv6NumToString IPv6StringToNum
  IPv6StringToNumOrDefault IPv6StringToNumOrNull cutIPv6 isIPAddressInRange isIPv4String isIPv6String JSONAllPaths
  JSONAllPathsWithTypes JSONAllValues JSONArrayLength JSONDynamicPaths JSONDynamicPathsWithTypes JSONExtract
  JSONExtractArrayRaw JSONExtractArrayRawCaseInsensitive JSONExtractBool JSONExtractBoolCaseInsensitive
  JSONExtractCaseInsensitive JSONExtractFloat JSONExtractFloatCaseInsensitive JSONExtractInt
  JSONExtractIntCaseInsensitive JSONExtractKeys JSONExtractKeysAndValues JSONExtractKeysAndValuesCaseInsensitive
  JSONExtractKeysAndValuesRaw JSONExtractKeysAndValuesRawCaseInsensitive JSONExtractKeysCaseInsensitive JSONExtractRaw
  JSONExtractRawCaseInsensitive JSONExtractString JSONExtractStringCaseInsensitive JSONExtractUInt
  JSONExtractUIntCaseInsensitive JSONHas JSONKey JSONLength JSONMergePatch JSONSharedDataPaths
  JSONSharedDataPathsWithTypes JSONType JSON_EXISTS JSON_QUERY JSON_VALUE dynamicElement dynamicType
  isDynamicElementInSharedData isValidJSON prettyPrintJSON simpleJSONExtractBool simpleJSONExtractFloat
  simpleJSONExtractInt simpleJSONExtractRaw simpleJSONExtractString simpleJSONExtractUInt simpleJSONHas toJSONString
  and or xor extractKeyValuePairs extractKeyValuePairsWithEscaping map mapAdd mapAll mapApply mapConcat mapContainsKey
  mapContainsKeyLike mapContainsValue mapContainsValueLike mapExists mapExtractKeyLike mapExtractValueLike mapFilter
  mapFromArrays mapKeys mapPartialReverseSort mapPartialSort mapPopulateSeries mapReverseSort mapSort mapSubtract
  mapUpdate mapValues acosh asinh atanh cbrt cosh e erf erfc exp10 exp2 intExp10 intExp2 isPrime isProbablePrime
  lgamma log1p proportionsZTest sigmoid sinh tgamma widthBucket isNotNull isNullable isZeroOrNull
  toNullable MACNumToString MACStringToNum MACStringToOUI bar byteSize colorOKLABToSRGB colorOKLCHToSRGB
  colorSRGBToOKLAB colorSRGBToOKLCH countDigits digits finalizeAggregation flipCoordinates formatReadableDecimalSize
  formatReadableQuantity formatReadableSize formatReadableTimeDelta identity ignore initializeAggregation
  isDecimalOverflow materialize minSampleSizeContinuous minSampleSizeConversion parseReadableSize
  parseReadableSizeOrNull parseReadableSizeOrZero parseTimeDelta toTypeName transform variantElement variantType
  visibleWidth rand64 randBernoulli randBinomial randCanonical randChiSquared randConstant randExponential randFisherF
  randLogNormal randNegativeBinomial randNormal randPoisson randStudentT randUniform roundAge roundBankers roundDown
  roundDuration roundToExp2 appendTrailingCharIfAbsent base32Decode base32Encode base58Decode base58Encode
  base64Decode base64Encode base64URLDecode base64URLEncode basename byteHammingDistance caseFoldUTF8
  compareSubstrings concatAssumeInjective concatWithSeparator concatWithSeparatorAssumeInjective conv convertCharset
  damerauLevenshteinDistance decodeHTMLComponent decodeXMLComponent editDistance editDistanceUTF8 encodeXMLComponent
  endsWith endsWithCaseInsensitive endsWithCaseInsensitiveUTF8 endsWithUTF8 extractTextFromHTML firstLine initcapUTF8
  isValidASCII isValidUTF8 jaroSimilarity jaroWinklerSimilarity leftPad leftPadUTF8 leftUTF8 lengthUTF8 lowerUTF8
  naturalSortKey normalizeUTF8NFC normalizeUTF8NFD normalizeUTF8NFKC normalizeUTF8NFKCCasefold normalizeUTF8NFKD
  regexpExtract regexpPosition removeDiacriticsUTF8 reverseUTF8 rightPad rightPadUTF8 rightUTF8 sparseGrams
  sparseGramsHashes sparseGramsHashesUTF8 sparseGramsUTF8 startsWith startsWithCaseInsensitive
  startsWithCaseInsensitiveUTF8 startsWithUTF8 stringBytesEntropy stringBytesUniq stringJaccardIndex
  stringJaccardIndexUTF8 substringIndex substringIndexUTF8 substringUTF8 toValidUTF8 trimBoth trimLeft trimRight
  tryBase32Decode tryBase58Decode tryBase64Decode tryBase64URLDecode upperUTF8 format overlayUTF8 printf
  regexpQuoteMeta replaceAll replaceOne replaceRegexpAll replaceRegexpOne translate translateUTF8 countMatches
  countMatchesCaseInsensitive countSubstringsCaseInsensitive countSubstringsCaseInsensitiveUTF8 extract extractAll
  extractAllGroupsHorizontal extractGroups hasAllTokens hasAnyTokens hasPhrase hasToken hasTokenOrNull highlight ilike
  like match multiFuzzyMatchAllIndices multiFuzzyMatchAny multiFuzzyMatchAnyIndex multiMatchAllIndices multiMatchAny
  multiMatchAnyIndex multiSearchAllPositions multiSearchAllPositionsCaseInsensitive
  multiSearchAllPositionsCaseInsensitiveUTF8 multiSearchAllPositionsUTF8 multiSearchAny multiSearchAnyCaseInsensitive
  multiSearchAnyCaseInsensitiveUTF8 multiSearchAnyUTF8 multiSearchFirstIndex multiSearchFirstIndexCaseInsensitive
  multiSearchFirstIndexCaseInsensitiveUTF8 multiSearchFirstIndexUTF8 multiSearchFirstPosition
  multiSearchFirstPositionCaseInsensitive multiSearchFirstPositionCaseInsensitiveUTF8 multiSearchFirstPositionUTF8
  ngramDistance ngramDistanceCaseInsensitive ngramDistanceCaseInsensitiveUTF8 ngramDistanceUTF8 ngramSearch
  ngramSearchCaseInsensitive ngramSearchCaseInsensitiveUTF8 ngramSearchUTF8 notILike notLike positionCaseInsensitive
  positionCaseInsensitiveUTF8 positionUTF8 alphaTokens arrayStringConcat extractAllGroupsVertical ngrams
  reverseBySeparator splitByChar splitByNonAlpha splitByRegexp splitByString splitByWhitespace tokens
  tokensForLikePattern seriesDecomposeSTL seriesOutliersDetectTukey hop hopEnd hopStart tumble tumbleEnd tumbleStart
  windowID dotProduct flattenTuple tuple tupleConcat tupleDivide tupleDivideByNumber tupleElement tupleHammingDistance
  tupleIntDiv tupleIntDivByNumber tupleIntDivOrZero tupleIntDivOrZeroByNumber tupleMinus tupleModulo
  tupleModuloByNumber tupleMultiply tupleMultiplyByNumber tupleNames tupleNegate tuplePlus tuplePositiveModuloByNumber
  tupleToNameValuePairs accurateCast accurateCastOrDefault accurateCastOrNull fromUnixTimestamp64Micro
  fromUnixTimestamp64Milli fromUnixTimestamp64Nano fromUnixTimestamp64Second parseDateTime parseDateTime32BestEffort
  parseDateTime32BestEffortOrNull parseDateTime32BestEffortOrZero parseDateTime64 parseDateTime64BestEffort
  parseDateTime64BestEffortOrNull parseDateTime64BestEffortOrZero parseDateTime64BestEffortUS
  parseDateTime64BestEffortUSOrNull parseDateTime64BestEffortUSOrZero parseDateTime64InJodaSyntax
  parseDateTime64InJodaSyntaxOrNull parseDateTime64InJodaSyntaxOrZero parseDateTime64OrNull parseDateTime64OrZero
  parseDateTimeBestEffort parseDateTimeBestEffortOrNull parseDateTimeBestEffortOrZero parseDateTimeBestEffortUS
  parseDateTimeBestEffortUSOrNull parseDateTimeBestEffortUSOrZero parseDateTimeInJodaSyntax
  parseDateTimeInJodaSyntaxOrNull parseDateTimeInJodaSyntaxOrZero parseDateTimeOrNull parseDateTimeOrZero reinterpret
  toBFloat16 toBFloat16OrNull toBFloat16OrZero toBool toDateTime32 toFixedString toInterval toLowCardinality toString
  toStringCutToZero toTime toTime64 toTime64OrNull toTime64OrZero toTimeOrNull toTimeOrZero toUnixTimestamp64Micro
  toUnixTimestamp64Milli toUnixTimestamp64Nano toUnixTimestamp64Second URLHierarchy URLPathHierarchy cutFragment
  cutQueryString cutQueryStringAndFragment cutToFirstSignificantSubdomain cutToFirstSignificantSubdomainCustom
  cutToFirstSignificantSubdomainCustomRFC cutToFirstSignificantSubdomainCustomWithWWW
  cutToFirstSignificantSubdomainCustomWithWWWRFC cutToFirstSignificantSubdomainRFC
  cutToFirstSignificantSubdomainWithWWW cutToFirstSignificantSubdomainWithWWWRFC cutURLParameter cutWWW
  decodeURLComponent decodeURLFormComponent domain domainRFC domainWithoutWWW domainWithoutWWWRFC encodeURLComponent
  encodeURLFormComponent extractURLParameter extractURLParameterNames extractURLParameters firstSignificantSubdomain
  firstSignificantSubdomainCustom firstSignificantSubdomainCustomRFC firstSignificantSubdomainRFC fragment netloc path
  pathFull port portRFC protocol queryString queryStringAndFragment topLevelDomain topLevelDomainRFC UUIDNumToString
  UUIDStringToNum UUIDToNum UUIDv7ToDateTime dateTime64ToSnowflakeID dateTimeToSnowflakeID dateTimeToUUIDv7
  generateSnowflakeID generateUUIDv4 generateUUIDv7 snowflakeIDToDateTime snowflakeIDToDateTime64`;

/** Read in any case. */
const IN_ANY_CASE = `
  CARDINALITY CHARACTER_LENGTH CHAR_LENGTH DATE_FORMAT DATE_TRUNC DAY DAYOFMONTH DAYOFWEEK DAYOFYEAR FORMAT_BYTES
  FROM_BASE64 FROM_DAYS FROM_UNIXTIME HOUR INET6_ATON INET6_NTOA INET_ATON INET_NTOA JSON_ARRAY_LENGTH LAST_DAY
  MICROSECOND MILLISECOND MINUTE MONTH NANOSECOND NATURAL_SORT_KEY OCTET_LENGTH QUARTER REGEXP_EXTRACT REGEXP_MATCHES
  REGEXP_REPLACE REGEXP_SUBSTR SECOND SUBSTRING_INDEX TO_BASE64 TO_DAYS TO_UNIXTIME UTC_timestamp YEAR array_remove
  array_to_string byteSlice ceiling concat_ws curdate current_date current_timestamp date_bin distanceCosine
  distanceL1 distanceL2 distanceL2Squared distanceLinf distanceLp flatten from_utc_timestamp instr lcase ln
  localtimestamp lpad mid mod modOrNull normL1 normL2 normL2Squared normLinf normLp normalizeL1 normalizeL2
  normalizeLinf normalizeLp pmod pmodOrNull positive_modulo positive_modulo_or_null power regexpInstr regexp_instr
  replace rpad scalarProduct str_to_date str_to_map substr timeZone time_bucket to_utc_timestamp truncate ucase unnest
  vectorDifference vectorSum week width_bucket yearweek abs avg2 byteSwap max2 midpoint min2 positiveModulo
  positiveModuloOrNull sqr arrayPartialShuffle arrayShuffle length reverse greatest if least UTCTimestamp
  YYYYMMDDToDate YYYYMMDDToDate32 YYYYMMDDhhmmssToDateTime addDate age dateDiff dateName localtime makeDate makeDate32
  makeDateTime makeDateTime64 monthName now now64 subDate timeDiff timestamp timezone today bin char hex unbin unhex
  not acos asin atan atan2 cos degrees exp factorial hypot log log10 log2 pi pow radians sign sin sqrt tan tanh
  coalesce firstNonDefault ifNull isNull nullIf rand ceil floor round trunc CRC32 CRC32IEEE CRC64 ascii concat initcap
  left lower repeat right soundex space substring upper overlay countSubstrings hasSubsequence
  hasSubsequenceCaseInsensitive hasSubsequenceCaseInsensitiveUTF8 hasSubsequenceUTF8 hasTokenCaseInsensitive
  hasTokenCaseInsensitiveOrNull locate position DATE toDecimalString`;

/** What the engine's catalogue does not list: operators, by the names under which they are checked, and a word. */
export const clickhouseSyntaxFunctions = ['LIKE', 'ILIKE', 'REGEXP', 'grouping'];

/** Names in lower case to the name that the engine documents, for functions that it reads in any case. */
const canonical: ReadonlyMap<string, string> = new Map(
  [...words(IN_ANY_CASE), ...aggregatesInAnyCase, 'grouping'].map((name) => [name.toLowerCase(), name]),
);

/** The name of a function as the list has it. */
export const clickhouseFunctionName = (written: string): string => canonical.get(written.toLowerCase()) ?? written;

/** The functions by name; an aggregate also with the words that change it, such as `sumIf`. */
class ClickhouseFunctions extends Set<string> {
  override has(name: string): boolean {
    return super.has(name) || isClickhouseAggregate(name);
  }
}

/** Scalar, aggregate and window functions that may be called. */
export const clickhouseFunctions: ReadonlySet<string> = new ClickhouseFunctions([
  ...FAMILIES,
  ...words(SCALAR),
  ...words(IN_ANY_CASE),
  ...clickhouseAggregates,
  ...clickhouseSyntaxFunctions,
]);

/**
 * Functions of the engine that are refused: they read files, dictionaries, other tables, settings, the session or the
 * server's inside, call services, write, sleep, fail on purpose, run code that is not the engine's, depend on how rows
 * are stored, or take another function by its name.
 */
export const clickhouseRefusedFunctions: ReadonlySet<string> = new Set(
  words(`
    assumeNotNull
    AIClassify AIExtract AIGenerate AITranslate DATABASE SCHEMA ST_AsMVTGeom authUser caseWithExpr connection_id
    current_database current_query_id current_schemas current_user distanceCosineTransposed distanceL2Transposed
    fullHostName hostname initial_query_id initial_query_start_time partitionID query_id scalarProductTransposed
    serverTimeZone session_user user aiClassify aiEmbed aiExtract aiGenerate aiTranslate globalIn globalInIgnoreSet
    globalNotIn globalNotInIgnoreSet globalNotNullIn globalNotNullInIgnoreSet globalNullIn globalNullInIgnoreSet in
    inIgnoreSet notIn notInIgnoreSet notNullIn notNullInIgnoreSet nullIn nullInIgnoreSet nowInBlock nowInBlock64
    serverTimezone L2DistanceTransposed L2DistanceTransposedQuantized cosineDistanceTransposed
    cosineDistanceTransposedQuantized dotProductTransposed dotProductTransposedQuantized HMAC aes_decrypt_mysql
    aes_encrypt_mysql decrypt encrypt tryDecrypt MVTBoundingBox MVTBoundingBoxMercator MVTEncodeGeom icebergHash _CAST
    caseWithExpression nested validateNestedArraySizes addressToLine addressToLineWithInlines addressToSymbol demangle
    isMergeTreePartCoveredBy logTrace mergeTreePartInfo tid evalMLMethod naiveBayesClassifier
    naiveBayesClassifierWithAllProbs naiveBayesClassifierWithProb numericIndexedVectorAllValueSum
    numericIndexedVectorBuild numericIndexedVectorCardinality numericIndexedVectorGetValue
    numericIndexedVectorPointwiseAdd numericIndexedVectorPointwiseDivide numericIndexedVectorPointwiseEqual
    numericIndexedVectorPointwiseGreater numericIndexedVectorPointwiseGreaterEqual numericIndexedVectorPointwiseLess
    numericIndexedVectorPointwiseLessEqual numericIndexedVectorPointwiseMultiply numericIndexedVectorPointwiseNotEqual
    numericIndexedVectorPointwiseSubtract numericIndexedVectorShortDebugString numericIndexedVectorToMap FQDN
    authenticatedUser blockNumber blockSerializedSize blockSize buildId catboostEvaluate connectionId currentDatabase
    currentProfiles currentQueryID currentRoles currentSchemas currentUser defaultProfiles defaultRoles
    defaultValueOfArgumentType defaultValueOfTypeName displayName dumpColumnStructure enabledProfiles enabledRoles
    errorCodeToName file filesystemAvailable filesystemCapacity filesystemUnreserved formatQuery formatQueryOrNull
    formatQuerySingleLine formatQuerySingleLineOrNull fuzzQuery generateRandomStructure generateSerialID
    getClientHTTPHeader getMacro getMaxTableNameLengthForDatabase getMergeTreeSetting getOSKernelVersion getServerPort
    getServerSetting getSetting getSettingOrDefault getSizeOfEnumType getSubcolumn getTypeSerializationStreams
    globalVariable hasColumnInTable hasThreadFuzzer highlightQuery hostName icebergBucket icebergTruncate indexHint
    initialQueryID initialQueryStartTime isConstant joinGet joinGetOrNull lowCardinalityIndices lowCardinalityKeys
    neighbor normalizeQuery normalizeQueryKeepNames normalizedQueryHash normalizedQueryHashKeepNames obfuscateQuery
    obfuscateQueryWithSeed partitionId queryID revision rowNumberInAllBlocks rowNumberInBlock runningAccumulate
    runningConcurrency runningDifference runningDifferenceStartingWithFirstValue serverUUID shardCount shardNum
    showCertificate sleep sleepEachRow structureToCapnProtoSchema structureToProtobufSchema tcpPort throwIf
    toColumnTypeName tokenizeQuery transactionID transactionLatestSnapshot transactionOldestSnapshot uptime version
    zookeeperSessionUptime dequantizeInt8ToBFloat16 quantizeBFloat16ToInt8 fuzzBits randomFixedString
    randomPrintableASCII randomString randomStringUTF8 chdb naiveBayesNgrams CAST formatRow formatRowNoNewline
    reinterpretAsFixedString ST_AsMVT array_concat_agg aggThrow estimateCompressionRatio flameGraph groupFormat
    groupNumericIndexedVector nothing nothingNull nothingUInt64 quantilePrometheusHistogram
    quantilesPrometheusHistogram MVTEncode stochasticLinearRegression stochasticLogisticRegression`),
);

/** Dictionaries, the server's inside and the tags of its time series. */
export const isClickhouseInternal = (name: string): boolean => /^(?:dict[GHI]|region[A-Z]|__|timeSeries)/.test(name);

/** Functions whose first argument may be another function. */
export const clickhouseHigherOrder: ReadonlySet<string> = new Set(
  words(`
    arrayAll arrayAvg arrayBottomK arrayCompact arrayCount arrayCumSum arrayCumSumNonNegative arrayDifference arrayExists arrayFill
    arrayFilter arrayFirst arrayFirstIndex arrayFirstOrNull arrayFold arrayLast arrayLastIndex arrayLastOrNull arrayMap
    arrayMax arrayMin arrayPartialReverseSort arrayPartialSort arrayProduct arrayReverseFill arrayReverseSort
    arrayReverseSplit arraySort arraySplit arraySum arrayTopK mapAll mapApply mapExists mapFilter mapPartialReverseSort
    mapPartialSort mapReverseSort mapSort`),
);

/** Functions that may stand in FROM: they read their arguments only. */
export const clickhouseTableFunctions: ReadonlySet<string> = new Set(words('numbers generateseries generate_series'));

const SUBSTITUTES: Readonly<Record<string, string>> = {
  'formatDateTime(column, format)': 'to_char strftime format_date',
  'dateTrunc(unit, column)': 'trunc_date datetrunc',
  "dateDiff('day', earlier, later)": 'datediff_days months_between julianday',
  'column + INTERVAL 1 MONTH': 'add_months dateadd_month',
  'splitByChar(separator, text)': 'string_to_array split split_part regexp_split_to_array',
  'groupArray(column)': 'list collect_list json_agg arrayagg',
  'quantile(0.5)(column)': 'percentile_cont percentile_disc approx_quantile quantile_cont percentile',
  'ifNull(a, b)': 'nvl isnull_or',
  'toDate(column)': 'to_date',
  'toDateTime(column)': 'to_timestamp',
  'toInt64(column)': 'to_number',
  'today()': 'getdate sysdate',
  'multiIf(a, b, c, d, e)': 'iif decode_case',
  'length(list)': 'array_length list_length',
};

/** What to write instead of a function that other engines have. */
export const clickhouseSubstitutes: ReadonlyMap<string, string> = new Map(
  Object.entries(SUBSTITUTES).flatMap(([instead, names]) =>
    words(names).map((name): [string, string] => [name, `Write ${instead}.`]),
  ),
);
