/** What runs, as `atlas hooks`, `atlas boot` and the admin interface show it. */
import type { PluginType } from './define-plugin.ts';
import type { HookDescription } from './hooks/registry.ts';

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
