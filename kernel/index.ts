/** Exports the kernel's public surface, the only kernel file that a plugin may import. */
export type { Static } from '@sinclair/typebox';
export { type App, type CreateAppOptions, createApp } from './app.ts';
export * from './define-plugin.ts';
export type * from './description.ts';
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
export * from './hooks/kinds.ts';
export type { TapOptions } from './hooks/order.ts';
export type * from './hooks/payloads/actions.ts';
export type * from './hooks/payloads/identity.ts';
export type * from './hooks/payloads/questions.ts';
export type * from './hooks/payloads/sql.ts';
export * from './hooks/payloads/surfaces.ts';
export type { HookDescription, HookObserver } from './hooks/registry.ts';
export type { Logger } from './log.ts';
export { didYouMean, nearest } from './nearest.ts';
export { Type } from './option-types.ts';
export { type Actor, NOBODY, type Role, Scope, type ScopeInit } from './scope.ts';
export { type Override, override } from './services.ts';
export { withTimeout } from './with-timeout.ts';
