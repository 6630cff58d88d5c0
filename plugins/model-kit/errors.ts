/** Makes errors of what providers report inside an answer, with the status that a response would have had. */

const STATUS_OF_WORDS: readonly (readonly [RegExp, number])[] = [
  [/insufficient[_ ]quota|rate[_ -]?limit|too[_ ]many[_ ]requests|throttl|resource[_ ]exhausted/i, 429],
  [/authentication|unauthorized|api_key/i, 401],
  [/permission|forbidden/i, 403],
  [/not_found/i, 404],
  [/timeout|timed[_ ]?out/i, 504],
  [/overload|unavailable/i, 503],
  [/invalid|bad_request|context_length/i, 400],
];

interface Report {
  readonly code?: unknown;
  readonly type?: unknown;
  readonly status?: unknown;
  readonly message?: unknown;
}

/** The status that an error inside an answer would have had: its number, else what its code and type say, else its message. */
export function statusOfReport({ code, type, status, message }: Report): number {
  // What is no text has no words, and may not even be able to become text.
  const said = (item: unknown) => (typeof item === 'string' || typeof item === 'number' ? `${item}` : '');
  const number = [code, status].map((item) => Number(said(item))).find((item) => item >= 400 && item < 600);
  if (number !== undefined) return Math.trunc(number);
  const known = [`${said(code)} ${said(type)} ${said(status)}`, said(message).slice(0, 1_000)].flatMap(
    (text) => STATUS_OF_WORDS.find(([word]) => word.test(text))?.[1] ?? [],
  );
  return known[0] ?? 500;
}

/** What a provider package gives as the error of a stream: an error, a text, or the object that the provider sent. */
export function errorOf(reported: unknown): Error {
  if (reported instanceof Error) return reported;
  const sent = (typeof reported === 'object' ? reported : undefined) as
    | (Report & { readonly error?: object })
    | null
    | undefined;
  const report = { ...sent, ...sent?.error };
  const message = typeof reported === 'string' ? reported : report.message;
  return Object.assign(new Error(typeof message === 'string' ? message : 'The provider reported an error.'), {
    statusCode: statusOfReport(report),
    data: { error: { code: report.code, type: report.type } },
  });
}
