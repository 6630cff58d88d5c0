/** Keeps the models that organizations have chosen: opened with the first question, closed when another is chosen. */
import { LRUCache } from 'lru-cache';
import { AtlasError, type Awaitable, type Logger, messageOf } from '../../kernel/index.ts';
import type { OpenModel } from '../model-kit/index.ts';
import type { AdminModelOptions } from './options.ts';
import type { ModelConfigRow, ModelConfigStore } from './store.ts';

/** What is known of an organization's choice. */
interface Known {
  readonly version: string;
  /** `undefined`: it has chosen none. */
  readonly model: OpenModel | undefined;
  /** By `performance.now()`. */
  checkedAt: number;
}

export interface ChosenModelsInit {
  readonly store: Pick<ModelConfigStore, 'read'>;
  /** Rejects with `configuration_error` for a provider that is not there any more, or a key that cannot be read. */
  open(row: ModelConfigRow): Promise<OpenModel>;
  readonly options: AdminModelOptions;
  readonly log: Logger;
}

const versionOf = (row: ModelConfigRow | undefined) => (row === undefined ? 'none' : `${row.id} ${row.version}`);

export interface ChosenModels {
  /** `undefined`: the server's own model answers. */
  of(orgId: string | null): Awaitable<OpenModel | undefined>;
  /** Has the choice read again with the next question. */
  forget(orgId: string | null): void;
  close(): void;
}

export function chosenModels({ store, open, options, log }: ChosenModelsInit): ChosenModels {
  const kept = new LRUCache<string, Known>({ max: options.maxModels, dispose: ({ model }) => model?.close() });
  const reading = new Map<string, Promise<Known>>();

  /** Keeps a model whose configuration is the same as before. */
  async function read(orgId: string | null, before: Known | undefined): Promise<Known> {
    const row = await store.read(orgId);
    const version = versionOf(row);
    const checkedAt = performance.now();
    if (before?.version === version) return Object.assign(before, { checkedAt });
    return { version, model: row && (await open(row)), checkedAt };
  }

  /** While the database does not answer, what was chosen before stays chosen. */
  function unread(error: unknown, before: Known | undefined): Known {
    if (before === undefined || !(error instanceof AtlasError) || error.code !== 'unavailable') throw error;
    log.warn({ error: messageOf(error) }, 'The configured model could not be read; the one known before is used.');
    return Object.assign(before, { checkedAt: performance.now() });
  }

  async function refresh(key: string, orgId: string | null): Promise<OpenModel | undefined> {
    const before = kept.get(key);
    const pending = reading.get(key) ?? read(orgId, before).catch((error: unknown) => unread(error, before));
    reading.set(key, pending);
    try {
      const known = await pending;
      // Forgotten meanwhile: it may be what stood there before the change.
      if (reading.get(key) === pending) kept.set(key, known);
      return known.model;
    } finally {
      if (reading.get(key) === pending) reading.delete(key);
    }
  }

  // No id of an organization begins with a colon and is empty behind it.
  const keyOf = (orgId: string | null) => (orgId === null ? '' : `:${orgId}`);
  return {
    of(orgId) {
      const key = keyOf(orgId);
      const known = kept.get(key);
      const isFresh = known !== undefined && performance.now() - known.checkedAt < options.checkIntervalMs;
      return isFresh ? known.model : refresh(key, orgId);
    },
    forget(orgId) {
      reading.delete(keyOf(orgId));
      kept.delete(keyOf(orgId));
    },
    close: () => kept.clear(),
  };
}
