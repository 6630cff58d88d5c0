/** The kernel's public surface, the only kernel file that a plugin may import. */
export { type Static, Type } from '@sinclair/typebox';
export { type App, type CreateAppOptions, createApp } from './app.ts';
export { withoutCredentials } from './credentials.ts';
export { type AtlasConfig, defineConfig } from './define-config.ts';
export {
  type AnyPluginDefinition,
  definePlugin,
  optional,
  type Plugin,
  type PluginContext,
  type PluginDefinition,
  type PluginEntry,
  type PluginRef,
  type PluginType,
} from './define-plugin.ts';
export type { AppDescription, PluginDescription, PluginStatus } from './description.ts';
export {
  AtlasError,
  type AtlasErrorInit,
  BootError,
  type BootProblem,
  CloseError,
  messageOf,
  messagesOf,
} from './errors.ts';
export { appClosed, appReady, defineEvent, type EventType } from './events.ts';
export * from './hooks/catalog.ts';
export {
  type AnyHook,
  type Awaitable,
  type Collected,
  collect,
  first,
  type Hook,
  type HookKind,
  keyed,
  parallel,
  series,
  type TapFailure,
  type TapHandler,
  waterfall,
} from './hooks/kinds.ts';
export type { TapOptions, TapOrder } from './hooks/order.ts';
export type * from './hooks/payloads/actions.ts';
export type * from './hooks/payloads/identity.ts';
export type * from './hooks/payloads/questions.ts';
export type * from './hooks/payloads/sql.ts';
export type * from './hooks/payloads/surfaces.ts';
export type { HookDescription, HookObserver } from './hooks/registry.ts';
export { bindPackage, findConfig, loadConfig } from './load-config.ts';
export type { Logger } from './log.ts';
export { didYouMean, nearest } from './nearest.ts';
export { type Actor, NOBODY, type Role, Scope, type ScopeInit } from './scope.ts';
export { type Override, override } from './services.ts';
export { withTimeout } from './with-timeout.ts';
