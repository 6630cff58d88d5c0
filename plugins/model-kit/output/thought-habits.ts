/** Remembers which models write thoughts without an opening tag, so that the beginnings of their texts are held back. */

/** Models that think, by their names; servers without a parser for them send the thoughts as text. */
const THINKS =
  /r1\b|qwq|qwen-?3|think|reason|magistral|glm-?4\.[5-9]|glm-?[5-9]|deepseek-v[3-9]\.[1-9]|exaone|nemotron|minimax|seed-oss|smollm3|hermes-?4|ernie/i;
const MAX_MODELS = 256;

interface Seen {
  /** Thoughts ended that had no opening tag. */
  readonly hasStrayThoughts: boolean;
  readonly text: string;
}

export class ThoughtHabits {
  readonly #known = new Map<string, boolean>();

  expects(modelId: string): boolean {
    return this.#known.get(modelId) ?? THINKS.test(modelId);
  }

  saw(modelId: string, { hasStrayThoughts, text }: Seen): void {
    if (this.#known.get(modelId) === true || this.#known.size >= MAX_MODELS) return;
    if (hasStrayThoughts || text !== '') this.#known.set(modelId, hasStrayThoughts);
  }
}
