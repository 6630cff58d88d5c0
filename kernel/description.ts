/** Describes what runs, as `atlas hooks`, `atlas boot` and the admin interface show it. */
import type { HookDescription } from './hooks/registry.ts';

/** What `plugin create` offers, and what first-party plugins are besides. */
type OfferedType = 'datasource' | 'context' | 'interaction' | 'action' | 'sandbox';
type OwnType = 'auth' | 'policy' | 'model' | 'delivery' | 'storage' | 'admin' | 'command' | 'core';
export type PluginType = OfferedType | OwnType;

export type PluginStatus = 'registered' | 'ready' | 'failed' | 'stopped';

export interface PluginDescription {
  readonly name: string;
  readonly version: string;
  readonly type: PluginType;
  readonly description: string;
  readonly needs: readonly string[];
  readonly status: PluginStatus;
  /** Time its setup and its `onReady` took, in milliseconds. */
  readonly setupMs: number;
  readonly readyMs: number;
}

export interface AppDescription {
  readonly plugins: readonly PluginDescription[];
  readonly hooks: readonly HookDescription[];
  /** From the first check to ready, in milliseconds. */
  readonly bootMs: number;
}
