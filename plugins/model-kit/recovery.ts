/** Decides how a question goes on after a model call that failed. */
import { providerText } from './provider-text.ts';

/** What is changed in the calls that follow; `rewrite` asks for a call in the right form. */
export type Recovery = 'rewrite' | 'system-as-user' | 'without-reasoning' | 'without-streaming';

const RECOVERIES: readonly (readonly [pattern: RegExp, recovery: Recovery])[] = [
  [
    /tool_use_failed|failed to call a function|tool call validation failed|(?:parsing|parse)[^\n]{0,24}tool[ _]?call|failed to parse (?:input|messages|tool|fc\b|function)|malformed_?function_?call/i,
    'rewrite',
  ],
  [
    /system[^\n]{0,12}(?:role|message|prompt|instruction)[^\n]{0,32}(?:not supported|unsupported|not enabled|not allowed)/i,
    'system-as-user',
  ],
  [
    /(?:reasoning(?:_content|_details)?|thinking)['"`. ]{0,4}[^\n]{0,40}(?:unsupported|not (?:supported|allowed|permitted)|unknown|unexpected|extra|unrecognized)|(?:unsupported|unknown|unrecognized|extra)[^\n]{0,60}reasoning_content/i,
    'without-reasoning',
  ],
  [
    /(?:stream(?:ing)?[^\n]{0,40}(?:not (?:\w+ )?supported|unsupported|not allowed|must be false|disabled)|not support[^\n]{0,24}stream(?!_options)|tools?[^\n]{0,24}(?:with|and|while)[^\n]{0,12}stream(?!_options))/i,
    'without-streaming',
  ],
];

/** `hasShown`: the user has read a part of the answer, so that it cannot begin again. */
export function recoveryOf(error: unknown, hasShown: boolean): Recovery | undefined {
  const text = providerText(error);
  const known = RECOVERIES.find(([pattern]) => pattern.test(text))?.[1];
  return hasShown && known !== 'rewrite' ? undefined : known;
}
