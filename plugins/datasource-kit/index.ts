/** The parts that datasource plugins are built with: connections, processes, values, errors and URLs. */
export { type CachedResult, cachedOf, freshResults, resultLookup, resultRead } from './cached-result.ts';
export { connectionInfo } from './connection-info.ts';
export { type DatasourceApi, tapDatabase, tapFileDatabases, tapServerDatabases } from './databases.ts';
export { type EngineCheck, EngineTables } from './engine-tables.ts';
export type { DatasourceEngine, OpenDatabase, Reach, Target } from './engines.ts';
export * from './errors.ts';
export type { EstimateRequest } from './estimate-request.ts';

export { healthOf } from './health.ts';
export {
  connectionOwners,
  datasourceEngines,
  datasourceEstimate,
  datasourceHealth,
  datasourceViews,
  resultMemory,
} from './hooks.ts';

export { answerError, HttpFault, OtherServer, objectIn, PartTooLarge } from './http/answer-faults.ts';
export { attempted, HttpClient, type HttpRequest, originOf, textOf } from './http/http-client.ts';
export { collectRows, type HttpEngine, HttpSession, HttpUse } from './http/http-session.ts';
export { isSocketError, whileNotAborted } from './http/socket-errors.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export { withLiterals } from './literals.ts';
export { connectionOptions, fileConnectionOptions } from './options.ts';
export { bindable, type Param } from './params.ts';
export { CACHED_SOURCES, moduleBeside, type Program } from './process/database-process.ts';
export type { Engine, OpenEngine, RowWriter, ValueFunctions } from './process/engine.ts';
export { FileDatabase, type FileEngine } from './process/file-database.ts';
export { type FileErrors, fileErrors } from './process/file-errors.ts';
export { ProcessWatcher } from './process/process-watcher.ts';
export type { EstimateMessage, ExecuteRequest, Failure, WireParam } from './process/protocol.ts';
export { encodeParam } from './process/wire-params.ts';
export { decimalType, type RowSink, rowSinks, type SinkType, wereHandedOn } from './row-sink.ts';
export { connectWithin, lookupOf, openAt } from './server/addresses.ts';
export {
  type PostgresCommand,
  PostgresCommands,
  type PostgresProtocol,
  sendCommand,
} from './server/postgres-commands.ts';
export { ServerDatabase } from './server/server-database.ts';
export type { Driver, Session } from './server/session.ts';
export { assertReads } from './statement-check.ts';
export { admitted, policyOf } from './statement-policy.ts';
export { type FileUrlFormat, maskFileUrl, parseFileUrl } from './url/file-url.ts';
export { assertRemotePostgresUrl, type PostgresTarget, parsePostgresUrl } from './url/postgres-url.ts';
export {
  assertRemote,
  invalidUrl,
  isLoopback,
  maskServerUrl,
  parseServerUrl,
  readUrlFile,
  type ServerUrl,
  type UrlDialect,
  type UrlTls,
  urlFlag,
  urlTls,
} from './url/server-url.ts';
export * from './values.ts';
export { valuesDigest } from './values-digest.ts';
export type { ViewDefinition } from './view-definition.ts';
export { type WallClock, wallClockOf } from './zones.ts';
