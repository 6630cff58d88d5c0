/** Defines where a model comes from, so that every model plugin shares retries, fallback and health. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { AtlasError } from '../../kernel/index.ts';

export interface ModelSource {
  /** As the health report and the answers' errors name it. */
  readonly provider: string;
  readonly modelId: string;
  /** Texts that stand in no log line and no error. */
  readonly secrets: readonly string[];
  /** What the configuration lacks; health says it, and questions are refused with it. */
  readonly missing?: AtlasError | undefined;
  /** Called once, soon after the start or with the first question: provider packages take time and memory. */
  load(): Promise<LanguageModelV4>;
  /** The names of the models that the provider has; may reject. */
  models?(signal: AbortSignal): Promise<readonly unknown[]>;
  close?(): void;
}
