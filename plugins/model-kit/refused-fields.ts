/** Leaves out of requests what a server has refused: many know fewer fields than the package that speaks to them sends. */
import { APICallError, type LanguageModelV4 } from '@ai-sdk/provider';

type Body = Readonly<Record<string, unknown>>;

/** What a server says of a field that it does not take. */
const REFUSAL =
  /unsupported|not (?:be )?(?:supported|permitted|allowed|implemented|recognized)|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs?|fields?|arguments?)|invalid (?:parameter|argument|field|name|value)|does ?n.t (?:support|accept|allow)|does not (?:support|accept|allow)|no longer|deprecated|extra_forbidden/i;
/** Without these there is no question; without `store` the answers would be kept at the provider. */
const NEEDED = new Set(
  'model messages input tools stream system contents instructions prompt systemInstruction generationConfig store'.split(
    ' ',
  ),
);
/** Fields inside of others that may be left out. */
const INNER = ['strict', 'cache_control', 'include_usage', 'reasoning_content', 'reasoning_details', 'extra_content'];
/** What holds the tools' own fields. */
const FOREIGN = new Set(['parameters', 'input_schema', 'inputSchema', 'arguments', 'args', 'response']);
/** A text that names more of them says something else. */
const MAX_NAMED = 4;
const MAX_RETRIES = 3;

export class RefusedFields {
  /** By name what to send instead, if anything. */
  readonly #refused = new Map<string, string | undefined>();
  readonly #sent = new Set<string>();

  /** A request without the fields that were refused. */
  without<T extends Body>(body: T): T {
    for (const name of namesIn(body)) this.#sent.add(name);
    return this.#refused.size === 0 ? body : (this.#left(body) as T);
  }

  get isEmpty(): boolean {
    return this.#refused.size === 0;
  }

  /** Repeats a call that was refused because of fields which are left out then. */
  async retried<T>(call: () => PromiseLike<T>): Promise<T> {
    for (let retries = 0; ; retries += 1) {
      try {
        return await call();
      } catch (error) {
        if (retries === MAX_RETRIES || !this.#learns(error)) throw error;
      }
    }
  }

  /** A model whose calls are repeated so; its `fetch` has to leave the fields out. */
  retrying(model: LanguageModelV4): LanguageModelV4 {
    return {
      specificationVersion: 'v4',
      provider: model.provider,
      modelId: model.modelId,
      supportedUrls: model.supportedUrls,
      doGenerate: (options) => this.retried(() => model.doGenerate(options)),
      doStream: (options) => this.retried(() => model.doStream(options)),
    };
  }

  /** Whether an error names fields that were not known to be refused. */
  #learns(error: unknown): boolean {
    if (!APICallError.isInstance(error) || (error.statusCode !== 400 && error.statusCode !== 422)) return false;
    const { requestBodyValues: sent, responseBody = error.message } = error;
    const said = responseBody.slice(0, 4_096);
    if (!REFUSAL.test(said)) return false;
    const names = new Set([...this.#sent, ...(isBody(sent) ? namesIn(sent) : []), ...INNER]);
    const named = [...names].filter((name) => !this.#refused.has(name) && isNamed(said, name));
    if (named.length === 0 || named.length > MAX_NAMED) return false;
    const instead = named.length === 1 ? /\buse\W{1,3}(\w{3,40})\W{1,3}instead/i.exec(said)?.[1] : undefined;
    for (const name of named) this.#refused.set(name, instead);
    return true;
  }

  #left(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#left(item));
    if (!isBody(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
        const instead = this.#refused.get(name);
        if (this.#refused.has(name)) return instead === undefined ? [] : [[instead, item]];
        return [[name, FOREIGN.has(name) || (name === 'input' && isBody(item)) ? item : this.#left(item)]];
      }),
    );
  }
}

const isBody = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields that may be left out. */
const namesIn = (body: Body): string[] =>
  [...Object.keys(body), ...Object.keys(body.generationConfig ?? {})].filter((name) => !NEEDED.has(name));

/** Whether a text names a field; a name of one plain word has to look like one. */
function isNamed(text: string, name: string): boolean {
  const written = name.replace(/[^\w]/g, '');
  if (/_|[a-z][A-Z]/.test(written)) return new RegExp(`\\b${written}\\b`).test(text);
  return new RegExp(
    `['"\`.]${written}\\\\?['"\`\\]:]|\\b${written}:? (?:is|does|was|not|with|Extra)|: ?${written}\\b`,
  ).test(text);
}
