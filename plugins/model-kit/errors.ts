/** Makes errors of what providers report inside an answer, with the status that a response would have had. */

const STATUS_OF_WORDS: readonly (readonly [RegExp, number])[] = [
  [/insufficient_quota|rate_limit|throttl|resource_exhausted/i, 429],
  [/authentication/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/invalid|bad_request|context_length/i, 400],
  [/overload|unavailable/i, 503],
  [/timeout/i, 504],
];

/** The status that an error inside an answer would have had. */
export function statusOfReport({ code, type }: { readonly code?: unknown; readonly type?: unknown }): number {
  // What is no text has no words, and may not even be able to become text.
  const words = [code, type].filter((item) => typeof item === 'string' || typeof item === 'number').join(' ');
  const status = typeof code === 'string' || typeof code === 'number' ? Number(code) : Number.NaN;
  if (status >= 400 && status < 600) return Math.trunc(status);
  return STATUS_OF_WORDS.find(([word]) => word.test(words))?.[1] ?? 500;
}

/** What a provider package gives as the error of a stream: an error, a text, or the object that the provider sent. */
export function errorOf(reported: unknown): Error {
  if (reported instanceof Error) return reported;
  const sent = (typeof reported === 'object' ? reported : undefined) as
    | { readonly message?: unknown; readonly error?: object; readonly code?: unknown; readonly type?: unknown }
    | null
    | undefined;
  const report = { ...sent, ...sent?.error };
  const message = typeof reported === 'string' ? reported : report.message;
  return Object.assign(new Error(typeof message === 'string' ? message : 'The provider reported an error.'), {
    statusCode: statusOfReport(report),
    data: { error: { code: report.code, type: report.type } },
  });
}
